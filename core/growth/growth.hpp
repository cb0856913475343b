// Greedy growth: one tree from a packed table.
//
//     table        [ rows of class 0 | rows of class 1 | … ]              the root's rows; never changed
//     odd depths   [ outcome 0: class 0, class 1 | outcome 1: … | … ]     a node's rows lie together, sorted by class
//     even depths  [ … ]                                                  each split moves them to the other buffer
//
// Fast because of that: counting reads a stream of rows. The counts of the largest child are what those of the others
// leave of the parent's; a child that is a leaf is not moved at all; a few rows are first asked whether one of the
// cheapest tests separates all classes, which spares counting them. Subtrees of large nodes are tasks for any thread;
// the tree is the same for any number.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "growth/choice.hpp"
#include "growth/grown.hpp"
#include "tables/packed_table.hpp"

namespace budgetree {

// Nothing when the clock stopped it.
std::optional<GrownTree> grow(const PackedTable& table, const CostModel& costs, const GrowthSettings& settings,
                              int n_threads, Clock& clock);

// The first of the cheapest tests in this state that separates all classes of a few rows; kLeaf if it is missing.
int find_pure_split(const RowLayout& layout, const FewRows& few, Chooser& chooser, const PathState& state);

}  // namespace budgetree
