// Boosting from given scores: one tree per round for all classes, and how the models judge rows that they left out.
//
//     scores     row × column    two classes: one column, the log odds of the second; else a column per class
//     parts      row             the model that leaves the row out; -1: none does
//     models     part            each learns from the rows of all other parts; all advance round by round together
//
// The log loss of the rows left out says how many rounds are good. Gradients are rounded to whole numbers, so that
// their sums are exact: a histogram is the same in whatever order its rows are added, and whether it was added up or is
// the parent's without the sibling's. Threads take whole parts. So nothing depends on threads or processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "models/coded_rows.hpp"

namespace budgetree {

struct BoostingSettings {
    int n_leaves = 12;
    double rate = 0.15;
    double ridge = 1.0;  // the λ of the leaves' values
    int min_leaf = 10;   // rows
    int max_rounds = 400;
    int patience = 20;    // rounds without a lower loss
    bool refits = false;  // one more model of all rows, with as many rounds

    static constexpr int kMaxBins = 64;                // of an ordered test
    static constexpr double kLeastGain = 1e-3;         // of a cut
    static constexpr double kLeastImprovement = 1e-5;  // of the mean log loss
    static constexpr double kLeastCurvature = 1e-6;    // of a row
};

// What is wrong; nullptr where a model can be fitted.
const char* find_fault(const BoostingSettings& settings);

struct BoostingRequest {
    const CodedRows& rows;
    const TestSet& tests;
    std::span<const double> start;  // row × column
    std::span<const std::int32_t> parts;
    const BoostingSettings& settings;

    std::size_t n_columns() const { return rows.n_classes == 2 ? 1 : std::size_t(rows.n_classes); }
};

const char* find_fault(const BoostingRequest& request);

// The trees of a model, one after another; children are numbers of nodes.
struct BoostedTrees {
    std::size_t n_columns = 1;
    std::vector<std::int32_t> tree_start;  // per tree its root, and the number of nodes
    std::vector<std::int32_t> test;        // index within the set; -1: leaf
    std::vector<std::uint8_t> cut;         // code ≤ cut goes left; of a nominal test code = cut
    std::vector<std::uint8_t> is_nominal;
    std::vector<std::int32_t> left, right;
    std::vector<std::uint8_t> default_left;  // where an unknown result goes
    std::vector<double> value;               // node × column: what a leaf adds to the scores
};

struct Boosted {
    int n_rounds = 0;
    std::vector<double> losses;        // mean log loss of the rows left out: at the start, and after each round
    std::vector<double> scores;        // row × column after n_rounds; not a number where no model leaves the row out
    std::vector<BoostedTrees> models;  // per part
    std::optional<BoostedTrees> refit;
};

// Nothing where the clock was over first.
std::optional<Boosted> boost(const BoostingRequest& request, int n_threads, Clock& clock);

}  // namespace budgetree
