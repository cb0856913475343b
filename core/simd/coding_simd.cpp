// Coding: numbers are compared with cuts, many at a time. Compiled once per kind of processor.
#include "simd/coding_simd.hpp"

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

using Doubles [[gnu::vector_size(32)]] = double;
using Longs [[gnu::vector_size(32)]] = std::int64_t;

using Quarter [[gnu::vector_size(4)]] = std::uint8_t;

constexpr int kLanes = 4, kVectors = 4;  // of a step: 16 numbers
constexpr int kStep = kLanes * kVectors;
constexpr int kSideBySide = 8;  // searches whose halvings do not wait for each other

// A comparison's lanes are -1 where it holds.
[[gnu::always_inline]] inline void code_step(const double* numbers, const CutsView& view, std::uint8_t* codes) {
    Doubles x[kVectors];
    Longs position[kVectors];
    for (int v = 0; v < kVectors; ++v) {
        x[v] = load<Doubles>(numbers + v * kLanes);
        position[v] = Longs{};
    }
    for (std::int32_t cut = 0; cut < view.n_cuts; ++cut) {
        const double at = view.cuts[cut];
        for (int v = 0; v < kVectors; ++v) position[v] -= x[v] >= Doubles{at, at, at, at};
    }
    const std::int64_t missing = view.missing;
    for (int v = 0; v < kVectors; ++v) {
        if (!view.is_position) {
            for (int lane = 0; lane < kLanes; ++lane) position[v][lane] = view.codes[position[v][lane]];
        }
        const Longs is_nan = x[v] != x[v];
        position[v] = (position[v] & ~is_nan) | (Longs{missing, missing, missing, missing} & is_nan);
        store(__builtin_convertvector(position[v], Quarter), codes + v * kLanes);
    }
}

template <int N>
[[gnu::always_inline]] inline void search_step(const double* numbers, const CutsView& view, std::uint8_t* codes) {
    std::int64_t position[N] = {};
    for (std::int64_t half = (std::int64_t(1) << view.n_halvings) / 2; half > 0; half /= 2) {
        for (int i = 0; i < N; ++i) {
            position[i] += view.cuts[position[i] + half - 1] <= numbers[i] ? half : 0;
        }
    }
    for (int i = 0; i < N; ++i) {
        codes[i] = numbers[i] == numbers[i] ? view.codes[position[i]] : view.missing;
    }
}

void code(const double* numbers, std::int64_t n, const CutsView& cuts, std::uint8_t* codes) {
    const CutsView view = cuts;  // a copy, which writing bytes cannot change
    std::int64_t i = 0;
    if (view.n_cuts <= kFewCuts) {
        for (; i + kStep <= n; i += kStep) code_step(numbers + i, view, codes + i);
    } else {
        for (; i + kSideBySide <= n; i += kSideBySide) search_step<kSideBySide>(numbers + i, view, codes + i);
    }
    for (; i < n; ++i) search_step<1>(numbers + i, view, codes + i);
}

bool has_large(const double* numbers, std::int64_t n, double limit) {
    const Doubles most = {limit, limit, limit, limit};
    Longs found = {};
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const Doubles x = load<Doubles>(numbers + i);
        found |= (x >= most) | (x <= -most);
    }
    bool is_found = (found[0] | found[1] | found[2] | found[3]) != 0;
    for (; i < n; ++i) is_found |= numbers[i] >= limit || numbers[i] <= -limit;
    return is_found;
}

}  // namespace

extern const CodingFunctions coding;
const CodingFunctions coding = {&code, &has_large};

}  // namespace budgetree::BUDGETREE_SIMD
