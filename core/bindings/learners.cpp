// Forests and boosting for Python.
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "models/boosting.hpp"
#include "models/forest.hpp"

namespace budgetree {
namespace {

// The rows and the arrays that they look into.
class KeptRows {
public:
    // NOLINTNEXTLINE(readability-function-size): from Python each has a name
    KeptRows(Matrix<std::uint8_t> codes, Array<std::int32_t> labels, std::optional<Array<double>> weights,
             const Array<std::int32_t>& n_outcomes, const Array<bool>& is_ordered, const Array<std::int32_t>& missing,
             int n_classes, std::optional<Array<std::int32_t>> groups)
        : codes_(std::move(codes)), labels_(std::move(labels)), weights_(std::move(weights)),
          groups_(std::move(groups)) {
        const std::size_t n_tests = codes_.shape(0);
        require(codes_.shape(1) == labels_.shape(0), "codes: expected test × row");
        require(n_outcomes.shape(0) == n_tests, "n_outcomes: expected one per test");
        require(is_ordered.shape(0) == n_tests, "is_ordered: expected one per test");
        require(missing.shape(0) == n_tests, "missing: expected one per test");
        require(!weights_ || weights_->shape(0) == labels_.shape(0), "weights: expected one per row");
        require(!groups_ || groups_->shape(0) == labels_.shape(0), "groups: expected one per row");
        rows.codes = {codes_.data(), codes_.size()};
        rows.labels = as_span(labels_);
        if (weights_) rows.weights = as_span(*weights_);
        if (groups_) rows.groups = as_span(*groups_);
        for (std::size_t test = 0; test < n_tests; ++test) {
            rows.tests.push_back({n_outcomes(test), missing(test), is_ordered(test)});
        }
        rows.n_classes = n_classes;
        if (const char* fault = find_fault(rows)) throw std::invalid_argument(fault);
    }

    void check(const TestSet& tests) const {
        for (const int test : tests) {
            require(test >= 0 && std::size_t(test) < rows.tests.size(), "sets: expected numbers of tests");
        }
    }

    CodedRows rows;

private:
    Matrix<std::uint8_t> codes_;
    Array<std::int32_t> labels_;
    std::optional<Array<double>> weights_;
    std::optional<Array<std::int32_t>> groups_;
};

ForestRequest forest_request(const KeptRows& kept, const ForestSettings& settings, std::size_t n_rows) {
    require(n_rows >= 1 && n_rows <= kept.rows.n_rows(), "n_rows: expected 1 to the number of rows");
    return {kept.rows, n_rows, settings};
}

nb::object losses(const KeptRows& kept, const std::vector<TestSet>& sets, const ForestSettings& settings,
                  std::size_t n_rows, int threads, Clock& clock) {
    for (const TestSet& tests : sets) kept.check(tests);
    require(threads >= 1, "threads: expected at least 1");
    const ForestRequest request = forest_request(kept, settings, n_rows);
    auto found = interruptible(clock, [&] { return forest_losses(request, sets, threads, clock); });
    if (!found) return nb::none();
    return nb::cast(as_numpy(std::move(*found), {sets.size(), n_rows}));
}

nb::object probabilities(const KeptRows& kept, const TestSet& tests, const ForestSettings& settings, std::size_t n_rows,
                         Clock& clock) {
    kept.check(tests);
    const ForestRequest request = forest_request(kept, settings, n_rows);
    auto found = interruptible(clock, [&] { return forest_probabilities(request, tests, clock); });
    if (!found) return nb::none();
    return nb::cast(as_numpy(std::move(*found), {n_rows, std::size_t(kept.rows.n_classes)}));
}

void bind_forest(nb::module_& module) {
    nb::class_<ForestSettings>(module, "ForestSettings", "How forests are grown.")
        .def(nb::new_([](int n_trees, int n_parts, double min_leaf, int max_depth, double smooth, std::uint64_t salt) {
                 const ForestSettings settings{n_trees, n_parts, min_leaf, max_depth, smooth, salt};
                 if (const char* fault = find_fault(settings)) throw std::invalid_argument(fault);
                 return settings;
             }),
             nb::kw_only(), "n_trees"_a = ForestSettings{}.n_trees, "n_parts"_a = ForestSettings{}.n_parts,
             "min_leaf"_a = ForestSettings{}.min_leaf, "max_depth"_a = ForestSettings{}.max_depth,
             "smooth"_a = ForestSettings{}.smooth, "salt"_a = ForestSettings{}.salt);
    module.def("forest_losses", losses, "rows"_a, "sets"_a, "settings"_a, "n_rows"_a, "threads"_a, "clock"_a,
               "Set × row: the Brier loss by trees that have not seen the row; None if out of time.");
    module.def("forest_probabilities", probabilities, "rows"_a, "tests"_a, "settings"_a, "n_rows"_a, "clock"_a,
               "Row × class: the mean probability by trees that have not seen the row; None if out of time.");
}

std::optional<Boosted> boost_rows(const KeptRows& kept, const TestSet& tests, const Matrix<double>& start,
                                  const Array<std::int32_t>& parts, const BoostingSettings& settings, int threads,
                                  Clock& clock) {
    kept.check(tests);
    require(threads >= 1, "threads: expected at least 1");
    const BoostingRequest request{kept.rows, tests, {start.data(), start.size()}, as_span(parts), settings};
    require(start.shape(1) == request.n_columns(), "start: expected row × column");
    if (const char* fault = find_fault(request)) throw std::invalid_argument(fault);
    return interruptible(clock, [&] { return boost(request, threads, clock); });
}

// Read-only views: the property that returns one keeps the object.
template <typename Shown, typename Value>
NumpyArray<const Shown> view(const std::vector<Value>& values, std::size_t n_columns = 0) {
    static_assert(sizeof(Value) == sizeof(Shown));
    const auto* data = reinterpret_cast<const Shown*>(values.data());
    if (n_columns == 0) return {data, {values.size()}};
    return {data, {values.size() / n_columns, n_columns}};
}

template <auto Member, typename Shown>
NumpyArray<const Shown> view_member(const BoostedTrees& trees) {
    return view<Shown>(trees.*Member);
}

void bind_boosting(nb::module_& module) {
    nb::class_<BoostingSettings>(module, "BoostingSettings", "How trees are boosted.")
        .def(nb::new_(
                 [](int n_leaves, double rate, double ridge, int min_leaf, int max_rounds, int patience, bool refits) {
                     const BoostingSettings settings{n_leaves, rate, ridge, min_leaf, max_rounds, patience, refits};
                     if (const char* fault = find_fault(settings)) throw std::invalid_argument(fault);
                     return settings;
                 }),
             nb::kw_only(), "n_leaves"_a = BoostingSettings{}.n_leaves, "rate"_a = BoostingSettings{}.rate,
             "ridge"_a = BoostingSettings{}.ridge, "min_leaf"_a = BoostingSettings{}.min_leaf,
             "max_rounds"_a = BoostingSettings{}.max_rounds, "patience"_a = BoostingSettings{}.patience,
             "refits"_a = BoostingSettings{}.refits);
    nb::class_<BoostedTrees>(module, "BoostedTrees", "The trees of a model, one after another.")
        .def_prop_ro("tree_start", view_member<&BoostedTrees::tree_start, std::int32_t>,
                     "Per tree its root, and the number of nodes.")
        .def_prop_ro("test", view_member<&BoostedTrees::test, std::int32_t>, "Index within the set; -1: a leaf.")
        .def_prop_ro("cut", view_member<&BoostedTrees::cut, std::uint8_t>,
                     "A code ≤ it goes left; of a nominal test = it.")
        .def_prop_ro("is_nominal", view_member<&BoostedTrees::is_nominal, bool>)
        .def_prop_ro("left", view_member<&BoostedTrees::left, std::int32_t>)
        .def_prop_ro("right", view_member<&BoostedTrees::right, std::int32_t>)
        .def_prop_ro("default_left", view_member<&BoostedTrees::default_left, bool>, "Where an unknown result goes.")
        .def_prop_ro(
            "value", [](const BoostedTrees& trees) { return view<double>(trees.value, trees.n_columns); },
            "Node × column: what a leaf adds to the scores.");
    nb::class_<Boosted>(module, "Boosted", "Models that left a part out each, and how they judge it.")
        .def_ro("n_rounds", &Boosted::n_rounds)
        .def_prop_ro(
            "losses", [](const Boosted& boosted) { return view<double>(boosted.losses); },
            "Mean log loss of the rows left out: at the start, and after each round.")
        .def_prop_ro(
            "scores", [](const Boosted& boosted) { return view<double>(boosted.scores, boosted.models[0].n_columns); },
            "Row × column after n_rounds, by the model that left the row out; NaN where none did.")
        .def_ro("models", &Boosted::models, "Per part.")
        .def_ro("refit", &Boosted::refit, "Of all rows, if asked for.");
    module.def("boost", boost_rows, "rows"_a, "tests"_a, "start"_a, "parts"_a, "settings"_a, "threads"_a, "clock"_a,
               "Boosts from the start scores (row × column); None if out of time.");
}

}  // namespace

void bind_learners(nb::module_& module) {
    nb::class_<KeptRows>(module, "CodedRows", "Rows for forests and boosting; the arrays are not copied.")
        .def(nb::init<Matrix<std::uint8_t>, Array<std::int32_t>, std::optional<Array<double>>,
                      const Array<std::int32_t>&, const Array<bool>&, const Array<std::int32_t>&, int,
                      std::optional<Array<std::int32_t>>>(),
             "codes"_a, "labels"_a, "weights"_a.none(), "n_outcomes"_a, "is_ordered"_a, "missing"_a, "n_classes"_a,
             "groups"_a = nb::none());
    bind_forest(module);
    bind_boosting(module);
}

}  // namespace budgetree
