// Facts and impurities of many sets side by side. Compiled once per kind of processor.
//
// Every loop runs over the cells of one group: outcome by outcome, class by class, 16 tests in four vectors of floats
// that stay in registers. Floats are exact as long as nothing passes 2^53; choice.cpp knows when something does.
#include "simd/impurity_simd.hpp"

#include "cost/leaf.hpp"
#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

constexpr int kParts = 4;
using Doubles [[gnu::vector_size(32)]] = double;
using Ints [[gnu::vector_size(16)]] = std::int32_t;
static_assert(kParts * sizeof(Doubles) == kGroup * sizeof(double));

// Four floats from cells; counts of cases stay far below 2^31.
[[gnu::always_inline]] inline Doubles load_cells(const double* cells) {
    return load<Doubles>(cells);
}
[[gnu::always_inline]] inline Doubles load_cells(const std::uint32_t* cells) {
    return __builtin_convertvector(load<Ints>(cells), Doubles);
}
[[gnu::always_inline]] inline Doubles larger(const Doubles& a, const Doubles& b) {
    return a > b ? a : b;
}
[[gnu::always_inline]] inline Doubles positive(const Doubles& a) {
    return larger(a, Doubles{});
}
[[gnu::always_inline]] inline Doubles power_of(const Doubles& base, int exponent) {
    // Repeated multiplication is exact as long as the result is, which pow() does not promise.
    Doubles result = base;
    for (int i = 1; i < exponent; ++i) result *= base;
    return result;
}

// The same four tests and outcome in every class.
template <typename Count>
struct Column {
    const Count* first;
    std::size_t class_cells;
    const std::int32_t* classes;
    int n_classes;

    [[gnu::always_inline]] Doubles at(int i) const { return load_cells(first + classes[i] * class_cells); }
    [[gnu::always_inline]] Doubles sum() const {
        Doubles total = {};
        for (int i = 0; i < n_classes; ++i) total += at(i);
        return total;
    }
};

// Each form is a struct with a value for a column. q² (Σn)² − q² Σn²: all ordered pairs, without a hinge.
struct Pairs {
    template <typename Count>
    [[gnu::always_inline]] static Doubles value(const Column<Count>& column, const ImpurityNumbers& form) {
        Doubles total = {}, squares = {};
        for (int i = 0; i < column.n_classes; ++i) {
            const Doubles n = column.at(i);
            total += n;
            squares += n * n;
        }
        return (form.q * form.q) * (total * total - squares);
    }
};

// Without a subtraction inside, all ordered pairs together are (Σx)² − Σx².
struct HingedProducts {
    template <typename Count>
    [[gnu::always_inline]] static Doubles value(const Column<Count>& column, const ImpurityNumbers& form) {
        Doubles total = {}, squares = {};
        for (int i = 0; i < column.n_classes; ++i) {
            const Doubles x = positive(form.q * column.at(i) - form.p);
            total += x;
            squares += x * x;
        }
        return total * total - squares;
    }
};

struct HingedPairs {
    template <typename Count>
    [[gnu::always_inline]] static Doubles value(const Column<Count>& column, const ImpurityNumbers& form) {
        Doubles sum = {};
        for (int i = 1; i < column.n_classes; ++i) {
            const Doubles x = positive(form.q * column.at(i) - form.p);
            for (int j = 0; j < i; ++j) {
                sum += 2.0 * positive(x * positive(form.q * column.at(j) - form.p) - form.b);
            }
        }
        return sum;
    }
};

struct Powers {
    template <typename Count>
    [[gnu::always_inline]] static Doubles value(const Column<Count>& column, const ImpurityNumbers& form) {
        Doubles total = {}, powers = {};
        for (int i = 0; i < column.n_classes; ++i) {
            const Doubles n = column.at(i);
            total += n;
            powers += power_of(n, form.power);
        }
        return power_of(total, form.power) - powers;
    }
};

struct Polynomial {
    template <typename Count>
    [[gnu::always_inline]] static Doubles value(const Column<Count>& column, const ImpurityNumbers& form) {
        Doubles sum = {};
        for (int term = 0; term < form.n_terms; ++term) {
            const std::int32_t* exponents = form.exponents + term * form.n_classes;
            Doubles product = Doubles{} + form.coefficients[term];
            int missing = 0;  // classes of the term that the node lacks: then the term is 0
            for (int c = 0; c < form.n_classes; ++c) missing += exponents[c] > 0;
            for (int i = 0; i < column.n_classes; ++i) {
                const int exponent = exponents[column.classes[i]];
                if (exponent == 0) continue;
                --missing;
                product *= power_of(column.at(i), exponent);
            }
            if (missing == 0) sum += product;
        }
        return sum;
    }
};

struct Gini {
    template <typename Count>
    [[gnu::always_inline]] static Doubles value(const Column<Count>& column, const ImpurityNumbers&) {
        Doubles total = {}, squares = {};
        for (int i = 0; i < column.n_classes; ++i) {
            const Doubles n = column.at(i);
            total += n;
            squares += n * n;
        }
        return total > 0.0 ? total - squares / larger(total, Doubles{} + 1e-300) : Doubles{};
    }
};

template <typename Count>
[[gnu::always_inline]] inline Column<Count> column_at(const CountedNode& node, std::size_t cell) {
    return {static_cast<const Count*>(node.cells) + cell, node.class_cells, node.classes, node.n_classes};
}

template <typename IntegerImpurity, typename Count>
void impurities_of(const CountedNode& node, const CountedNode& contributing, const ImpurityNumbers& form,
                   const ImpuritiesOut& out) {
    const RowShape& shape = node.shape;
    for (int group = 0; group < shape.n_groups; ++group) {
        for (int part = 0; part < kParts; ++part) {
            Doubles kept = {};
            const std::size_t first = shape.cells_before[group] + part * 4;
            for (int level = 0; level < shape.n_levels[group]; ++level) {
                const std::size_t cell = first + level * kGroup;
                const Doubles value = IntegerImpurity::value(column_at<Count>(contributing, cell), form);
                if (!out.is_mean && out.total == nullptr) {
                    kept = larger(value, kept);
                    continue;
                }
                const Doubles total = column_at<Count>(node, cell).sum();
                kept = out.is_mean ? kept + total * value : larger(value, kept);
                if (out.total != nullptr) {
                    store(value, out.each + cell);
                    store(total, out.total + cell);
                }
            }
            store(kept, out.kept + group * kGroup + part * 4);
        }
    }
}

template <typename IntegerImpurity>
void impurities_by(const CountedNode& node, const CountedNode& contributing, const ImpurityNumbers& form,
                   const ImpuritiesOut& out) {
    if (node.is_weighted) {
        impurities_of<IntegerImpurity, double>(node, contributing, form, out);
    } else {
        impurities_of<IntegerImpurity, std::uint32_t>(node, contributing, form, out);
    }
}

void impurities(const CountedNode& node, const CountedNode& contributing, const ImpurityNumbers& form,
                const ImpuritiesOut& out) {
    switch (form.kind) {
        case ImpurityKind::kHinge:
            if (form.p == 0.0) return impurities_by<Pairs>(node, contributing, form, out);
            if (form.b > 0.0) return impurities_by<HingedPairs>(node, contributing, form, out);
            return impurities_by<HingedProducts>(node, contributing, form, out);
        case ImpurityKind::kPowers:
            return impurities_by<Powers>(node, contributing, form, out);
        case ImpurityKind::kPolynomial:
            return impurities_by<Polynomial>(node, contributing, form, out);
        case ImpurityKind::kGini:
            return impurities_by<Gini>(node, contributing, form, out);
        case ImpurityKind::kEntropy:
            return;
    }
}

template <typename Count>
void facts_of(const CountedNode& node, const FactsOut& out) {
    const RowShape& shape = node.shape;
    for (int group = 0; group < shape.n_groups; ++group) {
        for (int part = 0; part < kParts; ++part) {
            Doubles wrong = {}, largest = {};
            const std::size_t first = shape.cells_before[group] + part * 4;
            for (int level = 0; level < shape.n_levels[group]; ++level) {
                const auto column = column_at<Count>(node, first + level * kGroup);
                Misclassified<Doubles> leaf = {};
                for (int i = 0; i < column.n_classes; ++i) leaf.add(column.at(i));
                wrong += leaf.value();
                largest = larger(leaf.total, largest);
            }
            store(wrong, out.wrong + group * kGroup + part * 4);
            store(largest, out.largest + group * kGroup + part * 4);
        }
    }
}

void facts(const CountedNode& node, const FactsOut& out) {
    node.is_weighted ? facts_of<double>(node, out) : facts_of<std::uint32_t>(node, out);
}

}  // namespace

extern const ImpurityFunctions impurity;
const ImpurityFunctions impurity = {&facts, &impurities};

}  // namespace budgetree::BUDGETREE_SIMD
