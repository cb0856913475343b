// Arrays from and to Python, and calls that can be interrupted: what every file of bindings/ needs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cost/cost_model.hpp"
#include "cost/leaf_policy.hpp"
#include "tables/cases.hpp"

namespace budgetree {

namespace nb = nanobind;
using namespace nb::literals;

constexpr Units kMaxUnits = Units(1) << 56;  // of an amount: sums along any path stay far below kNever

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <typename T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

template <typename T>
std::span<const T> as_span(const Array<T>& array) {
    return {array.data(), array.shape(0)};
}

template <typename T>
std::vector<T> as_vector(const Array<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

inline void require(bool holds, const char* expected) {
    if (!holds) throw std::invalid_argument(expected);
}

// A vector that becomes NumPy's without a copy.
template <typename T>
NumpyArray<T> as_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* data = kept->data();
    nb::capsule owner(kept.get(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    (void)kept.release();
    return NumpyArray<T>(data, shape, owner);
}

template <typename T>
NumpyArray<T> as_numpy(std::vector<T> values) {
    const std::size_t size = values.size();
    return as_numpy(std::move(values), {size});
}

// The cases and the arrays that they look into.
struct KeptCases {
    KeptCases(Matrix<std::uint8_t> codes, Array<std::int32_t> labels, std::optional<Array<std::int64_t>> weights,
              Array<std::int32_t> n_outcomes, int n_classes, bool codes_are_checked);

    Cases cases;

private:
    Matrix<std::uint8_t> codes_;
    Array<std::int32_t> labels_;
    std::optional<Array<std::int64_t>> weights_;
};

// The prices, if they are of these tests and have one for every outcome.
inline const CostModel& fitting(const CostModel& costs, int n_tests, int max_outcomes) {
    require(costs.n_tests() == n_tests, "costs: expected prices of as many tests as the cases have");
    require(costs.width() >= max_outcomes, "costs: expected a price for every outcome");
    return costs;
}

// A clock whose ticks look for Ctrl-C and tell Python how far the work is. Python's `tick(done, total)` may be missing.
std::unique_ptr<Clock> clock_for_python(std::optional<double> seconds, std::optional<nb::callable> tick,
                                        std::optional<std::int64_t> max_work);

template <typename Work>
auto without_gil(Work work) {
    const nb::gil_scoped_release release;
    return work();
}

// Runs the work without the GIL; KeyboardInterrupt, or what the tick raised, goes on in Python.
template <typename Work>
auto interruptible(Clock& clock, Work work) {
    auto result = without_gil(work);
    // A clock that was interrupted in an earlier call has no error to pass on any more.
    if (clock.was_interrupted() && PyErr_Occurred()) throw nb::python_error();
    return result;
}

}  // namespace budgetree
