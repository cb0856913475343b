#include "growth/impurity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simd/processor.hpp"

namespace budgetree {
namespace {

double x_log_x(double x) {
    return x > 0.0 ? x * std::log(x) : 0.0;
}

double cell_of(const CountedNode& node, int c, std::size_t cell) {
    const std::size_t place = c * node.class_cells + cell;
    if (node.is_weighted) return static_cast<const double*>(node.cells)[place];
    return double(static_cast<const std::uint32_t*>(node.cells)[place]);
}

double float_power(double base, int exponent) {
    double result = 1.0;
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
}

}  // namespace

IntegerImpurity IntegerImpurity::powers(int power, int n_classes) {
    IntegerImpurity impurity(ImpurityKind::kPowers, n_classes, 4.0 * (power + n_classes + 2));
    impurity.power_ = power;
    return impurity;
}

IntegerImpurity IntegerImpurity::hinge(const BigUInt& q, const BigUInt& p, bool subtracts_square, int n_classes) {
    IntegerImpurity impurity(ImpurityKind::kHinge, n_classes, 4.0 * (double(n_classes) * n_classes + 4));
    impurity.exact_q_ = q;
    impurity.exact_p_ = p;
    impurity.exact_b_ = subtracts_square ? p * p : BigUInt();
    impurity.q_ = q.as_double();
    impurity.p_ = p.as_double();
    impurity.b_ = impurity.exact_b_.as_double();
    return impurity;
}

IntegerImpurity IntegerImpurity::polynomial(std::vector<Term> terms, int n_classes) {
    int degree = 0;
    IntegerImpurity impurity(ImpurityKind::kPolynomial, n_classes, 0.0);
    for (const Term& term : terms) {
        int sum = 0;
        for (const int exponent : term.exponents) sum += exponent;
        degree = std::max(degree, sum);
        impurity.coefficients_.push_back(term.coefficient.as_double());
        impurity.exponents_.insert(impurity.exponents_.end(), term.exponents.begin(), term.exponents.end());
    }
    impurity.roundings_ = 4.0 * (degree + double(terms.size()) + 2);
    impurity.terms_ = std::move(terms);
    return impurity;
}

IntegerImpurity IntegerImpurity::gini(int n_classes) {
    return IntegerImpurity(ImpurityKind::kGini, n_classes, 0.0);
}

IntegerImpurity IntegerImpurity::entropy(int n_classes) {
    return IntegerImpurity(ImpurityKind::kEntropy, n_classes, 0.0);
}

ImpurityNumbers IntegerImpurity::numbers() const {
    return {kind_, power_, q_, p_, b_, int(terms_.size()), n_classes_, coefficients_.data(), exponents_.data()};
}

double IntegerImpurity::largest(double total) const {
    switch (kind_) {
        case ImpurityKind::kPowers:
            return float_power(total, power_);
        case ImpurityKind::kHinge:
            return std::max((q_ * total) * (q_ * total), b_);
        case ImpurityKind::kPolynomial: {
            double sum = 0.0;
            for (std::size_t term = 0; term < terms_.size(); ++term) {
                int degree = 0;
                for (const int exponent : terms_[term].exponents) degree += exponent;
                sum += coefficients_[term] * float_power(std::max(total, 1.0), degree);
            }
            return sum;
        }
        default:
            return 0.0;
    }
}

double IntegerImpurity::error_bound(double total, double factor) const {
    if (!is_exact()) return 0.0;
    const double most = largest(total) * factor;
    return most <= kExact ? 0.0 : roundings_ * kHalfUlp * most;
}

double IntegerImpurity::value(ClassWeights counts) const {
    double total = 0.0, first = 0.0, second = 0.0;
    for (const std::int64_t count : counts) total += double(count);
    switch (kind_) {
        case ImpurityKind::kPowers:
            for (const std::int64_t count : counts) first += float_power(double(count), power_);
            return float_power(total, power_) - first;
        case ImpurityKind::kHinge:
            for (std::size_t i = 0; i < counts.size(); ++i) {
                const double x = q_ * double(counts[i]) - p_;
                if (x <= 0.0) continue;
                if (b_ == 0.0) {
                    first += x;
                    second += x * x;
                    continue;
                }
                for (std::size_t j = 0; j < i; ++j) {
                    const double excess = x * std::max(q_ * double(counts[j]) - p_, 0.0) - b_;
                    first += excess > 0.0 ? 2.0 * excess : 0.0;
                }
            }
            return b_ == 0.0 ? first * first - second : first;
        case ImpurityKind::kPolynomial:
            for (std::size_t term = 0; term < terms_.size(); ++term) {
                double product = coefficients_[term];
                for (std::size_t c = 0; c < counts.size(); ++c) {
                    product *= float_power(double(counts[c]), terms_[term].exponents[c]);
                }
                first += product;
            }
            return first;
        case ImpurityKind::kGini:
            for (const std::int64_t count : counts) first += double(count) * double(count);
            return total > 0.0 ? total - first / total : 0.0;
        case ImpurityKind::kEntropy:
            first = x_log_x(total);
            for (const std::int64_t count : counts) first -= x_log_x(double(count));
            return first;
    }
    return 0.0;
}

BigUInt IntegerImpurity::exact_value(ClassWeights counts) const {
    BigUInt sum;
    if (kind_ == ImpurityKind::kPowers) {
        std::uint64_t total = 0;
        for (const std::int64_t count : counts) {
            total += std::uint64_t(count);
            sum += power(std::uint64_t(count), power_);
        }
        return power(total, power_) - sum;
    }
    if (kind_ == ImpurityKind::kPolynomial) {
        for (const Term& term : terms_) {
            BigUInt product = term.coefficient;
            for (std::size_t c = 0; c < counts.size(); ++c) {
                product = product * power(std::uint64_t(counts[c]), term.exponents[c]);
            }
            sum += product;
        }
        return sum;
    }
    std::vector<BigUInt> above;  // what each class has beyond the hinge
    for (const std::int64_t count : counts) {
        BigUInt x = excess(exact_q_ * BigUInt(std::uint64_t(count)), exact_p_);
        if (x.is_zero()) continue;
        for (const BigUInt& y : above) sum += excess(x * y, exact_b_);
        above.push_back(x);
    }
    return sum + sum;
}

void IntegerImpurity::fill(const CountedNode& node, const CountedNode& contributing, const ImpuritiesOut& out) const {
    if (kind_ == ImpurityKind::kEntropy) return fill_entropy(node, out);
    static const auto impurities = impurity_functions().impurities;
    impurities(node, contributing, numbers(), out);
}

void IntegerImpurity::fill_entropy(const CountedNode& node, const ImpuritiesOut& out) const {
    for (int group = 0; group < node.shape.n_groups; ++group) {
        for (int lane = 0; lane < kGroup; ++lane) {
            double kept = 0.0;
            for (int level = 0; level < node.shape.n_levels[group]; ++level) {
                const std::size_t cell = node.shape.cells_before[group] + level * kGroup + lane;
                double total = 0.0, logs = 0.0;
                for (int i = 0; i < node.n_classes; ++i) {
                    const double count = cell_of(node, node.classes[i], cell);
                    total += count;
                    logs += x_log_x(count);
                }
                const double value = x_log_x(total) - logs;
                kept = out.is_mean ? kept + total * value : std::max(kept, value);
                if (out.total != nullptr) {
                    out.each[cell] = value;
                    out.total[cell] = total;
                }
            }
            out.kept[group * kGroup + lane] = kept;
        }
    }
}

}  // namespace budgetree
