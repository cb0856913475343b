// What the forests of a call share, and the codes of one set's tests.
//
//     order      row            the rows class by class: below and in forest.cpp a row is its index here
//     parts      group × row    the part that leaves the row out
//     records    row × lane     a byte per test of the set: 8 lanes, or as many vectors of 16 as it takes
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/coded_rows.hpp"
#include "models/forest.hpp"

namespace budgetree {

inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kHalf = kLanes / 2;  // a set of at most so many tests has two records in a vector
inline constexpr std::uint64_t kHashStride = 0x9e3779b97f4a7c15;

inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// 0 to n - 1.
inline std::uint32_t draw(std::uint64_t hash, std::uint32_t n) {
    return std::uint32_t(((hash >> 32) * n) >> 32);
}

struct ForestSample {
    explicit ForestSample(const ForestRequest& request);

    const CodedRows& rows;
    std::size_t n_rows;
    const ForestSettings& settings;
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> labels;
    std::vector<double> weights;  // empty where each counts 1
    std::vector<double> prior;    // per class
    std::vector<std::uint8_t> parts;
};

struct Records {
    Records(const ForestSample& sample, const TestSet& tests);

    bool is_narrow() const { return stride == kHalf; }

    const TestSet& tests;
    std::size_t stride;
    std::vector<std::uint8_t> codes;
    std::vector<std::uint8_t> is_ordered;  // per lane
    std::vector<std::uint8_t> unknown;     // per lane: 1 where a row's result is unknown; of 8 lanes twice
    bool has_unknown = false;
};

}  // namespace budgetree
