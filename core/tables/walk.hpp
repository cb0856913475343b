// Walk: where each row of a table ends in a tree, and what it has spent on the way. One loop for every kind of tree.
//
//     kind        per node      buy a test, branch by its result, branch by a total, leaf
//     test        per node      that is bought or branched on, as a row of the codes
//     first       per node      where its children begin
//     children    per node      of a buy the child; by result one per outcome and one more; by a total one per side
//     charge_at   per node      of a buy: where its charges begin
//     charges     per buy       one per outcome and one more, all included
//     rule        per node      of a branch by a total its split, of a leaf with totals its scorer; else -1
//
// The last entry of every list per outcome is for a result that is not listed. Rows are independent: threads take them
// in blocks, and code the columns of a block before they walk it. The rows of a block that come to the same branch by a
// total, or to the same leaf with totals, wait for each other there: a scorer (scorer.hpp) adds up many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "tables/coding.hpp"
#include "tables/scorer.hpp"

namespace budgetree {

enum class NodeKind : std::uint8_t { kBuy, kByResult, kByTotal, kLeaf };

// How far the highest total must be ahead of the next one: up to `never` it is not likely enough, from `always` on it
// is. In between, probabilities say.
struct LeadBounds {
    std::int64_t never, always;
};
LeadBounds lead_bounds(double confidence, std::size_t n_totals);

// Side k is from the k-th cut on and below the next; or, by confidence, side 0 where some class is likely enough.
// A single total is the score of the second of two classes, and that of the first is 0.
struct TotalSplit {
    std::int32_t scorer;
    std::vector<std::int64_t> cuts;
    double confidence = 0.0;  // 0: by cuts
    LeadBounds lead = {};     // by prepare

    std::size_t n_sides() const { return confidence > 0 ? 2 : cuts.size() + 1; }
};

// A node with all that a walk needs of it, side by side in memory.
struct Step {
    NodeKind kind;
    std::int32_t test, n_outcomes, rule;
    std::int64_t first, charge_at;
};
static_assert(sizeof(Step) == 32);

struct Route {
    std::span<const std::uint8_t> kind;
    std::span<const std::int32_t> test;
    std::span<const std::int64_t> first;
    std::span<const std::int32_t> children;
    std::span<const std::int64_t> charge_at;
    std::span<const std::int64_t> charges;
    std::span<const std::int32_t> rule;
    std::span<const std::int32_t> n_outcomes;  // per test
    std::vector<Scorer> scorers;
    std::vector<TotalSplit> splits;
    std::vector<Step> steps = {};                 // per node; by prepare
    std::vector<std::int32_t> scored_nodes = {};  // those that need totals, ascending; by prepare

    std::size_t widest() const;  // the most columns of a scorer
};

// What is wrong with the arrays; nullptr where no walk can leave them or go round in circles.
const char* find_fault(const Route& route);

// What a walk needs beside the arrays, once they have no fault.
void prepare(Route& route);

// A column per test, and for each row its leaf, what it spent, the first test with a result that is not listed (-1:
// none); where some leaf answers by totals, also these, row × widest, and which of them is the highest: of a single
// one, whether it is above 0.
struct Walks {
    std::span<const Cells> columns;
    std::span<std::int32_t> leaf;
    std::span<std::int64_t> spent;
    std::span<std::int32_t> unlisted;
    std::span<std::int64_t> totals;
    std::span<std::int64_t> highest;
};

// Fills all of it, as far as the clock lets it. False where some number was so large that its digits may be lost.
bool walk(const Route& route, const Walks& walks, Clock& clock, int n_threads);

// Totals in millionths as probabilities: the same bits everywhere (base/elementary.hpp).
void softmax(std::span<const std::int64_t> totals, std::span<double> probabilities);

}  // namespace budgetree
