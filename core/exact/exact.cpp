#include "exact/exact.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace budgetree::BUDGETREE_EXACT {

Search::Search(const ExactTable& table, std::size_t cache_bytes)
    : table_(table), memory_(cache_bytes), splits_(table),
      pairs_(table.counts_pairs ? std::make_unique<BinaryPairs>(table, [this](std::int64_t work) { spend(work); })
                                : nullptr) {
    Level& everything = level_at(0);
    everything.tests.resize(table.n_tests);
    std::iota(everything.tests.begin(), everything.tests.end(), 0);
    everything.chain = describe_chain(everything.tests, table.costs, 0);
}

std::optional<Answer> Search::ask(const ObjectSet& set, const Question& question, const Limits& limits) {
    limits_ = limits;
    work_ = 0;
    try {
        return search(set, question, 1);
    } catch (Stopped) {
        return std::nullopt;
    }
}

std::optional<std::vector<std::int32_t>> Search::ranking(const Remaining& remaining, const Limits& limits) {
    if (!chain_at(0, remaining.state.flags).three.fits(remaining.left())) return std::vector<std::int32_t>{};
    limits_ = limits;
    try {
        prepare(table_.whole, {remaining}, 1);
    } catch (Stopped) {
        return std::nullopt;
    }
    return levels_[1]->ranked;
}

Level& Search::level_at(int depth) {
    while (int(levels_.size()) <= depth) {
        levels_.push_back(std::make_unique<Level>());
        levels_.back()->parts.resize(std::max(table_.width, 2));
    }
    return *levels_[depth];
}

void Search::spend(std::int64_t work) {
    work_ += work;
    if (limits_.watch->is_over(work)) throw Stopped{};
}

// A number for the narrow pass that is running; 0 is the full search. A clash only makes a pass find less.
std::uint32_t Search::pass(const Amounts& left, int depth) const {
    if (proves()) return 0;
    const std::uint64_t kind = breadth_at(depth) << 16 ^ std::uint64_t(limits_.pass.breadth);
    std::uint64_t both = std::uint64_t(left[0]) ^ kind << 32;
    for (int r = 1; r < kResources; ++r) both = std::rotl(both * 0x9E3779B97F4A7C15, 29) ^ std::uint64_t(left[r]);
    return std::uint32_t(both * 0x9E3779B97F4A7C15 >> 32) | 1;
}

Remaining Search::after(const Question& question, int test, int outcome) const {
    return {table_.costs.after(question.remaining.state, test, outcome), question.remaining.limits};
}

const Chain& Search::chain_at(int depth, Flags flags) {
    Level& level = *levels_[depth];
    if (level.chain.paid != (flags & table_.costs.fee_flags())) {
        level.chain = describe_chain(level.tests, table_.costs, flags);
    }
    return level.chain;
}

Answer Search::search(const ObjectSet& set, const Question& question, int depth) {
    if (set.leaf == set.least || set.least >= question.cutoff) return {.value = set.least};
    const Level& above = *levels_[depth - 1];
    const Chain& chain = chain_at(depth - 1, question.remaining.state.flags);
    const Amounts left = question.remaining.left();
    const bool any_test = question.only == kNoTest;
    if (any_test && !chain.two.fits(left)) return with_one_test(set, question.remaining, above);
    Answer best{.value = set.leaf}, proven{.value = set.least};
    if (question.is_canonical) {
        proven.value = question.cutoff - 1;
    } else if (any_test) {
        if (const auto known = remembered(set, question, depth, best, proven)) return *known;
    }
    spend(0);
    const bool are_two_left = any_test && !chain.three.fits(left);
    if (are_two_left && may_count_pairs(set, above)) return with_two_tests(set, question, above);
    return try_tests(set, question, depth, best, proven);
}

bool Search::may_count_pairs(const ObjectSet& set, const Level& above) const {
    if (proves() || pairs_) return true;
    const auto n_tests = std::int64_t(above.tests.size());
    const std::int64_t rounds = (table_.width + kLevelsAtOnce - 1) / kLevelsAtOnce;
    return n_tests * n_tests * set.size() * rounds / 2 <= limits_.pass.max_pair_work;
}

Answer Search::with_one_test(const ObjectSet& set, const Remaining& remaining, const Level& above) {
    Affordable affordable;
    find_affordable(table_.costs, above.tests, remaining, affordable);
    spend(std::int64_t(set.size()) * (1 + int(affordable.tests.size()) / 8));
    const BestSplit split = splits_.best_split(set, affordable.tests);
    Answer answer{.value = split.errors, .test = split.test};
    if (split.errors > set.least) {
        answer.changes = affordable.changes;
        answer.changes.cut(remaining.left(), above.chain.two);
    }
    if (split.test != kNoTest) answer.need = table_.costs.most(remaining.state, split.test);
    return answer;
}

Answer Search::with_two_tests(const ObjectSet& set, const Question& question, const Level& above) {
    const std::int64_t before = work_;
    Answer answer;
    if (pairs_) {
        spend(pairs_->work_of_pairs(set.size(), int(above.tests.size())));
        answer = pairs_->last_two(set, question.remaining, above);
    } else {
        const auto spend_it = [this](std::int64_t work) { spend(work); };
        answer = splits_.last_two(set, question.remaining, above, question.cutoff, spend_it);
    }
    const std::int64_t effort = 1 + work_ - before;
    memory_.remember_bound(set, question.remaining.state.flags, answer, effort);
    if (answer.value < question.cutoff) {
        memory_.remember_tree(set, question.remaining.state.flags, answer, effort, 0);
    }
    return answer;
}

// An answer where what is known suffices; else `best` and `proven` are raised to it.
std::optional<Answer> Search::remembered(const ObjectSet& set, const Question& question, int depth, Answer& best,
                                         Answer& proven) const {
    const Amounts left = question.remaining.left();
    const Known* known = memory_.look_up(set, question.remaining.state.flags);
    if (known == nullptr) return std::nullopt;
    if (known->found_from.fits(left) && known->found < best.value) {
        best = {.value = known->found, .need = known->found_from, .test = known->found_test};
    }
    if (known->bound > proven.value && left.is_below(known->bound_below)) {
        proven = {.value = known->bound, .changes = known->bound_below};
    }
    if (proven.value >= question.cutoff) return proven;
    const bool same_pass = !proves() && known->found_in == pass(left, depth);
    if (best.value == proven.value || same_pass) {
        best.changes = proven.changes;
        return best;
    }
    return std::nullopt;
}

Ranking Search::prepare(const ObjectSet& set, const Question& question, int depth) {
    const Level& above = *levels_[depth - 1];
    Level& level = level_at(depth);
    const int n_tests = int(above.tests.size());
    Ranking ranking;
    if (pairs_) {
        spend(pairs_->work_of_ranking(set, n_tests));
        ranking = pairs_->rank(set, question.remaining, above, depth, level);
    } else {
        spend(std::int64_t(set.size()) * n_tests + std::int64_t(n_tests) * table_.width * 4);
        ranking = splits_.rank(set, question.remaining, above, level);
    }
    level.chain = describe_chain(level.tests, table_.costs, question.remaining.state.flags);
    // Where leaves need more than one case, a free test may cut off a few too many.
    const bool takes_free = ranking.free_test != kNoTest && table_.policy.min_cases() == 1;
    if (question.only == kNoTest && takes_free) level.ranked.assign(1, ranking.free_test);
    if (question.only != kNoTest) level.ranked.assign(1, question.only);
    if (question.is_canonical) {  // of tests that reach the same the cheapest, and one that splits the set if any does
        const auto unlocking = std::span(level.tests).subspan(level.n_splitting);
        std::ranges::stable_sort(level.ranked, {}, [&](int test) {
            return std::pair(std::ranges::find(unlocking, test) != unlocking.end(),
                             table_.costs.most(question.remaining.state, test)[0]);
        });
    }
    level_at(depth + 1);
    return ranking;
}

Answer Search::try_tests(const ObjectSet& set, const Question& question, int depth, Answer best, const Answer& proven) {
    const std::int64_t before = work_;
    Amounts changes = prepare(set, question, depth).changes;
    const bool any_test = question.only == kNoTest;
    const PathState& state = question.remaining.state;
    Units bound = std::min(best.value, question.cutoff), refuted = set.leaf;
    Level& level = *levels_[depth];
    const std::size_t n_tries = std::min(level.ranked.size(), breadth_at(depth));
    for (std::size_t i = 0; i < n_tries; ++i) {
        const int test = level.ranked[i];
        spend(3 * set.size() + 4 * std::int64_t(i) + 100);
        const Units wrong = try_test(set, question, test, depth, bound);
        const CostModel::Charges charges = table_.costs.charges(state, test);
        Amounts need = table_.costs.most(state, test);
        for (int outcome = 0; outcome < table_.n_outcomes[test]; ++outcome) {
            const Part& part = level.parts[outcome];
            need = need.max(charges[outcome] + part.need);
            if (part.proven > part.least) changes = changes.min(charges[outcome] + part.up_to);
        }
        refuted = std::min(refuted, wrong);
        if (wrong < bound) {
            bound = wrong;
            best = {.value = wrong, .need = need, .test = test};
            if (wrong == proven.value) break;  // the bound that is reached says how long it holds
        }
    }
    if (!any_test) return {refuted, changes, best.need, best.test};
    Answer answer = best;
    if (best.value >= question.cutoff) answer = {.value = std::max(std::min(refuted, best.value), proven.value)};
    // Where the loop was left early not all tests have had their say about later budgets.
    answer.changes = answer.value == proven.value ? proven.changes : changes;
    if (question.is_canonical) return answer;
    const std::int64_t effort = 1 + work_ - before;
    if (proves()) memory_.remember_bound(set, state.flags, answer, effort);
    if (best.value < question.cutoff) {
        memory_.remember_tree(set, state.flags, answer, effort, pass(question.remaining.left(), depth));
    }
    return answer;
}

// Bounds first, then the parts one by one: the most mixed first, with what the others leave of the bound.
Units Search::try_test(const ObjectSet& set, const Question& question, int test, int depth, Units bound) {
    Level& level = *levels_[depth];
    Units wrong = bound_parts(set, question, test, depth, bound);
    if (wrong >= bound) return wrong;  // most tests end here
    const int n_outcomes = table_.n_outcomes[test];
    if (pairs_) {
        wrong = recall_parts(question, test, depth);
        if (wrong < bound) settle_binary_parts(question, test, depth);
        wrong = level.parts[0].proven + level.parts[1].proven;
    }
    while (wrong < bound) {
        const auto parts = std::span(level.parts).first(n_outcomes);
        const auto part = std::ranges::max_element(parts, {}, &Part::mixed);
        if (part->mixed() == 0) break;
        const Units rest = wrong - part->proven;
        const Remaining left = after(question, test, int(part - parts.begin()));
        const Answer answer = search(*part, {.remaining = left, .cutoff = bound - rest}, depth + 1);
        part->settle(answer.value, answer.changes, answer.need);
        wrong = rest + answer.value;
    }
    if (pairs_ && proves()) {
        const Flags flags = question.remaining.state.flags;
        pairs_->remember_parts(
            test, {table_.costs.flags_after(flags, test, 0), table_.costs.flags_after(flags, test, 1)}, depth, level);
    }
    return wrong;
}

// What is known of the test's parts without searching; where that is below the bound, the parts are made.
Units Search::bound_parts(const ObjectSet& set, const Question& question, int test, int depth, Units bound) {
    Level& level = *levels_[depth];
    if (pairs_) {
        level.parts[0] = level.parts[1] = Part{};
        const Units wrong =
            pairs_->bound_parts(test, {after(question, test, 0), after(question, test, 1)}, depth, level);
        if (wrong < bound) pairs_->split(set, test, depth, level);
        return wrong;
    }
    splits_.sum_keys(set, test, level);
    Units wrong = 0;
    for (int outcome = 0; outcome < table_.n_outcomes[test]; ++outcome) {
        Part& part = level.parts[outcome];
        if (part.key != Key{}) memory_.recall(part, after(question, test, outcome));
        wrong += part.proven;
    }
    if (wrong < bound) splits_.split(set, test, level);
    return wrong;
}

Units Search::recall_parts(const Question& question, int test, int depth) {
    Units wrong = 0;
    for (int outcome = 0; outcome < 2; ++outcome) {
        Part& part = levels_[depth]->parts[outcome];
        if (part.proven <= part.least) {
            part.proven = part.least;
            part.up_to = kUnlimited;
        }
        part.is_settled = part.leaf == part.least;
        if (!part.is_settled) memory_.recall(part, after(question, test, outcome));
        wrong += part.proven;
    }
    return wrong;
}

void Search::settle_binary_parts(const Question& question, int test, int depth) {
    Level& level = *levels_[depth];
    const std::array<Remaining, 2> left{after(question, test, 0), after(question, test, 1)};
    chain_at(depth, left[0].state.flags);  // fees are the same whatever the test shows
    std::array<int, 2> found{};
    const int settled = pairs_->settle_parts(left, depth, level, found);
    if (settled == 0) return;
    spend(pairs_->work_of_pairs((level.parts[0].size() + level.parts[1].size()) / 2, int(level.tests.size())));
    for (int outcome = 0; outcome < 2; ++outcome) {
        if (!(settled & (1 << outcome))) continue;
        const Part& part = level.parts[outcome];
        const Answer answer{part.proven, part.up_to, part.need, found[outcome]};
        memory_.remember_bound(part, left[outcome].state.flags, answer, part.size());
        memory_.remember_tree(part, left[outcome].state.flags, answer, part.size(), 0);
    }
}

}  // namespace budgetree::BUDGETREE_EXACT
