// NodeCounts: how many cases, or how much weight, of each class show each outcome of each test at a node.
//
//     cells   class 0 | group 0: outcome 0 [16 tests] outcome 1 [16 tests] … | group 1: … |
//             class 1 | …
//
// Groups whose tests have few outcomes take few cells. Only the classes that a node has are filled in and read; the
// cells of the others are whatever they were. Counts are uint32 where each case counts once and float64 (exact up to
// 2^53) where cases have weights.
//
// Fast because rows are counted 16 or 32 tests at a time: a byte shuffle looks up 1 or 16 for a code that is the first
// or second of a pair of outcomes and 0 for any other, so that one addition counts two outcomes of 32 tests; half-byte
// counters are emptied into bytes every 15 rows, bytes into cells every 255 (counting_simd.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "simd/counting_simd.hpp"
#include "tables/cases.hpp"
#include "tables/row_layout.hpp"

namespace budgetree {

using ClassList = std::vector<std::int32_t>;  // the classes that a node has, ascending

template <typename Count>
class NodeCounts {
public:
    NodeCounts() = default;
    explicit NodeCounts(const RowLayout& layout)
        : class_cells_(layout.n_cells()), cells_(layout.n_cells() * layout.n_classes()) {}

    bool is_empty() const { return cells_.empty(); }
    std::size_t bytes() const { return cells_.size() * sizeof(Count); }
    std::size_t class_cells() const { return class_cells_; }
    Count* of(int c) { return cells_.data() + c * class_cells_; }
    const Count* of(int c) const { return cells_.data() + c * class_cells_; }
    const Count* cells() const { return cells_.data(); }

    // What remains without a part of the cases; the part has no class that is missing here.
    void subtract(const NodeCounts& part, const ClassList& classes_of_part);

private:
    std::size_t class_cells_ = 0;
    std::vector<Count> cells_;
};

// Rows sorted by class, and how many there are of each.
struct SortedRows {
    const std::uint8_t* first;
    std::span<const std::int64_t> class_sizes;
};

// Fills the cells of the classes present. False when the clock stopped it.
template <typename Count>
bool count_rows(const RowLayout& layout, const SortedRows& rows, NodeCounts<Count>& counts, Watch& watch);

// Rows of one class that come in one by one: where the next strip to be counted begins.
struct GatheredStrip {
    const std::uint8_t* next;
    bool is_first;  // nothing of the class was counted yet
};

// Counts what has come in up to `end`, if that is at least so many rows: while they are in the nearest cache.
template <typename Count>
void count_gathered(const RowLayout& layout, GatheredStrip& gathered, const std::uint8_t* end, std::int64_t least,
                    Count* cells);

inline constexpr std::int64_t kMaxStrip = 255;  // rows that byte counters can take

void count_strip(const RowLayout& layout, const Strip& strip, std::uint32_t* cells);
void count_strip(const RowLayout& layout, const Strip& strip, double* cells);

// About how many nanoseconds counting takes, for a Watch.
std::int64_t work_of_rows(const RowLayout& layout, std::int64_t n_rows);

// Test × outcome × class of some cases as they came from Python, in weight units; for what is not grown.
std::vector<std::int64_t> count_classes(const Cases& cases, std::span<const std::int32_t> numbers, Watch& watch);

}  // namespace budgetree
