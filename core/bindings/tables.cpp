// The known cases for Python: as they are given, packed, in partitions, and walking through a tree.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "tables/coding.hpp"
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

std::vector<std::uint8_t> as_bytes(const Array<bool>& flags) {
    return {flags.data(), flags.data() + flags.shape(0)};
}

NumpyArray<std::int32_t> preorder_for_python(Array<std::int32_t> start, Array<std::int32_t> left,
                                             Array<std::int32_t> right) {
    Preorder found = find_preorder(as_span(start), as_span(left), as_span(right));
    if (found.fault) throw std::invalid_argument(found.fault);
    return as_numpy(std::move(found.nodes));
}

Scorer make_scorer(Array<std::int32_t> tests, const std::vector<Matrix<std::int32_t>>& points,
                   Array<std::int64_t> intercept, const Ensemble* trees) {
    std::vector<std::span<const std::int32_t>> tables;
    for (const auto& table : points) {
        require(table.shape(1) == intercept.shape(0), "points: expected a column for each of the intercept");
        tables.emplace_back(table.data(), table.size());
    }
    return Scorer(as_vector(tests), tables, as_vector(intercept), trees ? *trees : Ensemble{});
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

// Someone's cells, of any distance from each other, of one type or of any.
template <typename Dimensions, typename... Cell>
using Strided = nb::ndarray<nb::ro, Dimensions, nb::device::cpu, Cell...>;
using Coders = std::vector<const Coder*>;  // nullptr where cells are codes

CellType cell_type(nb::dlpack::dtype type) {
    using Code = nb::dlpack::dtype_code;
    const auto is = [&](Code code, int bits) { return type.code == std::uint8_t(code) && type.bits == bits; };
    if (is(Code::Float, 64)) return CellType::kFloat64;
    if (is(Code::Float, 32)) return CellType::kFloat32;
    if (is(Code::Int, 64)) return CellType::kInt64;
    if (is(Code::Int, 32)) return CellType::kInt32;
    if (is(Code::Int, 16)) return CellType::kInt16;
    if (is(Code::Int, 8)) return CellType::kInt8;
    if (is(Code::UInt, 64)) return CellType::kUInt64;
    if (is(Code::UInt, 32)) return CellType::kUInt32;
    if (is(Code::UInt, 16)) return CellType::kUInt16;
    if (is(Code::UInt, 8) || is(Code::Bool, 8)) return CellType::kUInt8;
    throw std::invalid_argument("cells: expected numbers of at most 64 bits");
}

// The cells along one dimension; along another one, if there is, from this position on.
template <typename Given>
Cells cells_of(const Given& given, const Coder* coder, std::size_t along, std::size_t across = 0,
               std::int64_t position = 0) {
    const CellType type = cell_type(given.dtype());
    require(coder != nullptr || type == CellType::kUInt8, "cells: expected bytes where they are codes");
    const std::int64_t size = given.dtype().bits / 8;
    const auto* const first = reinterpret_cast<const std::byte*>(given.data());
    return {first + position * given.stride(across) * size, given.stride(along) * size, type, coder};
}

// Of rows × tests.
NumpyArray<std::int64_t> add_up_for_python(const Scorer& scorer, const Matrix<std::uint8_t>& codes) {
    std::vector<Cells> columns;
    for (std::size_t i = 0; i < scorer.tests().size(); ++i) {
        const std::int32_t test = scorer.tests()[i];
        require(test >= 0 && std::size_t(test) < codes.shape(1), "codes: expected a column for every test");
        columns.push_back(cells_of(codes, nullptr, 0, 1, test));
        columns.back().last = std::uint8_t(scorer.n_outcomes(i));
    }
    std::vector<std::int32_t> column_of(columns.size());
    std::iota(column_of.begin(), column_of.end(), 0);
    std::vector<std::uint16_t> rows(kBlockRows);
    std::iota(rows.begin(), rows.end(), std::uint16_t(0));
    const std::size_t n_rows = codes.shape(0), n_columns = scorer.n_columns();
    std::vector<std::int64_t> totals(n_rows * n_columns);
    CodedBlock block(columns);
    ScoreSheet sheet;
    for (std::size_t begin = 0; begin < n_rows; begin += kBlockRows) {
        const std::size_t n = std::min(kBlockRows, n_rows - begin);
        block.read(begin, n);
        sheet.add_up(scorer, {block.codes(), column_of}, std::span(rows).first(n), totals.data() + begin * n_columns);
    }
    return as_numpy(std::move(totals), {n_rows, n_columns});
}

// An array of NumPy's to be, every entry of which is still to be written.
template <typename T>
class Fresh {
public:
    explicit Fresh(std::size_t size) : entries_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

    std::span<T> span() { return {entries_.get(), size_}; }

    NumpyArray<T> to_numpy(std::initializer_list<std::size_t> shape) {
        T* const entries = entries_.get();
        nb::capsule owner(entries, [](void* kept) noexcept { delete[] static_cast<T*>(kept); });
        (void)entries_.release();
        return NumpyArray<T>(entries, shape, owner);
    }

private:
    std::unique_ptr<T[]> entries_;
    std::size_t size_;
};

std::unique_ptr<Coder> make_coder(Array<double> cuts, Array<std::uint8_t> codes, std::uint8_t missing) {
    require(codes.shape(0) == cuts.shape(0) + 1, "codes: expected one more than cuts");
    for (std::size_t i = 0; i < cuts.shape(0); ++i) {
        const double cut = cuts.data()[i];
        require(cut == cut && (i == 0 || cuts.data()[i - 1] <= cut), "cuts: expected ascending numbers");
    }
    return std::make_unique<Coder>(as_span(cuts), as_span(codes), missing);
}

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
        prepare(route_);
    }

    nb::tuple walk_codes(const Strided<nb::ndim<2>, std::uint8_t>& codes, Clock& clock,
                         std::optional<int> threads) const {
        require(codes.shape(0) == route_.n_outcomes.size(), "codes: expected one row per test");
        std::vector<Cells> columns;
        for (std::size_t test = 0; test < codes.shape(0); ++test) {
            columns.push_back(cells_of(codes, nullptr, 1, 0, std::int64_t(test)));
        }
        return walk_rows(columns, codes.shape(1), clock, threads);
    }

    nb::tuple walk_table(const Strided<nb::ndim<2>>& table, const Array<std::int64_t>& at, const Coders& coders,
                         Clock& clock, std::optional<int> threads) const {
        const std::size_t n_tests = route_.n_outcomes.size();
        require(at.shape(0) == n_tests, "at: expected a column for each test");
        require(coders.size() == n_tests, "coders: expected one for each test");
        std::vector<Cells> columns;
        for (std::size_t test = 0; test < n_tests; ++test) {
            const std::int64_t column = as_span(at)[test];
            require(column >= 0 && std::size_t(column) < table.shape(1), "at: expected columns of the table");
            columns.push_back(cells_of(table, coders[test], 0, 1, column));
        }
        return walk_rows(columns, table.shape(0), clock, threads);
    }

    nb::tuple walk_columns(const std::vector<Strided<nb::ndim<1>>>& given, const Coders& coders, Clock& clock,
                           std::optional<int> threads) const {
        const std::size_t n_tests = route_.n_outcomes.size();
        require(given.size() == n_tests && n_tests > 0, "columns: expected one for each of at least one test");
        require(coders.size() == n_tests, "coders: expected one for each test");
        const std::size_t n_rows = given[0].shape(0);
        std::vector<Cells> columns;
        for (std::size_t test = 0; test < n_tests; ++test) {
            require(given[test].shape(0) == n_rows, "columns: expected equally many rows");
            columns.push_back(cells_of(given[test], coders[test], 0));
        }
        return walk_rows(columns, n_rows, clock, threads);
    }

private:
    // Leaf, spent, unlisted, totals and the highest of these for every row, and whether no number was too large.
    nb::tuple walk_rows(std::vector<Cells>& columns, std::size_t n_rows, Clock& clock,
                        std::optional<int> threads) const {
        require(!threads || *threads > 0, "threads: expected at least 1");
        for (std::size_t test = 0; test < columns.size(); ++test) {
            columns[test].last = std::uint8_t(route_.n_outcomes[test]);
        }
        const std::size_t widest = route_.widest(), n_scored = widest == 0 ? 0 : n_rows;
        Fresh<std::int32_t> leaf(n_rows), unlisted(n_rows);
        Fresh<std::int64_t> spent(n_rows), totals(n_rows * widest), highest(n_scored);
        const Walks walks{columns, leaf.span(), spent.span(), unlisted.span(), totals.span(), highest.span()};
        const int n_threads = threads.value_or(int(std::thread::hardware_concurrency()));
        const bool are_exact = interruptible(clock, [&] { return walk(route_, walks, clock, n_threads); });
        return nb::make_tuple(leaf.to_numpy({n_rows}), spent.to_numpy({n_rows}), unlisted.to_numpy({n_rows}),
                              totals.to_numpy({n_rows, widest}), highest.to_numpy({n_scored}), are_exact);
    }

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
    nb::class_<Coder>(module, "Coder", "Cuts between numbers, the code of what lies between them, and that of NaN.")
        .def(nb::new_(&make_coder), "cuts"_a, "codes"_a, "missing"_a);
    nb::class_<Ensemble>(module, "Ensemble", "Small trees whose ends add to totals, flat and in preorder.")
        .def(nb::new_([](Array<std::int32_t> start, Array<std::int32_t> test, Array<std::uint8_t> cut,
                         Array<bool> by_equal, Array<bool> default_left, Array<std::int16_t> missing,
                         Array<std::int32_t> right, Matrix<std::int32_t> value) {
                 return Ensemble{as_vector(start),       as_vector(test),
                                 as_vector(cut),         as_bytes(by_equal),
                                 as_bytes(default_left), as_vector(missing),
                                 as_vector(right),       {value.data(), value.data() + value.size()}};
             }),
             "start"_a, "test"_a, "cut"_a, "by_equal"_a, "default_left"_a, "missing"_a, "right"_a, "value"_a);
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
        .def("walk", &KeptRoute::walk_codes, "codes"_a, "clock"_a, "threads"_a = nb::none(),
             "Per column of codes: the leaf, what was spent, the first test with a result that is not listed, totals, "
             "the highest of them; and whether no number is so large that digits may be lost.")
        .def("walk_table", &KeptRoute::walk_table, "table"_a, "at"_a, "coders"_a, "clock"_a, "threads"_a = nb::none(),
             "The same per row of numbers, or of codes where a coder is None; each test has one of the columns.")
        .def("walk_columns", &KeptRoute::walk_columns, "columns"_a, "coders"_a, "clock"_a, "threads"_a = nb::none(),
             "The same for columns of different types.");
    module.def("softmax", &softmax_for_python, "totals"_a, "Totals in millionths as probabilities, row by row.");
}

}  // namespace budgetree
