// Clock, Money and Cases for Python.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "../money.hpp"
#include "../processor.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace budgetree {
namespace {

constexpr Units kMaxUnits = Units(1) << 56;  // of a price: sums along any path stay far below kNever

bool all_within(std::span<const Units> amounts) {
    return std::ranges::all_of(amounts, [](Units amount) { return 0 <= amount && amount <= kMaxUnits; });
}

// A pass over the codes, at the speed of memory: a code beyond its test's outcomes would be counted anywhere.
bool all_codes_fit(const Cases& cases) {
    std::vector<std::uint8_t> last;
    for (const std::int32_t n_outcomes : cases.n_outcomes) last.push_back(std::uint8_t(n_outcomes - 1));
    const std::size_t n_tests = last.size();
    std::uint8_t beyond = 0;
    for (std::size_t number = 0; number < cases.size(); ++number) {
        const std::uint8_t* row = cases.row(number);
        for (std::size_t test = 0; test < n_tests; ++test) beyond |= row[test] > last[test];
    }
    return beyond == 0;
}

Money make_money(Matrix<Units> own, Array<Units> fees, Array<FeeSet> fee_mask) {
    require(own.shape(0) > 0 && own.shape(1) > 0, "own: expected tests × outcomes");
    require(fee_mask.shape(0) == own.shape(0), "fee_mask: expected one entry per test");
    require(fees.shape(0) <= 63, "fees: expected at most 63");
    require(all_within({own.data(), own.size()}), "own: expected prices from 0 to 2**56");
    require(all_within(as_span(fees)), "fees: expected prices from 0 to 2**56");
    require(std::ranges::all_of(as_span(fee_mask), [&](FeeSet mask) { return mask >> fees.shape(0) == 0; }),
            "fee_mask: expected no bits beyond the fees");
    return Money(std::vector<Units>(own.data(), own.data() + own.size()), int(own.shape(0)), as_vector(fees),
                 as_vector(fee_mask));
}

LeafPolicy make_policy(const std::optional<Matrix<Units>>& losses, int n_classes, int min_cases) {
    require(n_classes > 0, "n_classes: expected at least 1");
    require(min_cases > 0, "min_cases: expected at least 1");
    if (!losses) return LeafPolicy({}, n_classes, min_cases);
    require(losses->shape(0) == std::size_t(n_classes), "losses: expected a row per class");
    require(losses->shape(1) > 0, "losses: expected at least one answer");
    std::vector<Units> units(losses->data(), losses->data() + losses->size());
    require(std::ranges::all_of(units, [](Units loss) { return 0 <= loss && loss <= kMaxUnits; }),
            "losses: expected whole numbers from 0 to 2**56");
    return LeafPolicy(units, n_classes, min_cases);
}

}  // namespace

KeptCases::KeptCases(Matrix<std::uint8_t> codes, Array<std::int32_t> labels, std::optional<Array<std::int64_t>> weights,
                     Array<std::int32_t> n_outcomes, int n_classes, bool codes_are_checked)
    : cases{{codes.data(), codes.size()}, as_span(labels), {}, as_vector(n_outcomes), n_classes},
      codes_(std::move(codes)), labels_(std::move(labels)), weights_(std::move(weights)) {
    require(labels_.shape(0) == codes_.shape(0), "labels: expected one per row of codes");
    require(n_outcomes.shape(0) == codes_.shape(1), "n_outcomes: expected one per column of codes");
    require(n_classes > 0, "n_classes: expected at least 1");
    require(codes_.shape(0) > 0 && codes_.shape(1) > 0, "codes: expected at least one case and one test");
    require(std::ranges::all_of(cases.n_outcomes, [](int n) { return 1 <= n && n <= 256; }),
            "n_outcomes: expected 1 to 256 for every test");
    require(codes_are_checked || all_codes_fit(cases), "codes: expected outcomes from 0 to n_outcomes - 1");
    require(std::ranges::all_of(cases.labels, [&](int label) { return 0 <= label && label < n_classes; }),
            "labels: expected classes from 0 to n_classes - 1");
    if (weights_) {
        require(weights_->shape(0) == labels_.shape(0), "weights: expected one per row of codes");
        cases.weights = as_span(*weights_);
        double total = 0;
        for (const std::int64_t weight : cases.weights) {
            require(weight >= 0, "weights: expected whole numbers of at least 0");
            total += double(weight);
        }
        require(total <= double(kMaxUnits), "weights: expected at most 2**56 altogether");
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
    nb::class_<LeafPolicy>(module, "LeafPolicy",
                           "Losses by class and answer (None: an error is an error), cases per leaf.")
        .def(nb::new_(&make_policy), "losses"_a.none(), "n_classes"_a, "min_cases"_a = 1);
    nb::class_<KeptCases>(module, "Cases", "Codes, classes and weights of the known cases; the arrays are not copied.")
        .def(nb::init<Matrix<std::uint8_t>, Array<std::int32_t>, std::optional<Array<std::int64_t>>,
                      Array<std::int32_t>, int, bool>(),
             "codes"_a, "labels"_a, "weights"_a.none(), "n_outcomes"_a, "n_classes"_a, "codes_are_checked"_a = false);
}

}  // namespace budgetree
