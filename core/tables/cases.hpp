// Cases: the known cases as they come from Python, not copied. The caller keeps the arrays alive.
//
//     codes     case × test, a byte each: the outcome
//     labels    per case: the class
//     weights   per case: how many units it counts; empty where each counts one. Cases of weight 0 are left out before
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace budgetree {

struct Cases {
    std::span<const std::uint8_t> codes;
    std::span<const std::int32_t> labels;
    std::span<const std::int64_t> weights;
    std::vector<std::int32_t> n_outcomes;  // per test
    int n_classes = 0;

    std::size_t size() const { return labels.size(); }
    int n_tests() const { return int(n_outcomes.size()); }
    const std::uint8_t* row(std::size_t number) const { return codes.data() + number * n_outcomes.size(); }
    std::int64_t weight(std::size_t number) const { return weights.empty() ? 1 : weights[number]; }
};

}  // namespace budgetree
