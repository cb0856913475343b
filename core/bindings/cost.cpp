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

using AmountsForPython = std::vector<Units>;  // one per resource

// Amounts as they are kept: a record per cell, of resource × cell.
std::vector<Amounts> by_cell(const Units* amounts, std::size_t n_resources, std::size_t n_cells) {
    std::vector<Amounts> cells(n_cells);
    for (std::size_t r = 0; r < n_resources; ++r) {
        for (std::size_t cell = 0; cell < n_cells; ++cell) cells[cell][int(r)] = amounts[r * n_cells + cell];
    }
    return cells;
}

CostModel make_costs(Cube<Units> amounts, Matrix<Units> fees, Array<Flags> pays, Array<Flags> needs, Matrix<Flags> sets,
                     Array<Units> limits) {
    const std::size_t n_resources = amounts.shape(0), n_tests = amounts.shape(1), width = amounts.shape(2);
    require(1 <= n_resources && n_resources <= kMaxResources, "amounts: expected 1 to 4 resources");
    require(n_tests > 0 && width > 0, "amounts: expected tests × outcomes for each resource");
    require(fees.shape(0) == n_resources && limits.shape(0) == n_resources,
            "flag_amounts, limits: expected one for each resource");
    require(pays.shape(0) == n_tests && needs.shape(0) == n_tests, "pays, needs: expected one entry per test");
    require(sets.shape(0) == n_tests && sets.shape(1) == width + 1,
            "sets: expected an entry per test and outcome, and one for an unlisted result");
    require(fees.shape(1) <= 63, "flag_amounts: expected at most 63");
    require(all_within({amounts.data(), amounts.size()}), "amounts: expected prices from 0 to 2**56");
    require(all_within({fees.data(), fees.size()}), "flag_amounts: expected prices from 0 to 2**56");
    require(all_within(as_span(limits)), "limits: expected amounts from 0 to 2**56");
    const auto are_flags = [&](std::span<const Flags> masks) {
        return std::ranges::all_of(masks, [&](Flags mask) { return mask >> fees.shape(1) == 0; });
    };
    const std::span<const Flags> all_sets(sets.data(), sets.size());
    require(are_flags(as_span(pays)) && are_flags(as_span(needs)) && are_flags(all_sets),
            "pays, needs, sets: expected no bits beyond the flag amounts");
    for (std::size_t cell = 0; cell < sets.size(); ++cell) {
        require((pays.data()[cell / (width + 1)] & ~all_sets[cell]) == 0, "sets: expected what the test pays among it");
    }
    CostModel::Rules rules{by_cell(amounts.data(), n_resources, n_tests * width),
                           by_cell(fees.data(), n_resources, fees.shape(1)),
                           as_vector(pays),
                           as_vector(needs),
                           {all_sets.begin(), all_sets.end()},
                           by_cell(limits.data(), n_resources, 1).front()};
    return CostModel(std::move(rules), int(n_resources));
}

Amounts amounts_of(const AmountsForPython& given) {
    require(given.size() <= kMaxResources, "amounts: expected at most 4 resources");
    Amounts amounts;
    for (std::size_t r = 0; r < given.size(); ++r) amounts[int(r)] = given[r];
    return amounts;
}

AmountsForPython for_python(const Amounts& amounts, int n_resources) {
    AmountsForPython given(n_resources);
    for (int r = 0; r < n_resources; ++r) given[r] = amounts[r];
    return given;
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
    nb::class_<PathState>(module, "PathState", "What a path has spent of each resource, fees paid, conditions met.")
        .def(nb::new_([](const AmountsForPython& spent, Flags flags) { return PathState{amounts_of(spent), flags}; }),
             "spent"_a = AmountsForPython(), "flags"_a = 0)
        .def_prop_ro("spent", [](const PathState& state) { return for_python(state.spent, kMaxResources); })
        .def_ro("flags", &PathState::flags);
    nb::class_<CostModel>(module, "CostModel", "What tests take, fees, order and limits, in whole units.")
        .def(nb::new_(&make_costs), "amounts"_a, "flag_amounts"_a, "pays"_a, "needs"_a, "sets"_a, "limits"_a)
        .def(
            "price",
            [](const CostModel& costs, const AmountsForPython& amounts) {
                return Prices(costs, costs.limits()[0]).of(amounts_of(amounts));
            },
            "amounts"_a)
        .def(
            "charge",
            [](const CostModel& costs, const PathState& state, int test, int outcome) {
                require_outcome(costs, test, outcome);
                return for_python(costs.charge(state, test, outcome), costs.n_resources());
            },
            "state"_a, "test"_a, "outcome"_a)
        .def(
            "most",
            [](const CostModel& costs, const PathState& state, int test) {
                require_test(costs, test);
                return for_python(costs.most(state, test), costs.n_resources());
            },
            "state"_a, "test"_a)
        .def(
            "may_buy",
            [](const CostModel& costs, const PathState& state, int test, const AmountsForPython& limits) {
                require_test(costs, test);
                return costs.may_buy(state, test, amounts_of(limits));
            },
            "state"_a, "test"_a, "limits"_a)
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
