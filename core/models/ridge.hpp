// Ridge regression of classes on a set of tests, and how it would judge each case had the case been left out.
//
//     codes      test × case         an outcome per byte
//     basis      outcome × column    per test: what the model sees of an outcome
//
// Cases that agree on all tests of a set are one pattern to its model: what is summed over is patterns, each with the
// weight of its cases by class, and a table of few outcomes has few of them. A pattern's columns are an entry each of
// the design, column × pattern, whose first column is the intercept's ones.
//
// Two classes: logistic, one Newton step after another. More: one class's block at a time, round and round, with the
// normaliser summed again each time (updating it cancels to zero where a class takes over). Threads take whole sets, so
// the numbers do not depend on how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace budgetree {

struct RidgeSettings {
    double ridge = 1.0;
    double intercept_ridge = 0.001;
    int max_sweeps = 12;
    double max_step = 2.0;
    double tolerance = 0.03;  // a sweep that moves no coefficient by more is the last
    double max_score = 30.0;
    double min_curvature = 1e-6;  // per case, so that separated classes keep a Hessian
    double min_left = 0.05;       // of 1 − p (1 − p) h: a case that determines its own score alone
};

struct OutcomeColumns {
    std::vector<double> values;  // outcome × column
    std::size_t width;

    std::size_t n_outcomes(std::size_t otherwise) const { return width == 0 ? otherwise : values.size() / width; }
};

// Views: the caller keeps the arrays.
struct RidgeCases {
    std::span<const std::uint8_t> codes;
    std::span<const std::int32_t> labels;
    std::span<const double> weights;  // all above 0
    std::vector<OutcomeColumns> bases;
    int n_classes;

    std::size_t n_cases() const { return labels.size(); }
};

// What is wrong; nullptr where every code has its columns.
const char* find_fault(const RidgeCases& cases);

struct RidgeFit {
    std::vector<double> coefficients;  // class × column, the intercept first
    std::vector<float> losses;         // per case, the Brier loss of its honest probabilities
};

using TestSet = std::vector<int>;

// Per set its model; nothing where the clock was over first.
std::optional<std::vector<RidgeFit>> fit_ridges(const RidgeCases& cases, std::span<const TestSet> sets, int n_threads,
                                                Clock& clock);

struct HonestRidge {
    std::vector<double> coefficients;   // class × column, the intercept first
    std::vector<double> probabilities;  // case × class, by the model without the case
};

HonestRidge fit_honest_ridge(const RidgeCases& cases, const TestSet& tests);

}  // namespace budgetree
