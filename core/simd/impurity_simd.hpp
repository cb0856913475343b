// What impurity_simd.cpp offers: facts and impurities of all outcomes of all tests, 16 tests side by side.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/packing_simd.hpp"

namespace budgetree {

enum class ImpurityKind : int { kPowers = 1, kHinge, kPolynomial, kGini, kEntropy };

// A form's numbers in floats; impurity.hpp says what they mean.
struct ImpurityNumbers {
    ImpurityKind kind;
    int power;                      // kPowers
    double q, p, b;                 // kHinge
    int n_terms, n_classes;         // kPolynomial: per term a coefficient and an exponent for each class
    const double* coefficients;     // per term
    const std::int32_t* exponents;  // term × class
};

// The counts of a node and the classes in them that matter.
struct CountedNode {
    RowShape shape;
    const void* cells;  // uint32 or, where cases have weights, double
    bool is_weighted;
    std::size_t class_cells;
    const std::int32_t* classes;  // that it has
    int n_classes;
};

// Per test; the last group is filled up.
struct FactsOut {
    double* wrong;    // what its outcomes get wrong as leaves, together
    double* largest;  // the weight of its largest outcome: all there is, if the test does not split
};

struct ImpuritiesOut {
    double* kept;          // per test: the largest impurity of an outcome, or the sum of weight × impurity
    bool is_mean;          // which of both
    double *each, *total;  // per cell: impurity and weight; null if not needed
};

struct ImpurityFunctions {
    void (*facts)(const CountedNode& node, const FactsOut& out);
    // Any kind but entropy. `contributing` has the classes that can contribute.
    void (*impurities)(const CountedNode& node, const CountedNode& contributing, const ImpurityNumbers& form,
                       const ImpuritiesOut& out);
};
const ImpurityFunctions& impurity_functions();

}  // namespace budgetree
