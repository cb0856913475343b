// Forests and boosting for Python.
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "models/forest.hpp"

namespace budgetree {
namespace {

// The rows and the arrays that they look into.
class KeptRows {
public:
    KeptRows(Matrix<std::uint8_t> codes, Array<std::int32_t> labels, std::optional<Array<double>> weights,
             const Array<std::int32_t>& n_outcomes, const Array<bool>& is_ordered, const Array<std::int32_t>& missing,
             int n_classes)
        : codes_(std::move(codes)), labels_(std::move(labels)), weights_(std::move(weights)) {
        const std::size_t n_tests = codes_.shape(0);
        require(codes_.shape(1) == labels_.shape(0), "codes: expected test × row");
        require(n_outcomes.shape(0) == n_tests, "n_outcomes: expected one per test");
        require(is_ordered.shape(0) == n_tests, "is_ordered: expected one per test");
        require(missing.shape(0) == n_tests, "missing: expected one per test");
        require(!weights_ || weights_->shape(0) == labels_.shape(0), "weights: expected one per row");
        rows.codes = {codes_.data(), codes_.size()};
        rows.labels = as_span(labels_);
        if (weights_) rows.weights = as_span(*weights_);
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

}  // namespace

void bind_learners(nb::module_& module) {
    nb::class_<KeptRows>(module, "CodedRows", "Rows for forests and boosting; the arrays are not copied.")
        .def(nb::init<Matrix<std::uint8_t>, Array<std::int32_t>, std::optional<Array<double>>,
                      const Array<std::int32_t>&, const Array<bool>&, const Array<std::int32_t>&, int>(),
             "codes"_a, "labels"_a, "weights"_a.none(), "n_outcomes"_a, "is_ordered"_a, "missing"_a, "n_classes"_a);
    bind_forest(module);
}

}  // namespace budgetree
