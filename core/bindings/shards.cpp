// Shards and levels for Python: counting where the cases are, choosing where the counts are.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "../level.hpp"
#include "../shard.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace budgetree {
namespace {

void check_places(const Cases& cases, std::span<const std::int32_t> places, std::size_t n_places) {
    require(places.size() == cases.size(), "places: expected one for each case");
    require(std::ranges::all_of(places, [&](std::int32_t place) { return place < std::int64_t(n_places); }),
            "places: expected each to be below their number");
}

NumpyArray<std::int32_t> move_for_python(const KeptCases& kept, Array<std::int32_t> places, Array<std::int32_t> test,
                                         Matrix<std::int32_t> below, Clock& clock) {
    const Cases& cases = kept.cases;
    check_places(cases, as_span(places), test.shape(0));
    require(below.shape(0) == test.shape(0), "below: expected a row for each place");
    for (const std::int32_t t : as_span(test)) {
        require(t < cases.n_tests(), "test: expected a test of the cases, or -1");
        require(t < 0 || std::size_t(cases.n_outcomes[t]) <= below.shape(1),
                "below: expected a column for each outcome");
    }
    return as_numpy(interruptible(clock, [&] {
        Watch watch(clock);
        const std::span next(below.data(), below.size());
        return move_cases(cases, as_span(places), {as_span(test), next, below.shape(1)}, watch);
    }));
}

template <typename Count>
nb::object count_by(const Cases& cases, std::span<const std::int32_t> places, const Slots& slots, Clock& clock) {
    auto counts = interruptible(clock, [&] {
        Watch watch(clock);
        return count_places<Count>(cases, places, slots, watch);
    });
    const std::size_t n_classes = cases.n_classes;
    return nb::cast(as_numpy(std::move(counts), {slots.n_slots, cells_of(cases) / n_classes, n_classes}));
}

nb::object count_for_python(const KeptCases& kept, Array<std::int32_t> places, Array<std::int32_t> slots,
                            std::size_t n_slots, Clock& clock) {
    const Cases& cases = kept.cases;
    check_places(cases, as_span(places), slots.shape(0));
    require(cases.size() < (std::size_t(1) << 32), "cases: expected fewer than 4 billion in a shard");
    for (const std::int32_t slot : as_span(slots)) {
        require(slot < std::int64_t(n_slots), "slots: expected each to be below their number");
    }
    const Slots wanted = {as_span(slots), n_slots};
    return cases.weights.empty() ? count_by<std::uint32_t>(cases, as_span(places), wanted, clock)
                                 : count_by<std::int64_t>(cases, as_span(places), wanted, clock);
}

// The paths of as many nodes as `counts` is of.
PathsPaid paths_of(const Array<Units>& paid, const Array<FeeSet>& fees_paid, std::size_t n_numbers,
                   std::size_t per_node) {
    require(n_numbers == paid.shape(0) * per_node, "counts: expected as many as the nodes have");
    require(fees_paid.shape(0) == paid.shape(0), "fees_paid: expected one for each node");
    return {as_span(paid), as_span(fees_paid)};
}

NumpyArray<std::uint8_t> stops_for_python(const LevelChooser& chooser, Matrix<std::int64_t> class_weights,
                                          Array<Units> paid, Array<FeeSet> fees_paid) {
    const PathsPaid paths = paths_of(paid, fees_paid, class_weights.size(), chooser.n_classes());
    return as_numpy(chooser.stops({class_weights.data(), class_weights.size()}, paths));
}

std::tuple<NumpyArray<std::int32_t>, NumpyArray<std::uint8_t>> choose_for_python(
    LevelChooser& chooser, Matrix<std::int64_t> counts, Array<Units> paid, Array<FeeSet> fees_paid, Clock& clock) {
    const PathsPaid paths = paths_of(paid, fees_paid, counts.size(), chooser.n_cells());
    const auto choices = interruptible(clock, [&] {
        Watch watch(clock);
        return chooser.choose({counts.data(), counts.size()}, paths, watch);
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

void bind_shards(nb::module_& module) {
    module.def("move_cases", &move_for_python, "cases"_a, "places"_a, "test"_a, "below"_a, "clock"_a,
               "The next place of each case of a shard.");
    module.def("count_places", &count_for_python, "cases"_a, "places"_a, "slots"_a, "n_slots"_a, "clock"_a,
               "The weight of every slot, test with outcome, and class.");
    nb::class_<LevelChooser>(module, "LevelChooser", "The rule, for nodes that were counted elsewhere.")
        .def(nb::new_(
                 [](Array<std::int32_t> n_outcomes, int n_classes, const Money& money, const GrowthSettings& settings) {
                     const auto outcomes = as_vector(n_outcomes);
                     fitting(money, int(outcomes.size()), *std::max_element(outcomes.begin(), outcomes.end()));
                     return std::make_unique<LevelChooser>(outcomes, n_classes, money, settings);
                 }),
             "n_outcomes"_a, "n_classes"_a, "money"_a, "settings"_a)
        .def("stops", &stops_for_python, "class_weights"_a, "paid"_a, "fees_paid"_a, "Per node, whether it is a leaf.")
        .def("choose", &choose_for_python, "counts"_a, "paid"_a, "fees_paid"_a, "clock"_a,
             "Per node the test, -1 in a leaf, and whether Pairs chose it.");
}

}  // namespace budgetree
