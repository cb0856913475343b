// The best tree with three binary tests, any three: each triple of tests is counted once.
//
//     pairs       class × test × lane        cases that show a one in both, from the test's own vector on
//     following   test × 4 × lane            what the best third test gets right after two (triple_lanes.hpp)
//
// For a first test only its ones are packed, and of them all pairs are counted: that is all triples with it. The other
// seven cells of a triple follow from the pairs of the whole set. A tree's four third tests are the best ones after the
// outcomes of its first two; the second tests are the best after the outcomes of the first.
#pragma once

#include <functional>
#include <vector>

#include "exact/packed_bits.hpp"

namespace budgetree::BUDGETREE_EXACT {

class BinaryTriples {
public:
    // Told now and then how many nanoseconds have passed; it may throw.
    using Spend = std::function<void(std::int64_t)>;

    BinaryTriples(const ExactTable& table, Spend spend);

    // The fewest errors, with any three of the table's tests.
    Units fewest_errors(const ObjectSet& set);

private:
    void count_pairs(const ObjectSet& set);
    void score_with(int first, const ObjectSet& set);
    // Of the cases with an outcome of the first test, what the second and the best third ones get right.
    int right_after(int first, int outcome, int second) const;

    const ExactTable& table_;
    Spend spend_;
    PackedBits packed_;
    OnesOfSet ones_, gains_;                   // gains only with losses
    std::vector<std::int32_t> tests_, shown_;  // that split the set; cases that show a one
    std::vector<Count> row_, pairs_, following_;
};

}  // namespace budgetree::BUDGETREE_EXACT
