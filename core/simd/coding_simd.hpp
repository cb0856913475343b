// What coding_simd.cpp offers: how many of some ascending cuts are at most as large as each of some numbers.
#pragma once

#include <cstdint>

namespace budgetree {

inline constexpr int kFewCuts = 16;  // are all compared; more are halved

// Codes of numbers by cuts; coding.hpp draws them. Plain pointers, because the *_simd.cpp file reads it too.
struct CutsView {
    const double* cuts;  // NaN behind the last, up to 2^n_halvings - 1
    std::int32_t n_cuts;
    std::int32_t n_halvings;
    const std::uint8_t* codes;  // by how many cuts are at most as large
    std::uint8_t missing;       // the code of NaN
    bool is_position;           // codes are 0, 1, 2, …
};

// What the compiled variants of coding_simd.cpp offer.
struct CodingFunctions {
    void (*code)(const double* numbers, std::int64_t n, const CutsView& cuts, std::uint8_t* codes);
    // Whether some number is at least as large as the limit, or that far below 0; NaN is not.
    bool (*has_large)(const double* numbers, std::int64_t n, double limit);
};
const CodingFunctions& coding_functions();

}  // namespace budgetree
