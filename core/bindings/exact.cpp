// Exact search for Python.
#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "exact/common_core.hpp"
#include "exact/parallel_search.hpp"
#include "simd/triple_simd.hpp"

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

// The table and the searches on it; the first one serves all short questions.
class PythonSearch {
public:
    PythonSearch(const KeptCases& cases, const CostModel& costs, const LeafPolicy& policy, Array<Units> unavoidable,
                 std::size_t cache_bytes, bool may_count_pairs)
        : table_(cases.cases, fitting(costs, cases.cases.n_tests(), std::ranges::max(cases.cases.n_outcomes)), policy,
                 one_per_case(unavoidable, cases.cases, policy), may_count_pairs),
          cache_bytes_(cache_bytes) {
        searches_.push_back(std::make_unique<Search>(table_, cache_bytes));
    }

    PythonSearch(const PythonSearch&) = delete;
    PythonSearch& operator=(const PythonSearch&) = delete;

    std::optional<Answer> ask(const Question& question, Clock& clock, const Pass& pass) {
        check(question);
        return without_interrupt(clock, [&] {
            Watch watch(clock);
            return searches_.front()->ask(table_.whole, question, {&watch, pass});
        });
    }

    std::optional<FoundTree> tree(const Question& question, Clock& clock, const Pass& pass) {
        check(question);
        return without_interrupt(clock, [&] {
            Watch watch(clock);
            return searches_.front()->tree(question, {.watch = &watch, .pass = pass});
        });
    }

    ParallelSearchResult run_race(const Question& question, Clock& clock, int threads, double bound_seconds,
                                  Units known_bound) {
        check(question);
        require(1 <= threads && threads <= kMaxThreads, "threads: expected 1 to 1024");
        const ParallelSearchSettings settings{threads, bound_seconds, known_bound, cache_bytes_};
        return without_interrupt(clock,
                                 [&] { return search_in_parallel(searches_, answered_, question, settings, clock); });
    }

    // As the parallel search does it, for one number of errors; 0 where the clock was over first.
    Units lower_bound(const Question& question, Units wanted, Clock& clock) {
        return without_interrupt(clock, [&] {
            return CommonCore(*searches_.front(), Watch(clock)).lower_bound(question.remaining, wanted);
        });
    }

    // Of the whole with any three tests, by itself so that a test can hold it against a twin.
    Units fewest_errors_of_triples() {
        require(table_.counts_pairs && table_.policy.n_answers() <= kMaxTripleClasses,
                "triples: expected few binary cases");
        return BinaryTriples(table_, [](std::int64_t) {}).fewest_errors(table_.whole);
    }

    const ExactTable& table() const { return table_; }

private:
    static constexpr int kMaxThreads = 1024;

    void check(const Question& question) const {
        require(question.remaining.budget() < kNever, "budget: expected less than NEVER");
        if (question.only == kNoTest) return;
        require(0 <= question.only && question.only < table_.n_tests, "only: expected the number of a test");
        require(table_.costs.may_buy(question.remaining.state, question.only, question.remaining.limit),
                "only: expected a test that the budget affords");
    }

    ExactTable table_;
    std::size_t cache_bytes_;
    std::vector<std::unique_ptr<Search>> searches_;
    AnsweredTests answered_;
};

nb::dict as_dict(const FoundTree& tree, const ExactTable& table) {
    const std::size_t size = tree.nodes.size();
    std::vector<std::int32_t> test, parent, outcome;
    std::vector<Units> paid, counts(size * table.n_classes);
    for (std::size_t number = 0; number < size; ++number) {
        const FoundTree::Node& node = tree.nodes[number];
        test.push_back(node.test);
        parent.push_back(node.parent);
        outcome.push_back(node.outcome);
        paid.push_back(node.paid);
        for (const std::int32_t object : node.objects) {
            counts[number * table.n_classes + table.labels[object]] += table.weights[object];
        }
    }
    nb::dict arrays;
    arrays["test"] = as_numpy(std::move(test));
    arrays["parent"] = as_numpy(std::move(parent));
    arrays["outcome"] = as_numpy(std::move(outcome));
    arrays["paid"] = as_numpy(std::move(paid));
    arrays["counts"] = as_numpy(std::move(counts), {size, std::size_t(table.n_classes)});
    return arrays;
}

Question question_of(Units budget, Units cutoff, int only) {
    return {.remaining = {.limit = budget}, .cutoff = cutoff, .only = only};
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
             "breadth"_a = kAllTests, "is_wide_first"_a = false, "max_pair_work"_a = kNever);
    nb::class_<Question>(module, "Question", "Which budget, below which errors, and with which first test if any.")
        .def(nb::new_(&question_of), "budget"_a, "cutoff"_a = kNever, "only"_a = kNoTest)
        .def_rw("is_canonical", &Question::is_canonical);
    nb::class_<Answer>(module, "Answer", "What a search says of a set and a budget; see core/object_set.hpp.")
        .def_ro("value", &Answer::value)
        .def_ro("changes", &Answer::changes)
        .def_ro("need", &Answer::need)
        .def_ro("test", &Answer::test);
    nb::class_<ParallelSearchResult>(module, "ParallelSearchResult", "What the threads of a long search have found.")
        .def_ro("answer", &ParallelSearchResult::answer)
        .def_ro("lower_bound", &ParallelSearchResult::lower_bound)
        .def_ro("tree_errors", &ParallelSearchResult::tree_errors);
    nb::class_<PythonSearch>(module, "Search", "Exact search on one table; what it learns stays until it is deleted.")
        .def(nb::init<const KeptCases&, const CostModel&, const LeafPolicy&, Array<Units>, std::size_t, bool>(),
             "cases"_a, "costs"_a, "policy"_a, "unavoidable"_a, "cache_bytes"_a, "may_count_pairs"_a = true)
        .def_prop_ro("counts_pairs", [](const PythonSearch& search) { return search.table().counts_pairs; })
        .def("ask", &PythonSearch::ask, "question"_a, "clock"_a, "pass_"_a = Pass{})
        .def(
            "tree",
            [](PythonSearch& search, const Question& question, Clock& clock,
               const Pass& pass) -> std::optional<nb::dict> {
                const auto tree = search.tree(question, clock, pass);
                if (!tree) return std::nullopt;
                return as_dict(*tree, search.table());
            },
            "question"_a, "clock"_a, "pass_"_a = Pass{})
        .def("fewest_errors_of_triples", &PythonSearch::fewest_errors_of_triples)
        .def("lower_bound", &PythonSearch::lower_bound, "question"_a, "wanted"_a, "clock"_a)
        .def(
            "search_in_parallel",
            [](PythonSearch& search, const Question& question, Clock& clock, int threads, double bound_seconds,
               Units known_bound) {
                const auto found = search.run_race(question, clock, threads, bound_seconds, known_bound);
                std::optional<nb::dict> tree;
                if (found.tree) tree = as_dict(*found.tree, search.table());
                return nb::make_tuple(found, tree);
            },
            "question"_a, "clock"_a, "threads"_a, "bound_seconds"_a = 0.0, "known_bound"_a = 0);
}

}  // namespace budgetree
