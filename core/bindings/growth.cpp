// Impurities, greedy growth and the rule for levels, for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "cost/cost_model.hpp"
#include "growth/growth.hpp"
#include "growth/level.hpp"
#include "growth/pool.hpp"
#include "growth/steps.hpp"
#include "tables/packed_table.hpp"

namespace budgetree {
namespace {

BigUInt big_of(const nb::bytes& bytes) {
    return BigUInt::from_bytes({reinterpret_cast<const std::uint8_t*>(bytes.c_str()), bytes.size()});
}

IntegerImpurity polynomial(const std::vector<nb::bytes>& coefficients,
                           const std::vector<std::vector<std::int32_t>>& exponents, int n_classes) {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < coefficients.size(); ++i) terms.push_back({big_of(coefficients[i]), exponents.at(i)});
    return IntegerImpurity::polynomial(std::move(terms), n_classes);
}

nb::dict nodes_of(GrownTree tree, int n_classes) {
    const std::size_t size = tree.size();
    nb::dict nodes;
    nodes["test"] = as_numpy(std::move(tree.test));
    nodes["parent"] = as_numpy(std::move(tree.parent));
    nodes["counts"] = as_numpy(std::move(tree.class_weights), {size, std::size_t(n_classes)});
    nodes["paid"] = as_numpy(std::move(tree.paid));
    nodes["first_branch"] = as_numpy(std::move(tree.first_branch));
    nodes["branches"] = as_numpy(std::move(tree.branches));
    nodes["fallback"] = as_numpy(std::move(tree.fallback));
    return nodes;
}

std::optional<nb::dict> grow_for_python(const PackedTable& table, const CostModel& costs,
                                        const GrowthSettings& settings, int threads, Clock& clock) {
    fitting(costs, table.layout().n_tests(), table.layout().max_outcomes());
    require(settings.min_cases == 1 || !table.layout().is_weighted(), "min_cases: expected 1 where cases have weights");
    auto grown = interruptible(clock, [&] { return grow(table, costs, settings, threads, clock); });
    if (!grown) return std::nullopt;
    return nodes_of(std::move(*grown), table.layout().n_classes());
}

using StepArrays = std::tuple<NumpyArray<std::int64_t>, NumpyArray<std::int64_t>, NumpyArray<std::int64_t>>;

StepArrays arrays_of(Steps steps) {
    const std::size_t n_trees = steps.n_trees();
    return {as_numpy(steps.take_need()), as_numpy(steps.take_gain()),
            as_numpy(steps.take_summaries(), {n_trees, Steps::kSummary})};
}

std::unique_ptr<Pool> make_pool(const PackedTable& table, const CostModel& costs, const LeafPolicy& policy,
                                std::size_t cache_bytes) {
    fitting(costs, table.layout().n_tests(), table.layout().max_outcomes());
    require(policy.n_classes() == table.layout().n_classes(), "policy: expected as many classes as the table has");
    return Pool::make(table, costs, policy, cache_bytes);
}

StepArrays grow_in_pool(Pool& pool, const std::vector<GrowthSettings>& all, Clock& clock) {
    return arrays_of(interruptible(clock, [&] {
        Steps steps;
        Watch watch(clock);
        for (const GrowthSettings& settings : all) {
            if (!pool.grow(settings, steps, watch)) break;
            clock.done.fetch_add(1, std::memory_order_relaxed);
        }
        return steps;
    }));
}

// The path states of as many nodes as `counts` is of.
PathStates states_of(const LevelChooser& chooser, const Matrix<Units>& spent, const Array<Flags>& flags,
                     std::size_t n_numbers, std::size_t per_node) {
    require(n_numbers == spent.shape(0) * per_node, "counts: expected as many as the nodes have");
    require(flags.shape(0) == spent.shape(0), "flags: expected one for each node");
    require(spent.shape(1) == std::size_t(chooser.n_resources()), "spent: expected an amount of each resource");
    return {{spent.data(), spent.size()}, as_span(flags), chooser.n_resources()};
}

NumpyArray<std::uint8_t> stops_for_python(const LevelChooser& chooser, Matrix<std::int64_t> class_weights,
                                          Matrix<Units> spent, Array<Flags> flags) {
    const PathStates states = states_of(chooser, spent, flags, class_weights.size(), chooser.n_classes());
    return as_numpy(chooser.stops({class_weights.data(), class_weights.size()}, states));
}

std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::uint8_t>> choose_for_python(LevelChooser& chooser,
                                                                                 Matrix<std::int64_t> counts,
                                                                                 Matrix<Units> spent,
                                                                                 Array<Flags> flags, Clock& clock) {
    const PathStates states = states_of(chooser, spent, flags, counts.size(), chooser.n_cells());
    const auto choices = interruptible(clock, [&] {
        Watch watch(clock);
        return chooser.choose({counts.data(), counts.size()}, states, watch);
    });
    std::vector<std::int32_t> test;
    std::vector<std::uint8_t> fallback;
    for (const Choice& choice : choices) {
        test.push_back(choice.test);
        fallback.push_back(choice.is_fallback);
    }
    return {as_numpy(std::move(test)), as_numpy(std::move(fallback))};
}

}  // namespace

void bind_growth(nb::module_& module) {
    nb::class_<IntegerImpurity>(module, "IntegerImpurity",
                                "An impurity in whole numbers; they come as bytes, least first.")
        .def_static("powers", &IntegerImpurity::powers, "power"_a, "n_classes"_a)
        .def_static(
            "hinge",
            [](const nb::bytes& q, const nb::bytes& p, bool square, int n_classes) {
                return IntegerImpurity::hinge(big_of(q), big_of(p), square, n_classes);
            },
            "q"_a, "p"_a, "subtracts_square"_a, "n_classes"_a)
        .def_static("polynomial", &polynomial, "coefficients"_a, "exponents"_a, "n_classes"_a)
        .def_static("gini", &IntegerImpurity::gini, "n_classes"_a)
        .def_static("entropy", &IntegerImpurity::entropy, "n_classes"_a);
    nb::class_<GrowthSettings>(module, "GrowthSettings", "What a growth is asked for.")
        .def(nb::new_([](const IntegerImpurity& impurity, const nb::bytes& threshold, double float_threshold,
                         Units budget, bool is_worst, int min_cases) {
                 return GrowthSettings{
                     impurity, big_of(threshold), float_threshold, budget, is_worst ? Rule::kWorst : Rule::kExpected,
                     min_cases};
             }),
             "impurity"_a, "threshold"_a, "float_threshold"_a, "budget"_a, "is_worst"_a, "min_cases"_a = 1);
    module.def("grow", &grow_for_python, "table"_a, "costs"_a, "settings"_a, "threads"_a, "clock"_a,
               "The nodes of a tree, breadth first; None when the clock stopped it.");
    nb::class_<Pool>(module, "Pool", "Sets of cases that many trees share; the table and the prices must outlive it.")
        .def(nb::new_(&make_pool), "table"_a, "costs"_a, "policy"_a, "cache_bytes"_a, nb::keep_alive<0, 1>(),
             nb::keep_alive<0, 2>())
        .def("grow", &grow_in_pool, "settings"_a, "clock"_a,
             "Need, gain and summaries of the trees that were finished.");
    nb::class_<LevelChooser>(module, "LevelChooser", "The rule, for nodes that were counted elsewhere.")
        .def(nb::new_([](Array<std::int32_t> n_outcomes, int n_classes, const CostModel& costs,
                         const GrowthSettings& settings) {
                 const auto outcomes = as_vector(n_outcomes);
                 fitting(costs, int(outcomes.size()), *std::max_element(outcomes.begin(), outcomes.end()));
                 return std::make_unique<LevelChooser>(outcomes, n_classes, costs, settings);
             }),
             "n_outcomes"_a, "n_classes"_a, "costs"_a, "settings"_a)
        .def("stops", &stops_for_python, "class_weights"_a, "spent"_a, "flags"_a, "Per node, whether it is a leaf.")
        .def("choose", &choose_for_python, "counts"_a, "spent"_a, "flags"_a, "clock"_a,
             "Per node the test, -1 in a leaf, and whether Pairs chose it.");
}

}  // namespace budgetree
