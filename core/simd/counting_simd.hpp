// What counting_simd.cpp offers: one class of a node, 16 or 32 tests at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/packing_simd.hpp"

namespace budgetree {

// Up to 255 rows of one class.
struct Strip {
    const std::uint8_t* first;
    std::size_t row_bytes;
    int n_rows;
    bool is_first;  // of its class: the cells are overwritten
};

// Some rows in which to look for a test that separates all classes; row i is of the class that ends at class_end[i].
struct FewRows {
    static constexpr int kMax = 16;
    const std::uint8_t* rows[kMax];
    int class_end[kMax];
    int n_rows;
};

// What the compiled variants of counting_simd.cpp offer.
struct CountingFunctions {
    void (*count_strip)(const Strip& strip, const RowShape& shape, std::uint32_t* cells);
    // Sets the bits of a test in `agree` (as in a row) where two rows of different classes show the same outcome.
    void (*find_agreeing)(const FewRows& few, const RowShape& shape, std::uint8_t* agree);
};
const CountingFunctions& counting_functions();

}  // namespace budgetree
