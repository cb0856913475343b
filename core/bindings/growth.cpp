// Packed tables, forms and greedy growth for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "../bisection.hpp"
#include "../counting.hpp"
#include "../growth.hpp"
#include "../money.hpp"
#include "../pool.hpp"
#include "../steps.hpp"
#include "../table.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace budgetree {
namespace {

Whole whole_of(const nb::bytes& bytes) {
    return Whole::from_bytes({reinterpret_cast<const std::uint8_t*>(bytes.c_str()), bytes.size()});
}

Form polynomial(const std::vector<nb::bytes>& coefficients, const std::vector<std::vector<std::int32_t>>& exponents,
                int n_classes) {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < coefficients.size(); ++i) terms.push_back({whole_of(coefficients[i]), exponents.at(i)});
    return Form::polynomial(std::move(terms), n_classes);
}

std::unique_ptr<Table> pack(const KeptCases& kept, Clock& clock) {
    return interruptible(clock, [&] { return std::make_unique<Table>(kept.cases, clock); });
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

std::optional<nb::dict> grow_for_python(const Table& table, const Money& money, const GrowthSettings& settings,
                                        int threads, Clock& clock) {
    fitting(money, table.layout().n_tests(), table.layout().max_outcomes());
    require(settings.min_cases == 1 || !table.layout().is_weighted(), "min_cases: expected 1 where cases have weights");
    auto grown = interruptible(clock, [&] { return grow(table, money, settings, threads, clock); });
    if (!grown) return std::nullopt;
    return nodes_of(std::move(*grown), table.layout().n_classes());
}

using StepArrays = std::tuple<NumpyArray<std::int64_t>, NumpyArray<std::int64_t>, NumpyArray<std::int64_t>>;

StepArrays arrays_of(Steps steps) {
    const std::size_t n_trees = steps.n_trees();
    return {as_numpy(steps.take_need()), as_numpy(steps.take_gain()),
            as_numpy(steps.take_summaries(), {n_trees, Steps::kSummary})};
}

std::unique_ptr<Pool> make_pool(const Table& table, const Money& money, const LeafPolicy& policy,
                                std::size_t cache_bytes) {
    fitting(money, table.layout().n_tests(), table.layout().max_outcomes());
    require(policy.n_classes() == table.layout().n_classes(), "policy: expected as many classes as the table has");
    return Pool::make(table, money, policy, cache_bytes);
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

std::tuple<NumpyArray<std::int64_t>, StepArrays> bisect_in_pool(Pool& pool, const Hinges& hinges, std::int64_t largest,
                                                                std::int64_t close, Clock& clock) {
    Steps steps;
    auto multiples = interruptible(clock, [&] { return bisect(pool, hinges, largest, close, steps, clock); });
    return {as_numpy(std::move(multiples)), arrays_of(std::move(steps))};
}

NumpyArray<std::int64_t> count_for_python(const KeptCases& kept, Array<std::int32_t> numbers, Clock& clock) {
    for (const std::int32_t number : as_span(numbers)) {
        require(number >= 0 && std::size_t(number) < kept.cases.size(),
                "numbers: expected cases from 0 to their number - 1");
    }
    auto counts = interruptible(clock, [&] {
        Watch watch(clock);
        return count_classes(kept.cases, as_span(numbers), watch);
    });
    const std::size_t n_tests = kept.cases.n_tests(), n_classes = kept.cases.n_classes;
    const std::size_t width = counts.size() / n_tests / n_classes;
    return as_numpy(std::move(counts), {n_tests, width, n_classes});
}

}  // namespace

void bind_growth(nb::module_& module) {
    nb::class_<Table>(module, "Table", "The known cases, packed and sorted by class.")
        .def(nb::new_(&pack), "cases"_a, "clock"_a)
        .def_prop_ro("n_rows", &Table::n_rows)
        .def_prop_ro("total_weight", [](const Table& table) {
            const auto weights = table.class_weights();
            return std::accumulate(weights.begin(), weights.end(), std::int64_t(0));
        });
    nb::class_<Form>(module, "Form", "An impurity in whole numbers; they come as bytes, least first.")
        .def_static("powers", &Form::powers, "power"_a, "n_classes"_a)
        .def_static(
            "hinge",
            [](const nb::bytes& q, const nb::bytes& p, bool square, int n_classes) {
                return Form::hinge(whole_of(q), whole_of(p), square, n_classes);
            },
            "q"_a, "p"_a, "subtracts_square"_a, "n_classes"_a)
        .def_static("polynomial", &polynomial, "coefficients"_a, "exponents"_a, "n_classes"_a)
        .def_static("gini", &Form::gini, "n_classes"_a)
        .def_static("entropy", &Form::entropy, "n_classes"_a);
    nb::class_<GrowthSettings>(module, "GrowthSettings", "What a growth is asked for.")
        .def(nb::new_([](const Form& form, const nb::bytes& threshold, double float_threshold, Units budget,
                         bool is_worst, int min_cases) {
                 return GrowthSettings{
                     form,     whole_of(threshold), float_threshold, budget, is_worst ? Rule::kWorst : Rule::kExpected,
                     min_cases};
             }),
             "form"_a, "threshold"_a, "float_threshold"_a, "budget"_a, "is_worst"_a, "min_cases"_a = 1);
    module.def("grow", &grow_for_python, "table"_a, "money"_a, "settings"_a, "threads"_a, "clock"_a,
               "The nodes of a tree, breadth first; None when the clock stopped it.");
    nb::class_<Hinges>(module, "Hinges", "Hinged functions at multiples of a step.")
        .def(nb::new_([](const nb::bytes& q, const nb::bytes& p, bool square, Units budget, int min_cases) {
                 return Hinges{whole_of(q), whole_of(p), square, budget, min_cases};
             }),
             "q"_a, "p"_a, "subtracts_square"_a, "budget"_a, "min_cases"_a = 1);
    nb::class_<Pool>(module, "Pool", "Sets of cases that many trees share; the table and the prices must outlive it.")
        .def(nb::new_(&make_pool), "table"_a, "money"_a, "policy"_a, "cache_bytes"_a, nb::keep_alive<0, 1>(),
             nb::keep_alive<0, 2>())
        .def("grow", &grow_in_pool, "settings"_a, "clock"_a,
             "Need, gain and summaries of the trees that were finished.")
        .def("bisect", &bisect_in_pool, "hinges"_a, "largest"_a, "close"_a, "clock"_a,
             "The multiples found by bisection, and the steps of their trees.");
    module.def("count_classes", &count_for_python, "cases"_a, "numbers"_a, "clock"_a,
               "Weight units by test, outcome and class among some cases.");
}

}  // namespace budgetree
