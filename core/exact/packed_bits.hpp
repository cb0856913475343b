// A set of cases with binary tests, packed so that pairs of ones can be counted.
//
//     bytes     block × lane    eight cases of one class each; see pair_lanes.hpp
//     ones      class × lane    cases of a class that show a one
#pragma once

#include <span>
#include <vector>

#include "exact/exact_table.hpp"
#include "simd/pair_simd.hpp"

namespace budgetree::BUDGETREE_EXACT {

struct OnesOfSet {
    OnesOfSet(int n_classes, int n_lanes) : ones(std::size_t(n_classes) * n_lanes), totals(n_classes), lanes(n_lanes) {}

    std::vector<Count> ones, totals;  // class × lane, class
    int lanes;

    int of_test(int test) const;
    Ones view() const;
};

class PackedBits {
public:
    explicit PackedBits(const ExactTable& table);

    // Objects sorted by class.
    void pack(std::span<const std::int32_t> objects);
    // Of the packed cases: per class those that show a one in the test and in each lane from the first on; classes are
    // `step` apart.
    void count_row(int test, int first_lane, Count* out, std::size_t step) const;
    void count_ones(OnesOfSet& ones) const;
    // count_row as gains by answer and, behind them, what there is to lose; without losses the counts themselves.
    void count_gains(int test, int first_lane, Count* out, std::size_t step);
    // Counts of ones as such gains; only with losses.
    void project(const OnesOfSet& ones, OnesOfSet& gains) const;
    GainTable gain_table() const { return {gain_table_.data(), table_.n_classes, table_.n_gains()}; }

    const std::uint8_t* bytes() const { return bytes_.data(); }
    const int* class_begins() const { return class_begins_.data(); }  // in blocks; one more than there are classes

private:
    const ExactTable& table_;
    std::vector<std::uint8_t> bytes_;
    std::vector<int> class_begins_;
    std::vector<Count> gain_table_, row_;  // only with losses; row_ is class × lane
};

}  // namespace budgetree::BUDGETREE_EXACT
