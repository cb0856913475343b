// What packing_simd.cpp offers, and the shape of a row that every *_simd.cpp file reads; packed_table.hpp draws it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace budgetree {

inline constexpr int kGroup = 16;           // tests, side by side in counts and scores
inline constexpr int kBlockBytes = 16;      // of a row: two groups of four bits, or one of bytes
inline constexpr int kHalfByteLevels = 16;  // outcomes that four bits can tell apart

// Where the codes of a row lie, and the cells of its counts. Plain pointers, because the *_simd.cpp files read it too.
struct RowShape {
    int n_groups = 0;
    bool is_packed = false;                     // four bits per test
    const std::int32_t* n_levels = nullptr;     // per group, the most outcomes of its tests
    const std::size_t* cells_before = nullptr;  // per group, where its cells begin; [n_groups] is their number

    [[gnu::always_inline]] int n_blocks() const { return is_packed ? (n_groups + 1) / 2 : n_groups; }
};

// Some cases one after another, to be packed; `codes` may be read for 32 bytes beyond the last.
struct CasesToPack {
    const std::uint8_t* codes;
    int n_tests;
    const std::int32_t* labels;
    std::int64_t n_cases;
    std::size_t row_bytes;
};

// What the compiled variants of table_simd.cpp offer.
struct PackingFunctions {
    // Each case goes to where the next row of its class is to be.
    void (*pack)(const CasesToPack& cases, std::uint8_t** next_of_class);
};
const PackingFunctions& packing_functions();

}  // namespace budgetree
