// Exact search: the fewest errors of any tree on a set of cases within a budget.
//
//     search(set, budget, cutoff)
//       at most one test is affordable    count them all
//       at most two are                   count all pairs
//       else                              for each test, the most promising first:
//                                           its parts, each with what the others leave of the cutoff
//
// What makes it fast: the last two tests are counted and not searched (binary_pairs, outcome_splits); what is learned
// of a set is kept whatever path led to it (memory); every answer says up to which budget it holds; and for binary
// tests what is proven of one test's parts bounds the next one's (similarity).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "exact/binary_pairs.hpp"
#include "exact/cache.hpp"
#include "exact/outcome_splits.hpp"

namespace budgetree::BUDGETREE_EXACT {

struct Question {
    Remaining remaining = {};
    Units cutoff = kNever;      // only errors below it are of interest
    int only = kNoTest;         // leave out all trees that do not begin with this test
    bool is_canonical = false;  // the value is cutoff − 1: which test of the ranking reaches it first?
};

// One thread's search, with its own memory. Where the clock interrupts it, it answers nothing, and everything that it
// has learned stays true.
class Search {
public:
    Search(const ExactTable& table, std::size_t cache_bytes);
    Search(const Search&) = delete;  // its pairs tell it what they spend
    Search& operator=(const Search&) = delete;

    struct Limits {
        Watch* watch;
        Pass pass = {};
    };

    std::optional<Answer> ask(const ObjectSet& set, const Question& question, const Limits& limits);

    // The tree behind the answer for the whole. Canonical: at each set the cheapest test that reaches the optimum, and
    // of these the first of its own ranking, whatever was searched before.
    std::optional<FoundTree> tree(const Question& question, const Limits& limits);

    // The whole set's affordable tests, most promising first; empty where two tests are all that a path can afford.
    std::optional<std::vector<std::int32_t>> ranking(const Remaining& remaining, const Limits& limits);

    const ExactTable& table() const { return table_; }

private:
    struct Stopped {};

    Answer search(const ObjectSet& set, const Question& question, int depth);
    Answer with_one_test(const ObjectSet& set, const Remaining& remaining, const Level& above);
    Answer with_two_tests(const ObjectSet& set, const Question& question, const Level& above);
    std::optional<Answer> remembered(const ObjectSet& set, const Question& question, int depth, Answer& best,
                                     Answer& proven) const;
    Answer try_tests(const ObjectSet& set, const Question& question, int depth, Answer best, const Answer& proven);
    Ranking prepare(const ObjectSet& set, const Question& question, int depth);
    // The errors of all parts of the test together: exact if below the bound.
    Units try_test(const ObjectSet& set, const Question& question, int test, int depth, Units bound);
    Units bound_parts(const ObjectSet& set, const Question& question, int test, int depth, Units bound);
    Units recall_parts(const Question& question, int test, int depth);
    void settle_binary_parts(const Question& question, int test, int depth);
    int choose_for_tree(const ObjectSet& set, const Question& question, bool is_canonical);
    void split_apart(const FoundTree::Node& node, std::vector<FoundTree::Node>& nodes, int number);

    Remaining after(const Question& question, int test, int outcome) const;
    Level& level_at(int depth);
    const Chain& chain_at(int depth, Flags flags);  // of the tests there, on a path with these flags
    std::uint32_t pass(const Amounts& left, int depth) const;
    std::size_t breadth_at(int depth) const {
        return std::size_t(limits_.pass.is_wide_first && depth == 1 ? kAllTests : limits_.pass.breadth);
    }
    bool may_count_pairs(const ObjectSet& set, const Level& above) const;
    bool proves() const { return limits_.pass.proves(); }
    void spend(std::int64_t work);

    const ExactTable& table_;
    Memory memory_;
    OutcomeSplits splits_;
    std::unique_ptr<BinaryPairs> pairs_;          // where the table's pairs are counted
    std::vector<std::unique_ptr<Level>> levels_;  // 0 is above everything: all tests
    Limits limits_;
    std::int64_t work_ = 0;
};

}  // namespace budgetree::BUDGETREE_EXACT
