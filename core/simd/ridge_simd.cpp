// Compiled once per kind of processor: see vectors.hpp.
#include "simd/ridge_simd.hpp"

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

constexpr int kLanes = 4;
constexpr int kAtOnce = 4;  // columns: their sums stay in registers
using Doubles [[gnu::vector_size(32)]] = double;
static_assert(kPatternLanes == 2 * kLanes);

[[gnu::always_inline]] inline double add_up(const Doubles& lanes) {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// Σ left · column for N columns that follow one another.
template <int N>
[[gnu::always_inline]] inline void products(const double* left, const double* columns, std::size_t length,
                                            double* into) {
    Doubles sums[N] = {};
    for (std::size_t at = 0; at < length; at += kLanes) {
        const auto factor = load<Doubles>(left + at);
        for (int column = 0; column < N; ++column) {
            sums[column] += factor * load<Doubles>(columns + column * length + at);
        }
    }
    for (int column = 0; column < N; ++column) into[column] = add_up(sums[column]);
}

// Σ left · column for the first n of the columns.
[[gnu::always_inline]] inline void products_with(const double* left, const Columns& columns, std::size_t n,
                                                 double* into) {
    std::size_t column = 0;
    for (; column + kAtOnce <= n; column += kAtOnce) {
        products<kAtOnce>(left, columns.values + column * columns.length, columns.length, into + column);
    }
    for (; column < n; ++column) {
        products<1>(left, columns.values + column * columns.length, columns.length, into + column);
    }
}

void gram(const Columns& columns, const double* weight, double* scaled, double* into) {
    for (std::size_t row = 0; row < columns.n_columns; ++row) {
        const double* column = columns.values + row * columns.length;
        for (std::size_t at = 0; at < columns.length; ++at) scaled[at] = weight[at] * column[at];
        products_with(scaled, columns, row + 1, into + row * columns.n_columns);
    }
}

void project(const Columns& columns, const double* vector, double* into) {
    products_with(vector, columns, columns.n_columns, into);
}

void score(const Columns& columns, const double* coefficients, double* scores) {
    for (std::size_t at = 0; at < columns.length; at += kPatternLanes) {
        Doubles low = {}, high = {};
        for (std::size_t column = 0; column < columns.n_columns; ++column) {
            const double* values = columns.values + column * columns.length + at;
            low += coefficients[column] * load<Doubles>(values);
            high += coefficients[column] * load<Doubles>(values + kLanes);
        }
        store(low, scores + at);
        store(high, scores + at + kLanes);
    }
}

void leverage(const Columns& columns, const double* triangle, double* solved, double* into) {
    for (std::size_t at = 0; at < columns.length; at += kPatternLanes) {
        Doubles low_sum = {}, high_sum = {};
        for (std::size_t row = 0; row < columns.n_columns; ++row) {
            const double* values = columns.values + row * columns.length + at;
            const double* factors = triangle + row * columns.n_columns;
            auto low = load<Doubles>(values), high = load<Doubles>(values + kLanes);
            for (std::size_t earlier = 0; earlier < row; ++earlier) {
                low -= factors[earlier] * load<Doubles>(solved + earlier * kPatternLanes);
                high -= factors[earlier] * load<Doubles>(solved + earlier * kPatternLanes + kLanes);
            }
            const double inverse = 1.0 / factors[row];
            low *= inverse;
            high *= inverse;
            store(low, solved + row * kPatternLanes);
            store(high, solved + row * kPatternLanes + kLanes);
            low_sum += low * low;
            high_sum += high * high;
        }
        store(low_sum, into + at);
        store(high_sum, into + at + kLanes);
    }
}

}  // namespace

extern const RidgeKernels kRidgeKernels;
const RidgeKernels kRidgeKernels{gram, project, score, leverage};

}  // namespace budgetree::BUDGETREE_SIMD
