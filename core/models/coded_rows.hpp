// Rows whose results are bytes: what forests and boosting learn from.
//
//     codes      test × row    a result per byte
//     labels     row           the class
//     weights    row           what the row counts for; empty where each counts 1
//     groups     row           those of one group are left out together; empty where each row is alone
//
// A result is unknown where its code is the test's `missing` or not below its n_outcomes. Both learners copy the tests
// of a set to a layout of their own, and write kUnknown there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace budgetree {

inline constexpr std::uint8_t kUnknown = 255;

using TestSet = std::vector<int>;

struct CodedTest {
    std::int32_t n_outcomes;
    std::int32_t missing;  // a code, or -1
    bool is_ordered;

    bool is_known(std::uint8_t code) const { return code < n_outcomes && code != missing; }
    // Whether kUnknown is none of its results; else all results are known.
    bool has_unknown() const { return n_outcomes < 256 || missing == kUnknown; }
};

// Views: who makes them keeps the arrays.
struct CodedRows {
    std::span<const std::uint8_t> codes;
    std::span<const std::int32_t> labels;
    std::span<const double> weights;
    std::vector<CodedTest> tests;
    int n_classes;
    std::span<const std::int32_t> groups;

    std::size_t n_rows() const { return labels.size(); }
    double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
    std::int32_t group(std::size_t row) const { return groups.empty() ? std::int32_t(row) : groups[row]; }
    const std::uint8_t* codes_of(int test) const { return codes.data() + std::size_t(test) * n_rows(); }
};

// What is wrong; nullptr where the arrays fit together.
const char* find_fault(const CodedRows& rows);

}  // namespace budgetree
