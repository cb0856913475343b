// Pool: the sets of cases that many trees meet, counted and split once.
//
//     rows     [ all | set | set | … ]              row numbers of the table; a split appends the rows by outcome
//     sets     first, n_rows, two sums, slot, …     class weights beside it: set × class
//     slots    counts and facts of the sets that were counted
//     splits   (set, test) → the set of each outcome
//
// A set is known by two 64-bit sums of random numbers, one pair per row: two sets with equal sums are the same but for
// a chance of 2^-128. Fast because the trees of a portfolio differ little: after the first few, growing one is looking
// up sets and scoring counts that are there already; a set with a cheapest test that leaves nothing wrong is not even
// scored. The memory is limited: a full pool is emptied, and a tree that does not fit at all is grown without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "growth/choice.hpp"
#include "growth/steps.hpp"
#include "tables/packed_table.hpp"

namespace budgetree {

class Pool {
public:
    static std::unique_ptr<Pool> make(const PackedTable& table, const CostModel& costs, const LeafPolicy& policy,
                                      std::size_t cache_bytes);
    virtual ~Pool() = default;

    // Adds a tree's steps; false when the clock stopped it.
    virtual bool grow(const GrowthSettings& settings, Steps& steps, Watch& watch) = 0;
    virtual int n_classes() const = 0;
};

}  // namespace budgetree
