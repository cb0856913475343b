#include "exact/search_level.hpp"

#include <algorithm>

namespace budgetree {

Chain describe_chain(const std::vector<std::int32_t>& tests, const CostModel& costs) {
    Chain chain;
    for (const int test : tests) {
        chain.last = std::min(chain.last, costs.costliest(test));
        const Units price = costs.cheapest(test);
        if (price < chain.first) {
            chain.second = chain.first;
            chain.first = price;
            chain.first_test = test;
        } else {
            chain.second = std::min(chain.second, price);
        }
    }
    return chain;
}

Ranker::Ranker(const CostModel& costs, const Remaining& remaining, Level& level)
    : costs_(costs), remaining_(remaining), level_(level) {
    level_.tests.clear();
    level_.ranked.clear();
}

void Ranker::add(int test, double score, bool is_allowed) {
    level_.tests.push_back(test);
    const Units price = costs_.most(remaining_.state, test);
    if (price > remaining_.budget()) {
        ranking_.beyond = std::min(ranking_.beyond, price);
        return;
    }
    if (!is_allowed) return;
    if (price == 0 && ranking_.free_test == kNoTest) ranking_.free_test = test;
    entries_.push_back({score, test});
}

Ranking Ranker::finish() {
    std::ranges::stable_sort(entries_, {}, &Entry::score);
    for (const Entry& entry : entries_) level_.ranked.push_back(entry.test);
    return ranking_;
}

}  // namespace budgetree
