// Extremely randomised forests on sets of tests, and how they judge each row by the trees that have not seen it.
//
//     trees      group × part     the rows are dealt into parts, anew for each group; a tree learns from all but one.
//                                 Rows of one group of the table are in one part
//     in bag     row × lane       codes of the rows that a tree learns from, one byte per test of the set: a record.
//                                 Within a node they lie class by class, so a class is counted by adding up its bytes
//     out        row              numbers of the rows of the part left out
//     votes      row × (1 + p)    the sum of squared errors, and of probabilities by class (of two classes the second)
//
// A tree counts classes and nothing else. It tries one random cut per ordered test, between the least and the largest
// code in the node, others where none of them leaves enough rows on either side, and for a nominal test the best code
// against all others. A row of unknown result does not count for the cut. In bag such rows go to both sides as the
// known ones of their class do, and left out by chance, as many to each side as in bag: on average over the trees they
// are judged as if the test had not been done.
//
// Cuts are drawn by a hash of tree, node and test: a set's trees depend on nothing else, and sets with tests in common
// have cuts in common. Threads take whole sets, so the numbers do not depend on how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "models/coded_rows.hpp"

namespace budgetree {

struct ForestSettings {
    int n_trees = 24;
    int n_parts = 2;        // per group of trees
    double min_leaf = 5.0;  // weight of known results on each side of a cut
    int max_depth = 20;
    double smooth = 1.0;  // rows of the parent's probabilities that are added to a node's
    std::uint64_t salt = 0;

    int n_groups() const { return n_trees / n_parts; }
};

// What is wrong; nullptr where a forest can be grown.
const char* find_fault(const ForestSettings& settings);

// Of a table the first n_rows rows, and the sets of tests that forests are grown on.
struct ForestRequest {
    const CodedRows& rows;
    std::size_t n_rows;
    const ForestSettings& settings;
};

// Set × row: the Brier loss of an infinite forest, estimated over pairs of trees that have not seen the row; of no test
// the loss of the classes' shares. Nothing where the clock was over first.
std::optional<std::vector<float>> forest_losses(const ForestRequest& request, std::span<const TestSet> sets,
                                                int n_threads, Clock& clock);

// Row × class: the mean probability by the trees that have not seen the row; nothing where the clock was over first.
std::optional<std::vector<float>> forest_probabilities(const ForestRequest& request, const TestSet& tests,
                                                       Clock& clock);

}  // namespace budgetree
