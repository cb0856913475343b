// The known cases for Python: as they are given, packed, in partitions, and walking through a tree.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "tables/counting.hpp"
#include "tables/packed_table.hpp"
#include "tables/partition.hpp"
#include "tables/scorer.hpp"
#include "tables/walk.hpp"

namespace budgetree {
namespace {

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

std::unique_ptr<PackedTable> pack(const KeptCases& kept, Clock& clock) {
    return interruptible(clock, [&] { return std::make_unique<PackedTable>(kept.cases, clock); });
}

NumpyArray<std::int64_t> classes_for_python(const KeptCases& kept, Array<std::int32_t> numbers, Clock& clock) {
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

template <typename T>
using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Ensemble make_ensemble(Array<std::int32_t> start, Array<std::int32_t> test, Array<std::uint8_t> cut,
                       Array<bool> by_equal, Array<bool> default_left, Array<std::int16_t> missing,
                       Array<std::int32_t> right, Matrix<std::int32_t> value) {
    const auto flags = [](const Array<bool>& array) {
        return std::vector<std::uint8_t>(array.data(), array.data() + array.shape(0));
    };
    return {as_vector(start),    as_vector(test),    as_vector(cut),   flags(by_equal),
            flags(default_left), as_vector(missing), as_vector(right), {value.data(), value.data() + value.size()}};
}

NumpyArray<std::int32_t> preorder_for_python(Array<std::int32_t> start, Array<std::int32_t> left,
                                             Array<std::int32_t> right) {
    Preorder found = find_preorder(as_span(start), as_span(left), as_span(right));
    if (found.fault) throw std::invalid_argument(found.fault);
    return as_numpy(std::move(found.nodes));
}

Scorer make_scorer(Array<std::int32_t> tests, const std::vector<Matrix<std::int32_t>>& points,
                   Array<std::int64_t> intercept, const Ensemble* trees) {
    std::vector<std::vector<std::int32_t>> tables;
    for (const auto& table : points) {
        require(table.shape(1) == intercept.shape(0), "points: expected a column for each of the intercept");
        tables.emplace_back(table.data(), table.data() + table.size());
    }
    return Scorer(as_vector(tests), std::move(tables), as_vector(intercept), trees ? *trees : Ensemble{});
}

// Of rows × tests.
NumpyArray<std::int64_t> add_up_for_python(const Scorer& scorer, Matrix<std::uint8_t> codes) {
    const std::size_t n_rows = codes.shape(0), n_tests = codes.shape(1);
    require(n_rows < (std::size_t(1) << 32), "codes: expected fewer than 4 billion rows");
    for (const std::int32_t test : scorer.tests()) {
        require(test >= 0 && std::size_t(test) < n_tests, "codes: expected a column for every test");
    }
    std::vector<std::int64_t> totals(n_rows * scorer.n_columns());
    std::vector<std::uint32_t> rows(n_rows);
    std::iota(rows.begin(), rows.end(), std::uint32_t(0));
    ScoreSheet().add_up(scorer, {codes.data(), 1, n_tests}, rows, totals.data());
    return as_numpy(std::move(totals), {n_rows, scorer.n_columns()});
}

struct RouteArrays {
    Array<std::uint8_t> kind;
    Array<std::int32_t> test;
    Array<std::int64_t> first;
    Array<std::int32_t> children;
    Array<std::int64_t> charge_at;
    Array<std::int64_t> charges;
    Array<std::int32_t> rule;
    Array<std::int32_t> n_outcomes;
};

// The route and the arrays that it looks into.
class KeptRoute {
public:
    KeptRoute(RouteArrays arrays, std::vector<Scorer> scorers, std::vector<TotalSplit> splits)
        : arrays_(std::move(arrays)),
          route_{as_span(arrays_.kind),     as_span(arrays_.test),       as_span(arrays_.first),
                 as_span(arrays_.children), as_span(arrays_.charge_at),  as_span(arrays_.charges),
                 as_span(arrays_.rule),     as_span(arrays_.n_outcomes), std::move(scorers),
                 std::move(splits)} {
        if (const char* fault = find_fault(route_)) throw std::invalid_argument(fault);
    }

    // Leaf, spent, unlisted and totals of every row.
    nb::tuple walk_rows(const Matrix<std::uint8_t>& codes, Clock& clock, std::optional<int> threads) const {
        require(codes.shape(0) == route_.n_outcomes.size(), "codes: expected one row per test");
        require(!threads || *threads > 0, "threads: expected at least 1");
        const std::size_t n_rows = codes.shape(1), widest = route_.widest();
        std::vector<std::int32_t> leaf(n_rows), unlisted(n_rows);
        std::vector<std::int64_t> spent(n_rows), totals(n_rows * widest);
        const Walks walks{{codes.data(), codes.size()}, leaf, spent, unlisted, totals};
        const int n_threads = threads.value_or(int(std::thread::hardware_concurrency()));
        interruptible(clock, [&] {
            walk(route_, walks, clock, n_threads);
            return true;
        });
        return nb::make_tuple(as_numpy(std::move(leaf)), as_numpy(std::move(spent)), as_numpy(std::move(unlisted)),
                              as_numpy(std::move(totals), {n_rows, widest}));
    }

private:
    RouteArrays arrays_;
    Route route_;
};

NumpyArray<double> softmax_for_python(Matrix<std::int64_t> totals) {
    const std::size_t n_rows = totals.shape(0), n_columns = totals.shape(1);
    require(n_columns > 0, "totals: expected at least one column");
    std::vector<double> probabilities(totals.size());
    for (std::size_t row = 0; row < n_rows; ++row) {
        softmax({totals.data() + row * n_columns, n_columns},
                std::span(probabilities).subspan(row * n_columns, n_columns));
    }
    return as_numpy(std::move(probabilities), {n_rows, n_columns});
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

void bind_tables(nb::module_& module) {
    nb::class_<KeptCases>(module, "Cases", "Codes, classes and weights of the known cases; the arrays are not copied.")
        .def(nb::init<Matrix<std::uint8_t>, Array<std::int32_t>, std::optional<Array<std::int64_t>>,
                      Array<std::int32_t>, int, bool>(),
             "codes"_a, "labels"_a, "weights"_a.none(), "n_outcomes"_a, "n_classes"_a, "codes_are_checked"_a = false);
    nb::class_<PackedTable>(module, "PackedTable", "The known cases, packed and sorted by class.")
        .def(nb::new_(&pack), "cases"_a, "clock"_a)
        .def_prop_ro("n_rows", &PackedTable::n_rows)
        .def_prop_ro("total_weight", [](const PackedTable& table) {
            const auto weights = table.class_weights();
            return std::accumulate(weights.begin(), weights.end(), std::int64_t(0));
        });
    module.def("count_classes", &classes_for_python, "cases"_a, "numbers"_a, "clock"_a,
               "Weight units by test, outcome and class among some cases.");
    module.def("move_cases", &move_for_python, "cases"_a, "places"_a, "test"_a, "below"_a, "clock"_a,
               "The next place of each case of a shard.");
    module.def("count_places", &count_for_python, "cases"_a, "places"_a, "slots"_a, "n_slots"_a, "clock"_a,
               "The weight of every slot, test with outcome, and class.");
    nb::class_<Ensemble>(module, "Ensemble", "Small trees whose ends add to totals, flat and in preorder.")
        .def(nb::new_(&make_ensemble), "start"_a, "test"_a, "cut"_a, "by_equal"_a, "default_left"_a, "missing"_a,
             "right"_a, "value"_a);
    module.def("preorder", &preorder_for_python, "start"_a, "left"_a, "right"_a,
               "The nodes of all trees, each with its left subtree before its right one.");
    nb::class_<Scorer>(module, "Scorer", "Whole points per test and outcome, and small trees, which add up to totals.")
        .def(nb::new_(&make_scorer), "tests"_a, "points"_a, "intercept"_a, "trees"_a.none() = nb::none())
        .def("add_up", &add_up_for_python, "codes"_a, "Row × total, of codes with a column per test.");
    nb::class_<TotalSplit>(module, "TotalSplit", "Sides by the cuts of a total, or by the confidence in a class.")
        .def(nb::new_([](std::int32_t scorer, std::vector<std::int64_t> cuts, double confidence) {
                 return TotalSplit{scorer, std::move(cuts), confidence};
             }),
             "scorer"_a, "cuts"_a, "confidence"_a = 0.0);
    nb::class_<KeptRoute>(module, "Route", "A tree as the arrays that a walk through it reads; they are not copied.")
        .def(nb::new_([](Array<std::uint8_t> kind, Array<std::int32_t> test, Array<std::int64_t> first,
                         Array<std::int32_t> children, Array<std::int64_t> charge_at, Array<std::int64_t> charges,
                         Array<std::int32_t> rule, Array<std::int32_t> n_outcomes, std::vector<Scorer> scorers,
                         std::vector<TotalSplit> splits) {
                 return new KeptRoute(
                     {std::move(kind), std::move(test), std::move(first), std::move(children), std::move(charge_at),
                      std::move(charges), std::move(rule), std::move(n_outcomes)},
                     std::move(scorers), std::move(splits));
             }),
             "kind"_a, "test"_a, "first"_a, "children"_a, "charge_at"_a, "charges"_a, "rule"_a, "n_outcomes"_a,
             "scorers"_a, "splits"_a)
        .def("walk", &KeptRoute::walk_rows, "codes"_a, "clock"_a, "threads"_a = nb::none(),
             "Per column of codes: the leaf, what was spent, the first test with a result that is not listed, totals.");
    module.def("softmax", &softmax_for_python, "totals"_a, "Totals in millionths as probabilities, row by row.");
}

}  // namespace budgetree
