// The sums of ridge regression, four patterns at once.
//
//     columns    column × pattern    doubles; the patterns are filled up with zeros to a multiple of kPatternLanes
//
// Sums run over four lanes that are added up in one order at the end: every processor gets the same numbers.
#pragma once

#include <cstddef>

#include "simd/processor.hpp"

namespace budgetree {

inline constexpr std::size_t kPatternLanes = 8;

// Columns of equal length, one after another.
struct Columns {
    const double* values;
    std::size_t n_columns;
    std::size_t length;  // a multiple of kPatternLanes
};

struct RidgeKernels {
    // gram[j][k] = Σ weight · column j · column k for k ≤ j; `scaled` has room for one column.
    void (*gram)(const Columns& columns, const double* weight, double* scaled, double* gram);
    // into[j] = Σ column j · vector
    void (*project)(const Columns& columns, const double* vector, double* into);
    // scores[pattern] = Σ coefficient j · column j
    void (*score)(const Columns& columns, const double* coefficients, double* scores);
    // into[pattern] = |L⁻¹ z|², with z the pattern's columns and L lower triangular; `solved` has room for
    // n_columns × kPatternLanes.
    void (*leverage)(const Columns& columns, const double* triangle, double* solved, double* into);
};

const RidgeKernels& ridge_kernels();

}  // namespace budgetree
