// Clock, Money and Cases for Python.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "../money.hpp"
#include "../processor.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace budgetree {
namespace {

void require(bool holds, const char* expected) {
    if (!holds) throw std::invalid_argument(expected);
}

Money make_money(Matrix<Units> own, Array<Units> fees, Array<FeeSet> fee_mask) {
    require(own.shape(0) > 0 && own.shape(1) > 0, "own: expected tests × outcomes");
    require(fee_mask.shape(0) == own.shape(0), "fee_mask: expected one entry per test");
    require(fees.shape(0) <= 63, "fees: expected at most 63");
    return Money(std::vector<Units>(own.data(), own.data() + own.size()), int(own.shape(0)), as_vector(fees),
                 as_vector(fee_mask));
}

}  // namespace

KeptCases::KeptCases(Matrix<std::uint8_t> codes, Array<std::int32_t> labels, std::optional<Array<std::int64_t>> weights,
                     Array<std::int32_t> n_outcomes, int n_classes)
    : cases{{codes.data(), codes.size()}, as_span(labels), {}, as_vector(n_outcomes), n_classes},
      codes_(std::move(codes)), labels_(std::move(labels)), weights_(std::move(weights)) {
    require(labels_.shape(0) == codes_.shape(0), "labels: expected one per row of codes");
    require(n_outcomes.shape(0) == codes_.shape(1), "n_outcomes: expected one per column of codes");
    require(n_classes > 0, "n_classes: expected at least 1");
    require(std::ranges::all_of(cases.labels, [&](int label) { return 0 <= label && label < n_classes; }),
            "labels: expected classes from 0 to n_classes - 1");
    if (weights_) {
        require(weights_->shape(0) == labels_.shape(0), "weights: expected one per row of codes");
        cases.weights = as_span(*weights_);
    }
}

std::unique_ptr<Clock> clock_for_python(std::optional<double> seconds, std::optional<nb::callable> tick) {
    auto ask = [tick = std::move(tick)](const Clock& clock) {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) return true;
        if (!tick) return false;
        PyObject* said = PyObject_CallFunction(tick->ptr(), "LL", static_cast<long long>(clock.done.load()),
                                               static_cast<long long>(clock.total.load()));
        Py_XDECREF(said);
        return said == nullptr;
    };
    return std::make_unique<Clock>(seconds.value_or(std::numeric_limits<double>::infinity()), std::move(ask));
}

void bind_basics(nb::module_& module) {
    module.def("processor", &processor_name, "Which vector instructions are in use.");
    nb::class_<Clock>(module, "Clock", "Seconds that a call may take (None: no limit); it begins when it is made.")
        .def(nb::new_(&clock_for_python), "seconds"_a = nb::none(), "tick"_a = nb::none())
        .def("stop", &Clock::stop)
        .def_prop_ro("is_stopped", &Clock::is_stopped)
        .def_prop_ro("was_interrupted", &Clock::was_interrupted);
    nb::class_<Money>(module, "Money", "Prices by test and outcome, and shared fees, in whole units.")
        .def(nb::new_(&make_money), "own"_a, "fees"_a, "fee_mask"_a);
    nb::class_<KeptCases>(module, "Cases", "Codes, classes and weights of the known cases; the arrays are not copied.")
        .def(nb::init<Matrix<std::uint8_t>, Array<std::int32_t>, std::optional<Array<std::int64_t>>,
                      Array<std::int32_t>, int>(),
             "codes"_a, "labels"_a, "weights"_a.none(), "n_outcomes"_a, "n_classes"_a);
}

}  // namespace budgetree
