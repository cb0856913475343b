// budgetree._core.parts: components by themselves, so that tests can hold each against a reference implementation.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "growth/choice.hpp"
#include "tables/counting.hpp"
#include "tables/packed_table.hpp"

namespace budgetree {
namespace {

BigUInt big_of(const nb::bytes& bytes) {
    return BigUInt::from_bytes({reinterpret_cast<const std::uint8_t*>(bytes.c_str()), bytes.size()});
}

nb::bytes bytes_of(const BigUInt& whole) {
    std::vector<char> bytes;
    for (const std::uint64_t limb : whole.limbs()) {
        for (int i = 0; i < 8; ++i) bytes.push_back(char(limb >> 8 * i & 255));
    }
    return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes calculate(const std::string& operation, const nb::bytes& a, const nb::bytes& b) {
    const BigUInt left = big_of(a), right = big_of(b);
    if (operation == "+") return bytes_of(left + right);
    if (operation == "-") return bytes_of(excess(left, right));
    if (operation == "*") return bytes_of(left * right);
    throw std::invalid_argument("operation: expected +, - or *");
}

int compare(const nb::bytes& a, const nb::bytes& b) {
    const auto order = big_of(a) <=> big_of(b);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// The codes and weights of the rows, in their order.
std::tuple<NumpyArray<std::uint8_t>, NumpyArray<double>> unpack(const PackedTable& table) {
    const RowLayout& layout = table.layout();
    std::vector<std::uint8_t> codes;
    std::vector<double> weights;
    for (std::size_t row = 0; row < table.n_rows(); ++row) {
        const std::uint8_t* packed = table.rows().row(row);
        for (int test = 0; test < layout.n_tests(); ++test) codes.push_back(std::uint8_t(layout.outcome(packed, test)));
        weights.push_back(layout.weight(packed));
    }
    return {as_numpy(std::move(codes), {table.n_rows(), std::size_t(layout.n_tests())}), as_numpy(std::move(weights))};
}

// Test × outcome × class; the cells of classes that are absent are not looked at.
template <typename Count>
NumpyArray<std::int64_t> array_of(const RowLayout& layout, const NodeCounts<Count>& counts, const ClassList& classes) {
    const std::size_t width = layout.max_outcomes(), n_classes = layout.n_classes();
    std::vector<std::int64_t> array(layout.n_tests() * width * n_classes);
    for (int test = 0; test < layout.n_tests(); ++test) {
        for (int outcome = 0; outcome < layout.n_outcomes(test); ++outcome) {
            for (const int c : classes) {
                array[(test * width + outcome) * n_classes + c] =
                    std::int64_t(counts.of(c)[layout.cell(test, outcome)]);
            }
        }
    }
    return as_numpy(std::move(array), {std::size_t(layout.n_tests()), width, n_classes});
}

template <typename Count>
NumpyArray<std::int64_t> count_by(const PackedTable& table, std::span<const std::int32_t> numbers) {
    NodeCounts<Count> counts(table.layout());
    Clock clock(1e9);
    Watch watch(clock);
    table.count(numbers, counts, watch);
    std::vector<std::int64_t> present(table.layout().n_classes());
    for (const std::int32_t number : numbers) {
        std::int64_t end = 0;
        int c = -1;
        while (number >= end) end += table.class_sizes()[++c];
        present[c] = 1;
    }
    return array_of(table.layout(), counts, classes_of(present));
}

NumpyArray<std::int64_t> count(const PackedTable& table, Array<std::int32_t> numbers) {
    return table.layout().is_weighted() ? count_by<double>(table, as_span(numbers))
                                        : count_by<std::uint32_t>(table, as_span(numbers));
}

NumpyArray<std::int64_t> count_all(const PackedTable& table) {
    const ClassList classes = classes_of(table.class_sizes());
    return table.layout().is_weighted() ? array_of(table.layout(), table.counts<double>(), classes)
                                        : array_of(table.layout(), table.counts<std::uint32_t>(), classes);
}

// A node whose counts are given.
template <typename Count>
NodeCounts<Count> counts_of(const RowLayout& layout, const std::int64_t* array, int width) {
    NodeCounts<Count> counts(layout);
    for (int test = 0; test < layout.n_tests(); ++test) {
        for (int outcome = 0; outcome < width; ++outcome) {
            for (int c = 0; c < layout.n_classes(); ++c) counts.of(c)[layout.cell(test, outcome)] = Count(*array++);
        }
    }
    return counts;
}

// The impurity on each row of counts, by the vectors: as if each were the only outcome of a test.
template <typename Count>
std::vector<double> values_by(const IntegerImpurity& impurity, const Matrix<std::int64_t>& sets, bool is_weighted) {
    const RowLayout layout(std::vector<std::int32_t>(sets.shape(0), 1), int(sets.shape(1)), is_weighted);
    const auto counts = counts_of<Count>(layout, sets.data(), 1);
    ClassList classes(sets.shape(1));
    for (std::size_t c = 0; c < classes.size(); ++c) classes[c] = std::int32_t(c);
    std::vector<double> kept(layout.n_lanes());
    const CountedNode node = counted_node(layout, counts, classes);
    impurity.fill(node, node, {kept.data(), false, nullptr, nullptr});
    kept.resize(sets.shape(0));
    return kept;
}

NumpyArray<double> values(const IntegerImpurity& impurity, Matrix<std::int64_t> sets, bool is_weighted) {
    return as_numpy(is_weighted ? values_by<double>(impurity, sets, true)
                                : values_by<std::uint32_t>(impurity, sets, false));
}

template <typename Count>
Choice choose_by(const Cube<std::int64_t>& array, const CostModel& costs, const GrowthSettings& settings,
                 const PathState& state, bool is_weighted) {
    const int n_tests = int(array.shape(0)), width = int(array.shape(1)), n_classes = int(array.shape(2));
    const RowLayout layout(std::vector<std::int32_t>(n_tests, width), n_classes, is_weighted);
    const auto counts = counts_of<Count>(layout, array.data(), width);
    std::vector<std::int64_t> weights(n_classes);
    for (int i = 0; i < width * n_classes; ++i) weights[i % n_classes] += array.data()[i];
    Chooser chooser(layout, costs);
    chooser.use(settings);
    if (chooser.stops(weights, state)) return {};
    const ClassList classes = classes_of(weights);
    Facts facts(layout);
    chooser.find_facts(counts, classes, facts);
    Clock clock(1e9);
    Watch watch(clock);
    return chooser.choose<Count>({weights, classes, counts, facts, state}, watch);
}

std::tuple<int, bool> choose(Cube<std::int64_t> counts, const CostModel& costs, const GrowthSettings& settings,
                             const PathState& state, bool is_weighted) {
    const Choice choice = is_weighted ? choose_by<double>(counts, costs, settings, state, true)
                                      : choose_by<std::uint32_t>(counts, costs, settings, state, false);
    return {choice.test, choice.is_fallback};
}

}  // namespace

void bind_parts(nb::module_& module) {
    nb::module_ parts = module.def_submodule("parts", "Components by themselves, for tests.");
    parts.def("calculate", &calculate, "operation"_a, "a"_a, "b"_a);
    parts.def("compare", &compare, "a"_a, "b"_a);
    parts.def("unpack", &unpack, "table"_a);
    parts.def("count", &count, "table"_a, "numbers"_a);
    parts.def("count_all", &count_all, "table"_a);
    parts.def("values", &values, "impurity"_a, "sets"_a, "is_weighted"_a);
    parts.def(
        "exact_value",
        [](const IntegerImpurity& impurity, Array<std::int64_t> counts) {
            return bytes_of(impurity.exact_value(as_span(counts)));
        },
        "impurity"_a, "counts"_a);
    parts.def(
        "value",
        [](const IntegerImpurity& impurity, Array<std::int64_t> counts) { return impurity.value(as_span(counts)); },
        "impurity"_a, "counts"_a);
    parts.def("error_bound", &IntegerImpurity::error_bound, "impurity"_a, "total"_a, "factor"_a);
    parts.def("choose", &choose, "counts"_a, "costs"_a, "settings"_a, "state"_a, "is_weighted"_a);
}

}  // namespace budgetree
