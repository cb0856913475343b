// RowLayout: how a case is packed into a row, and where its counts lie.
//
//     a row, four bits per test        | block of 16 bytes: 32 tests                       | next block | weight |
//                                      | byte j: test j in the low, 16 + j in the high half |            | 8 bytes|
//     a row, a byte per test           | block of 16 bytes: 16 tests                       | next block | weight |
//
// Four bits where no test has more than 16 outcomes. Tests 0 to 15, 16 to 31, … are a *group*: 16 neighbours in a
// vector when they are counted and scored. A row's weight follows its codes where cases count differently, so that
// moving a row moves all there is of it. Fast because a row of 50 tests is half a cache line, and rows that belong
// together lie together: they are read as a stream, never gathered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/spare_memory.hpp"
#include "simd/packing_simd.hpp"

namespace budgetree {

// Where a test's code lies in a row.
struct CodePlace {
    std::size_t byte;
    int shift;
    unsigned mask;

    unsigned outcome(const std::uint8_t* row) const { return row[byte] >> shift & mask; }
};

class RowLayout {
public:
    RowLayout(std::vector<std::int32_t> n_outcomes, int n_classes, bool is_weighted);

    int n_tests() const { return int(n_outcomes_.size()); }
    int n_classes() const { return n_classes_; }
    int n_lanes() const { return int(n_levels_.size()) * kGroup; }
    int n_outcomes(int test) const { return n_outcomes_[test]; }
    int max_outcomes() const { return max_outcomes_; }
    bool is_packed() const { return is_packed_; }
    bool is_weighted() const { return is_weighted_; }
    std::size_t code_bytes() const { return code_bytes_; }
    std::size_t row_bytes() const { return code_bytes_ + (is_weighted_ ? kBlockBytes : 0); }
    std::size_t n_cells() const { return cells_before_.back(); }  // of one class
    std::size_t cell(int test, int outcome) const {
        return cells_before_[test / kGroup] + std::size_t(outcome) * kGroup + test % kGroup;
    }
    RowShape shape() const { return {int(n_levels_.size()), is_packed_, n_levels_.data(), cells_before_.data()}; }

    CodePlace place(int test) const {
        if (!is_packed_) return {std::size_t(test), 0, 255u};
        return {std::size_t(test / 32 * kBlockBytes + test % kGroup), test >> 2 & 4, 15u};
    }
    unsigned outcome(const std::uint8_t* row, int test) const { return place(test).outcome(row); }
    double weight(const std::uint8_t* row) const {
        if (!is_weighted_) return 1.0;
        double weight;
        std::memcpy(&weight, row + code_bytes_, sizeof weight);
        return weight;
    }

private:
    std::vector<std::int32_t> n_outcomes_, n_levels_;
    std::vector<std::size_t> cells_before_;
    int n_classes_, max_outcomes_;
    bool is_packed_, is_weighted_;
    std::size_t code_bytes_;
};

// Rows side by side, the first at the start of a cache line.
class Rows {
public:
    Rows() = default;
    Rows(std::size_t n_rows, std::size_t row_bytes);

    bool is_empty() const { return first_ == nullptr; }
    std::uint8_t* row(std::size_t number) const { return first_ + number * row_bytes_; }
    std::size_t row_bytes() const { return row_bytes_; }

private:
    static constexpr std::size_t kLine = 64;

    Memory memory_;
    std::uint8_t* first_ = nullptr;
    std::size_t row_bytes_ = 0;
};

}  // namespace budgetree
