// Prices, fees and losses for Python.
#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "cost/cost_model.hpp"
#include "cost/leaf_policy.hpp"

namespace budgetree {
namespace {

bool all_within(std::span<const Units> amounts) {
    return std::ranges::all_of(amounts, [](Units amount) { return 0 <= amount && amount <= kMaxUnits; });
}

CostModel make_costs(Matrix<Units> amounts, Array<Units> fees, Array<Flags> flags) {
    require(amounts.shape(0) > 0 && amounts.shape(1) > 0, "amounts: expected tests × outcomes");
    require(flags.shape(0) == amounts.shape(0), "flags: expected one entry per test");
    require(fees.shape(0) <= 63, "flag_amounts: expected at most 63");
    require(all_within({amounts.data(), amounts.size()}), "amounts: expected prices from 0 to 2**56");
    require(all_within(as_span(fees)), "flag_amounts: expected prices from 0 to 2**56");
    require(std::ranges::all_of(as_span(flags), [&](Flags mask) { return mask >> fees.shape(0) == 0; }),
            "flags: expected no bits beyond the flag amounts");
    return CostModel(std::vector<Units>(amounts.data(), amounts.data() + amounts.size()), int(amounts.shape(0)),
                     as_vector(fees), as_vector(flags));
}

void require_test(const CostModel& costs, int test) {
    require(0 <= test && test < costs.n_tests(), "test: expected the number of a test");
}

void require_outcome(const CostModel& costs, int test, int outcome) {
    require_test(costs, test);
    require(0 <= outcome && outcome < costs.width(), "outcome: expected the number of an outcome");
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

void bind_cost(nb::module_& module) {
    nb::class_<PathState>(module, "PathState", "What a path has spent, and a bit for each fee among it.")
        .def(nb::new_([](Units spent, Flags flags) { return PathState{spent, flags}; }), "spent"_a = 0, "flags"_a = 0)
        .def_ro("spent", &PathState::spent)
        .def_ro("flags", &PathState::flags);
    nb::class_<CostModel>(module, "CostModel", "Prices by test and outcome, and shared fees, in whole units.")
        .def(nb::new_(&make_costs), "amounts"_a, "flag_amounts"_a, "flags"_a)
        .def(
            "charge",
            [](const CostModel& costs, const PathState& state, int test, int outcome) {
                require_outcome(costs, test, outcome);
                return costs.charge(state, test, outcome);
            },
            "state"_a, "test"_a, "outcome"_a)
        .def(
            "most",
            [](const CostModel& costs, const PathState& state, int test) {
                require_test(costs, test);
                return costs.most(state, test);
            },
            "state"_a, "test"_a)
        .def(
            "may_buy",
            [](const CostModel& costs, const PathState& state, int test, Units limit) {
                require_test(costs, test);
                return costs.may_buy(state, test, limit);
            },
            "state"_a, "test"_a, "limit"_a)
        .def(
            "after",
            [](const CostModel& costs, const PathState& state, int test, int outcome) {
                require_outcome(costs, test, outcome);
                return costs.after(state, test, outcome);
            },
            "state"_a, "test"_a, "outcome"_a)
        .def_static("dominates", &CostModel::dominates, "better"_a, "worse"_a);
    nb::class_<LeafPolicy>(module, "LeafPolicy",
                           "Losses by class and answer (None: an error is an error), cases per leaf.")
        .def(nb::new_(&make_policy), "losses"_a.none(), "n_classes"_a, "min_cases"_a = 1);
}

}  // namespace budgetree
