// IntegerImpurity: an impurity in whole numbers, as budgetree.impurity.impurities states it, and what growth asks of
// it.
//
//     kPowers       (Σ n)^power − Σ n^power
//     kHinge        Σ over i ≠ j of [[q n_i − p]₊ [q n_j − p]₊ − b]₊     b is p² or 0; Pairs is q = 1, p = 0
//     kPolynomial   Σ coefficient × Π n_i^exponent
//     kGini         n − Σ n_i² / n                  computed in floats
//     kEntropy      n ln n − Σ n_i ln n_i           computed in floats
//
// Each number is kept twice: as a float, for the vectors of impurity_simd.cpp, and whole, for settling what floats
// cannot. Fast because the float is all that is touched at nearly every node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "growth/big_uint.hpp"
#include "simd/impurity_simd.hpp"
#include "tables/counting.hpp"

namespace budgetree {

inline constexpr double kExact = 0x1p53;     // float64 holds every whole number up to here
inline constexpr double kHalfUlp = 0x1p-53;  // the relative error of one rounding
inline constexpr double kFloatTie = 1e-9;    // functions of floats tie when their R differ by less, relatively

using ClassWeights = std::span<const std::int64_t>;  // per class, in units

struct Term {
    BigUInt coefficient;
    std::vector<std::int32_t> exponents;  // per class
};

class IntegerImpurity {
public:
    static IntegerImpurity powers(int power, int n_classes);
    static IntegerImpurity hinge(const BigUInt& q, const BigUInt& p, bool subtracts_square, int n_classes);
    static IntegerImpurity pairs(int n_classes) { return hinge(BigUInt(1), BigUInt(), false, n_classes); }
    static IntegerImpurity polynomial(std::vector<Term> terms, int n_classes);
    static IntegerImpurity gini(int n_classes);
    static IntegerImpurity entropy(int n_classes);

    bool is_exact() const { return kind_ < ImpurityKind::kGini; }  // whole on whole counts

    double value(ClassWeights counts) const;
    BigUInt exact_value(ClassWeights counts) const;

    // How far a computed value may be off on sets of up to `total` units, times a factor: 0 where all fits into
    // float64.
    double error_bound(double total, double factor) const;

    // Whether a class of this weight can contribute: a hinge forgives those that are no larger than α.
    bool may_contribute(double weight) const { return kind_ != ImpurityKind::kHinge || q_ * weight > p_; }

    ImpurityNumbers numbers() const;

    // Impurities of every outcome of every test at a node.
    void fill(const CountedNode& node, const CountedNode& contributing, const ImpuritiesOut& out) const;

private:
    IntegerImpurity(ImpurityKind kind, int n_classes, double roundings)
        : kind_(kind), n_classes_(n_classes), roundings_(roundings) {}
    double largest(double total) const;
    void fill_entropy(const CountedNode& node, const ImpuritiesOut& out) const;

    ImpurityKind kind_;
    int n_classes_;
    double roundings_;  // bounds the float operations behind one value
    int power_ = 0;
    double q_ = 1.0, p_ = 0.0, b_ = 0.0;
    BigUInt exact_q_, exact_p_, exact_b_;
    std::vector<Term> terms_;
    std::vector<double> coefficients_;
    std::vector<std::int32_t> exponents_;
};

// What no impurity changes: per test, what it leaves wrong and the weight of its largest outcome.
struct Facts {
    std::vector<double> wrong, largest;

    Facts() = default;
    explicit Facts(const RowLayout& layout) : wrong(layout.n_lanes()), largest(layout.n_lanes()) {}
};

template <typename Count>
CountedNode counted_node(const RowLayout& layout, const NodeCounts<Count>& counts, const ClassList& classes) {
    return {layout.shape(),       counts.cells(), layout.is_weighted(),
            counts.class_cells(), classes.data(), int(classes.size())};
}

}  // namespace budgetree
