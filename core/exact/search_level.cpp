#include "exact/search_level.hpp"

#include <algorithm>

namespace budgetree::BUDGETREE_EXACT {
namespace {

// What k tests cost at least in one resource, each with a k-th of the fees that are due.
Units least_of(int k, const std::vector<std::int32_t>& tests, const CostModel& costs, Flags flags, int resource) {
    Units last = Chain::kNone, first = Chain::kNone, second = Chain::kNone;
    for (const int test : tests) {
        const Units due = costs.due(flags, test)[resource], price = k * costs.cheapest(test)[resource] + due;
        last = std::min(last, k * costs.costliest(test)[resource] + due);
        second = std::min(second, std::max(first, price));
        first = std::min(first, price);
    }
    return (last + first + (k == 3 ? second : 0) + k - 1) / k;
}

}  // namespace

Chain describe_chain(const std::vector<std::int32_t>& tests, const CostModel& costs, Flags flags) {
    Chain chain;
    for (const int test : tests) {
        chain.last = chain.last.min(costs.costliest(test));
        for (int r = 0; r < kResources; ++r) {
            const Units price = costs.cheapest(test)[r];
            if (price < chain.first[r]) {
                chain.second[r] = chain.first[r];
                chain.first[r] = price;
                chain.first_test[r] = test;
            } else {
                chain.second[r] = std::min(chain.second[r], price);
            }
        }
    }
    chain.two = chain.last + chain.first;
    chain.three = chain.two + chain.second;
    chain.paid = flags & costs.fee_flags();
    if ((costs.fee_flags() & ~flags) == 0) return chain;
    for (int r = 0; r < kResources; ++r) {
        chain.two[r] = std::max(chain.two[r], least_of(2, tests, costs, flags, r));
        chain.three[r] = std::max(chain.three[r], least_of(3, tests, costs, flags, r));
    }
    return chain;
}

Ranker::Ranker(const ExactTable& table, const Remaining& remaining, Level& level)
    : table_(table), costs_(table.costs), state_(remaining.state), left_(remaining.left()), level_(level) {
    level_.tests.clear();
    level_.ranked.clear();
}

void Ranker::add(int test, double score, bool has_enough) {
    level_.tests.push_back(test);
    if (costs_.has_conditions()) found_.push_back({score, test});
    if (has_enough) return offer({score, test});
    const Amounts price = costs_.most(state_, test);
    if (costs_.is_allowed(state_.flags, test)) ranking_.changes.cut(left_, price);
}

void Ranker::offer(const Entry& entry) {
    if (!costs_.is_allowed(state_.flags, entry.test)) return;  // whatever is left: another test unlocks it
    const Amounts price = costs_.most(state_, entry.test);
    if (!price.fits(left_)) return ranking_.changes.cut(left_, price);
    if (price.is_nothing() && ranking_.free_test == kNoTest) ranking_.free_test = entry.test;
    entries_.push_back(entry);
}

// A test that shows the same on all of the set is worth doing where it sets a flag that a test of the set needs; such a
// one is a test of the set itself, and is as promising as the best that it unlocks.
void Ranker::add_unlocking(const ObjectSet& set, const std::vector<std::int32_t>& candidates) {
    std::vector<Entry> unlocking;
    const auto is_found = [&](int test) { return std::ranges::find(found_, test, &Entry::test) != found_.end(); };
    for (bool has_more = true; has_more;) {
        has_more = false;
        for (const int test : candidates) {
            if (is_found(test)) continue;
            const Flags sets = costs_.sets(test, table_.column(test)[set.objects[0]]);
            Entry entry{0, kNoTest};
            for (const Entry& other : found_) {
                if ((costs_.needs(other.test) & sets) == 0) continue;
                if (entry.test == kNoTest || other.score < entry.score) entry = {other.score, test};
            }
            if (entry.test == kNoTest) continue;
            found_.push_back(entry);
            unlocking.push_back(entry);
            has_more = true;
        }
    }
    std::ranges::sort(unlocking, {}, &Entry::test);
    for (const Entry& entry : unlocking) {
        level_.tests.push_back(entry.test);
        if (unlocks(table_, set, entry.test, state_.flags)) offer(entry);
    }
}

Ranking Ranker::finish(const ObjectSet& set, const std::vector<std::int32_t>& candidates) {
    level_.n_splitting = level_.tests.size();
    if (costs_.has_conditions()) add_unlocking(set, candidates);
    std::ranges::stable_sort(entries_, {}, &Entry::score);
    for (const Entry& entry : entries_) level_.ranked.push_back(entry.test);
    return ranking_;
}

}  // namespace budgetree::BUDGETREE_EXACT
