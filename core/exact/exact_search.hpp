// Exact search as others see it, whatever the number of resources: questions are about budgets, of the first resource.
// Everything else in this folder is compiled once for each number of resources (1, 2, 4), each in a namespace of its
// own, so that one resource is as fast as if there were no others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "cost/leaf_policy.hpp"
#include "tables/cases.hpp"

namespace budgetree {

inline constexpr int kNoTest = -1;
inline constexpr Units kNever = Units(1) << 62;  // a budget beyond any other
inline constexpr int kAllTests = 1 << 30;        // a breadth that leaves nothing out
// Workers where the work is limited: with more, each has to learn again what others have learned.
inline constexpr int kWorkers = 4;

// How many tests are tried at each set. Less than all proves nothing and finds good trees early.
struct Pass {
    int breadth = kAllTests;
    // All at the first set, so that each test there is judged by what the pass makes of its parts: a rollout.
    bool is_wide_first = false;
    // About how many nanoseconds counting all pairs of a set may take where not all tests are tried; beyond it the last
    // two tests are tried like the others.
    std::int64_t max_pair_work = kNever;

    bool proves() const { return breadth >= kAllTests; }
};

// A tree as it is read off a search: numbered breadth first.
struct FoundTree {
    struct Node {
        int test, parent, outcome;
        Units paid;                         // of the first resource
        std::vector<std::int32_t> objects;  // sorted by class
    };
    std::vector<Node> nodes;
};

struct BudgetQuestion {
    Units budget = 0;
    Units cutoff = kNever;      // only errors below it are of interest
    int only = kNoTest;         // leave out all trees that do not begin with this test
    bool is_canonical = false;  // the value is cutoff − 1: which test of the ranking reaches it first?
};

struct BudgetAnswer {
    Units value = 0;         // the fewest errors if below the cutoff, else a lower bound of at least the cutoff
    Units changes = kNever;  // the least larger budget at which that may no longer hold
    Units need = 0;          // what the tree that was found needs
    int test = kNoTest;      // its first test; kNoTest for a leaf
};

// What several threads have found when they end.
struct LongAnswer {
    std::optional<BudgetAnswer> answer;  // of the whole; none if stopped
    Units lower_bound = 0;               // proven also if stopped
    std::optional<FoundTree> tree;       // the best that was found below the cutoff
    Units tree_errors = kNever;
};

struct LongSearchSettings {
    int n_threads = 1;
    double bound_seconds = 0;  // for the bound from below, of work where that is limited; 0: none
    Units known_bound = 0;     // proven before
};

struct ExactProblem {
    const Cases& cases;
    const CostModel& costs;
    const LeafPolicy& policy;
    std::vector<Units> unavoidable;  // per case
    std::size_t cache_bytes;         // per worker
    bool may_count_pairs;
};

// The table and the searches on it; what they learn stays until they are deleted.
class ExactSearch {
public:
    virtual ~ExactSearch() = default;

    virtual bool counts_pairs() const = 0;
    virtual bool counts_triples() const = 0;
    virtual bool affords(Units budget, int test) const = 0;  // as a first test

    // Nothing where the clock is over first.
    virtual std::optional<BudgetAnswer> ask(const BudgetQuestion& question, Clock& clock, const Pass& pass) = 0;
    virtual std::optional<FoundTree> tree(const BudgetQuestion& question, Clock& clock, const Pass& pass) = 0;
    virtual LongAnswer search_in_parallel(const BudgetQuestion& question, Clock& clock,
                                          const LongSearchSettings& settings) = 0;
    // As the parallel search does it, for one number of errors; 0 where the clock was over first.
    virtual Units lower_bound(Units budget, Units wanted, Clock& clock) = 0;
    // Of the whole with any three tests, by itself so that a test can hold it against a reference.
    virtual Units fewest_errors_of_triples() = 0;
};

namespace exact_1 {
std::unique_ptr<ExactSearch> make_search(ExactProblem problem);
}
namespace exact_2 {
std::unique_ptr<ExactSearch> make_search(ExactProblem problem);
}
namespace exact_4 {
std::unique_ptr<ExactSearch> make_search(ExactProblem problem);
}

}  // namespace budgetree
