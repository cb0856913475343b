// Triples of binary tests: what three tests get right, for two tests and many third ones at once.
//
//     first, second    fixed      cells of (first, second, lane):  111  110  101  100  011  010  001  000
//     third            lane       two neighbouring cells are what the best third test makes of an outcome of the others
#pragma once

#include "simd/pair_simd.hpp"

namespace budgetree {

inline constexpr int kMaxTripleClasses = 16;

// Cases of each class with a one in all three, and in the two pairs of a fixed test and a lane.
struct TripleRow {
    int first, second;
    ClassCounts all, first_pairs, second_pairs;
};

// The most that is right of the cases with given outcomes of two tests when the best third one follows: for a test four
// rows of lanes, for its outcome and the lane's 11, 10, 01, 00. Only lanes from the test on are complete.
struct FollowingPairs {
    Count* rows;
    std::size_t n_lanes;

    Count* of(int test) const { return rows + 4 * test * n_lanes; }
};

struct TripleKernels {
    // Raises `best` by all triples of the row's two tests with a lane, from the second test's vector on.
    void (*score)(const Ones& set, const TripleRow& row, const FollowingPairs& best);
};

const TripleKernels& triple_kernels();

}  // namespace budgetree
