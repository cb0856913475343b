// Exact search for Python.
#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "exact/exact_search.hpp"

namespace budgetree {
namespace {

// Runs a search that has something to say also where Ctrl-C ends it: the clock tells that it was interrupted, and
// KeyboardInterrupt is not raised.
template <typename Work>
auto without_interrupt(Clock& clock, Work work) {
    auto result = without_gil(work);
    if (clock.was_interrupted()) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
        PyErr_Clear();
    }
    return result;
}

std::vector<Units> one_per_case(const Array<Units>& unavoidable, const Cases& cases, const LeafPolicy& policy) {
    require(policy.n_classes() == cases.n_classes, "policy: expected as many classes as the cases have");
    require(unavoidable.shape(0) == cases.size(), "unavoidable: expected one entry per case");
    for (std::size_t number = 0; number < cases.size(); ++number) {
        const Units loss = unavoidable.data()[number], most = policy.largest(cases.labels[number]);
        require(0 <= loss && loss <= cases.weight(number) * most, "unavoidable: expected at most what a case may lose");
    }
    return as_vector(unavoidable);
}

// Runs the search of the least number of resources that the costs have room in.
class PythonSearch {
public:
    PythonSearch(const KeptCases& cases, const CostModel& costs, const LeafPolicy& policy, Array<Units> unavoidable,
                 std::size_t cache_bytes, bool may_count_pairs)
        : n_classes_(cases.cases.n_classes), n_tests_(cases.cases.n_tests()),
          labels_(cases.cases.labels.begin(), cases.cases.labels.end()),
          weights_(cases.cases.weights.begin(), cases.cases.weights.end()) {
        fitting(costs, cases.cases.n_tests(), std::ranges::max(cases.cases.n_outcomes));
        const auto make = costs.n_resources() == 1   ? exact_1::make_search
                          : costs.n_resources() == 2 ? exact_2::make_search
                                                     : exact_4::make_search;
        search_ = make(
            {cases.cases, costs, policy, one_per_case(unavoidable, cases.cases, policy), cache_bytes, may_count_pairs});
    }

    std::optional<BudgetAnswer> ask(const BudgetQuestion& question, Clock& clock, const Pass& pass) {
        check(question);
        return without_interrupt(clock, [&] { return search_->ask(question, clock, pass); });
    }

    std::optional<nb::dict> tree(const BudgetQuestion& question, Clock& clock, const Pass& pass) {
        check(question);
        const auto found = without_interrupt(clock, [&] { return search_->tree(question, clock, pass); });
        return found ? std::optional(as_dict(*found)) : std::nullopt;
    }

    nb::tuple search_in_parallel(const BudgetQuestion& question, Clock& clock, int threads, double bound_seconds,
                                 Units known_bound) {
        check(question);
        require(1 <= threads && threads <= kMaxThreads, "threads: expected 1 to 1024");
        const LongSearchSettings settings{threads, bound_seconds, known_bound};
        const LongAnswer found =
            without_interrupt(clock, [&] { return search_->search_in_parallel(question, clock, settings); });
        std::optional<nb::dict> tree;
        if (found.tree) tree = as_dict(*found.tree);
        return nb::make_tuple(found, tree);
    }

    Units lower_bound(const BudgetQuestion& question, Units wanted, Clock& clock) {
        return without_interrupt(clock, [&] { return search_->lower_bound(question.budget, wanted, clock); });
    }

    Units fewest_errors_of_triples() {
        require(search_->counts_triples(), "triples: expected few binary cases");
        return search_->fewest_errors_of_triples();
    }

    bool counts_pairs() const { return search_->counts_pairs(); }

private:
    static constexpr int kMaxThreads = 1024;

    void check(const BudgetQuestion& question) const {
        require(question.budget < kNever, "budget: expected less than NEVER");
        if (question.only == kNoTest) return;
        require(0 <= question.only && question.only < n_tests_, "only: expected the number of a test");
        require(search_->affords(question.budget, question.only), "only: expected a test that the budget affords");
    }
    nb::dict as_dict(const FoundTree& tree) const;

    int n_classes_, n_tests_;
    std::vector<std::int32_t> labels_;
    std::vector<Units> weights_;  // empty where every case counts one
    std::unique_ptr<ExactSearch> search_;
};

nb::dict PythonSearch::as_dict(const FoundTree& tree) const {
    const std::size_t size = tree.nodes.size();
    std::vector<std::int32_t> test, parent, outcome;
    std::vector<Units> paid, counts(size * n_classes_);
    for (std::size_t number = 0; number < size; ++number) {
        const FoundTree::Node& node = tree.nodes[number];
        test.push_back(node.test);
        parent.push_back(node.parent);
        outcome.push_back(node.outcome);
        paid.push_back(node.paid);
        for (const std::int32_t object : node.objects) {
            counts[number * n_classes_ + labels_[object]] += weights_.empty() ? 1 : weights_[object];
        }
    }
    nb::dict arrays;
    arrays["test"] = as_numpy(std::move(test));
    arrays["parent"] = as_numpy(std::move(parent));
    arrays["outcome"] = as_numpy(std::move(outcome));
    arrays["paid"] = as_numpy(std::move(paid));
    arrays["counts"] = as_numpy(std::move(counts), {size, std::size_t(n_classes_)});
    return arrays;
}

BudgetQuestion question_of(Units budget, Units cutoff, int only) {
    return {.budget = budget, .cutoff = cutoff, .only = only};
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.attr("ALL_TESTS") = kAllTests;
    module.attr("NEVER") = kNever;
    module.attr("WORKERS") = kWorkers;
    nb::class_<Pass>(module, "Pass", "How many tests are tried at each set; less than all proves nothing.")
        .def(nb::new_([](int breadth, bool is_wide_first, Units max_pair_work) {
                 return Pass{breadth, is_wide_first, max_pair_work};
             }),
             "breadth"_a = kAllTests, "is_wide_first"_a = false, "max_pair_work"_a = kNever)
        .def_ro("breadth", &Pass::breadth)
        .def_ro("is_wide_first", &Pass::is_wide_first);
    nb::class_<BudgetQuestion>(module, "Question",
                               "Which budget, below which errors, and with which first test if any.")
        .def(nb::new_(&question_of), "budget"_a, "cutoff"_a = kNever, "only"_a = kNoTest)
        .def_rw("is_canonical", &BudgetQuestion::is_canonical);
    nb::class_<BudgetAnswer>(module, "Answer", "What a search says of a budget; see core/exact/exact_search.hpp.")
        .def_ro("value", &BudgetAnswer::value)
        .def_ro("changes", &BudgetAnswer::changes)
        .def_ro("need", &BudgetAnswer::need)
        .def_ro("test", &BudgetAnswer::test);
    nb::class_<LongAnswer>(module, "ParallelSearchResult", "What the threads of a long search have found.")
        .def_ro("answer", &LongAnswer::answer)
        .def_ro("lower_bound", &LongAnswer::lower_bound)
        .def_ro("tree_errors", &LongAnswer::tree_errors);
    nb::class_<PythonSearch>(module, "Search", "Exact search on one table; what it learns stays until it is deleted.")
        .def(nb::init<const KeptCases&, const CostModel&, const LeafPolicy&, Array<Units>, std::size_t, bool>(),
             "cases"_a, "costs"_a, "policy"_a, "unavoidable"_a, "cache_bytes"_a, "may_count_pairs"_a = true)
        .def_prop_ro("counts_pairs", &PythonSearch::counts_pairs)
        .def("ask", &PythonSearch::ask, "question"_a, "clock"_a, "pass_"_a = Pass{})
        .def("tree", &PythonSearch::tree, "question"_a, "clock"_a, "pass_"_a = Pass{})
        .def("fewest_errors_of_triples", &PythonSearch::fewest_errors_of_triples)
        .def("lower_bound", &PythonSearch::lower_bound, "question"_a, "wanted"_a, "clock"_a)
        .def("search_in_parallel", &PythonSearch::search_in_parallel, "question"_a, "clock"_a, "threads"_a,
             "bound_seconds"_a = 0.0, "known_bound"_a = 0);
}

}  // namespace budgetree
