// Tests of any number of outcomes, on cases of any weight: one test counted, or two, one after the other.
//
//     set      │ class 2    │ class 5 │ class 7          │      sorted by class; runs say where each one ends
//     votes    outcome × run                                   weights; with losses also outcome × answer, gains
//
// Few of many classes are left in a small set, so the tables to clear and to add up are small too. Where cases count
// once and outcomes are few, one test is counted 32 at a time (split_lanes.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "exact/search_level.hpp"
#include "simd/split_simd.hpp"

namespace budgetree::BUDGETREE_EXACT {

// The tests that a path may do, in their order; while less than `changes` is left there are no others.
struct Affordable {
    std::vector<std::int32_t> tests;
    Amounts changes = kUnlimited;
    std::optional<Remaining> made_for;
};

void find_affordable(const CostModel& costs, const std::vector<std::int32_t>& tests, const Remaining& remaining,
                     Affordable& found);

// One test's errors on a set; kNoTest where a leaf is as good.
struct BestSplit {
    Units errors;
    int test;
};

class OutcomeSplits {
public:
    explicit OutcomeSplits(const ExactTable& table);

    // The fewest errors with at most one of the tests, and the first test that reaches them.
    BestSplit best_split(const ObjectSet& set, const std::vector<std::int32_t>& tests);

    // The parts' keys and unavoidable errors alone: enough to ask the memory before anything is sorted.
    void sum_keys(const ObjectSet& set, int test, Level& level);

    // Sorts the set's objects by the outcome of the test into level.objects, each part by class, and describes the rest
    // of the parts. level.runs are the set's.
    void split(const ObjectSet& set, int test, Level& level);

    Ranking rank(const ObjectSet& set, const Remaining& remaining, const Level& above, Level& level);

    // The answer where two tests are left. Throws what `spend` throws; it is told about the work of each first test.
    template <typename Spend>
    Answer last_two(const ObjectSet& set, const Remaining& remaining, const Level& above, Units cutoff, Spend spend);

private:
    using Runs = std::vector<std::int32_t>;  // where each class that the set has ends

    void find_runs(const ObjectSet& set, Runs& runs) const;
    void find_gains(const ObjectSet& set, const Runs& runs, SetGains& gains);
    // What the part of an outcome loses as a leaf, from the votes.
    void describe_leaf(const Level& level, int outcome, Part& part);
    bool counts_by_simd() const {
        return table_.has_unit_weights && table_.width <= kMaxLevels && table_.n_cases < 1 << 16;
    }
    bool scores_by_simd() const {
        return counts_by_simd() && table_.fits_words &&
               (table_.policy.is_plain() || table_.policy.n_answers() <= kMaxAnswers);
    }
    ClassRuns by_simd(const ObjectSet& set, const Runs& runs) const;
    void count_right_by_simd(const ObjectSet& set, const std::vector<std::int32_t>& tests);
    void count_right(const ObjectSet& set, const std::vector<std::int32_t>& tests);
    RunGains gains_by_simd(const ObjectSet& set);
    void count_gains(const ObjectSet& set, const std::vector<std::int32_t>& tests);
    // The ranking's score of a test from what each outcome has: how many, and ordered pairs of one class.
    double score(std::span<const double> totals, std::span<const double> squares) const;
    void rank_by_simd(const ObjectSet& set, const std::vector<std::int32_t>& tests, Ranker& ranker);
    void rank_by_cases(const ObjectSet& set, const std::vector<std::int32_t>& tests, Ranker& ranker);
    // What the parts get wrong at least with one test of at most so many outcomes more.
    Units bound_by_answers(Level& level, int n_outcomes, int max_outcomes);

    static constexpr int kMaxLevels = 32;

    const ExactTable& table_;
    std::vector<int> block_levels_;  // per 32 tests, the most outcomes of any
    Runs runs_;
    std::vector<Key> keys_;     // per outcome
    std::vector<Units> right_;  // per test, of the set counted last
    std::vector<std::uint16_t> lanes_right_;
    std::vector<std::uint32_t> lanes_totals_, lanes_squares_;
    std::vector<Units> cells_, tops_;
    std::vector<double> totals_, squares_;
    SetGains gains_;                                    // of the set counted last, as runs_
    std::vector<std::uint16_t> lane_usual_, lane_own_;  // see RunGains
    std::vector<RunGains::More> lane_more_;
    std::vector<std::int32_t> lane_ends_, place_of_answer_;
    // Of the set split last: outcome × run, and with losses outcome × place of an answer, the usual one last.
    std::vector<Units> run_votes_, gain_votes_;
    std::vector<std::int32_t> starts_;
    Level last_two_level_;
    std::array<Affordable, 2> affordable_;
    std::vector<std::int32_t> unlocking_;
};

template <typename Spend>
Answer OutcomeSplits::last_two(const ObjectSet& set, const Remaining& remaining, const Level& above, Units cutoff,
                               Spend spend) {
    const CostModel& costs = table_.costs;
    Affordable &first = affordable_[0], &second = affordable_[1];
    find_affordable(costs, above.tests, remaining, first);
    Level& level = last_two_level_;
    find_runs(set, level.runs);
    find_gains(set, level.runs, level.gains);
    Answer best{.value = set.leaf, .changes = first.changes};
    Units bound = std::min(set.leaf, cutoff), refuted = set.leaf;
    unlocking_.clear();
    second.made_for.reset();
    const std::size_t n_first = first.tests.size();
    for (std::size_t i = 0; i < n_first + unlocking_.size(); ++i) {
        const int test = i < n_first ? first.tests[i] : unlocking_[i - n_first];
        const int n_outcomes = table_.n_outcomes[test];
        spend(std::int64_t(set.size()) * (4 + int(above.tests.size()) / 4) + 100 * n_outcomes);
        const auto parts = std::span(level.parts).first(n_outcomes);
        std::ranges::fill(parts, Part{});
        if (set.least > 0) sum_keys(set, test, level);
        split(set, test, level);
        if (i < n_first && std::ranges::any_of(parts, [&](const Part& part) { return part.size() == set.size(); })) {
            // Those that split the set come first: of equally good ones no tree needs the others.
            if (unlocks(table_, set, test, remaining.state.flags)) unlocking_.push_back(test);
            continue;
        }
        if (!table_.allows(set, test)) continue;
        const CostModel::Charges charges = costs.charges(remaining.state, test);
        const auto afford_second = [&](int outcome) {
            const Remaining left{costs.after(remaining.state, test, outcome), remaining.limits};
            if (second.made_for != left) find_affordable(costs, above.tests, left, second);
        };
        int max_outcomes = 1;
        for (int outcome = 0; outcome < n_outcomes; ++outcome) {
            if (parts[outcome].is_settled) continue;
            afford_second(outcome);
            for (const int next : second.tests) max_outcomes = std::max(max_outcomes, table_.n_outcomes[next]);
            // Two more tests after this one: some resource lacks what three tests take.
            Amounts until = second.changes;
            until.cut(second.made_for->left(), above.chain.two_after(test).max(above.chain.three - charges[outcome]));
            best.changes = best.changes.min(charges[outcome] + until);
        }
        Units wrong = bound_by_answers(level, n_outcomes, max_outcomes);
        Amounts need = costs.most(remaining.state, test);
        while (wrong < bound) {
            const auto part = std::ranges::max_element(parts, {}, &Part::mixed);  // it ends a hopeless test soonest
            if (part->mixed() == 0) break;
            const int outcome = int(part - parts.begin());
            afford_second(outcome);
            const BestSplit split = best_split(*part, second.tests);
            wrong += split.errors - part->proven;
            part->settle(split.errors, kUnlimited, {});
            if (split.test != kNoTest) {
                const PathState then = costs.after(remaining.state, test, outcome);
                need = need.max(charges[outcome] + costs.most(then, split.test));
            }
        }
        refuted = std::min(refuted, wrong);
        if (wrong < bound) {
            bound = best.value = wrong;
            best.test = test;
            best.need = need;
            if (wrong == set.least) break;
        }
    }
    if (best.value == set.least) best.changes = kUnlimited;
    if (best.value >= cutoff) best = {.value = refuted, .changes = best.changes};
    return best;
}

}  // namespace budgetree::BUDGETREE_EXACT
