#include "growth/bisection.hpp"

#include <utility>

namespace budgetree {

GrowthSettings Hinges::at(std::int64_t multiple, int n_classes) const {
    return {IntegerImpurity::hinge(q, p * BigUInt(std::uint64_t(multiple)), subtracts_square, n_classes),
            BigUInt(),
            0.0,
            budget,
            Rule::kWorst,
            min_cases};
}

std::vector<std::int64_t> bisect(Pool& pool, const Hinges& hinges, std::int64_t largest, std::int64_t close,
                                 Steps& steps, Clock& clock) {
    struct Gap {
        std::size_t low, high;  // places in `multiples`
    };
    Watch watch(clock);
    std::vector<std::int64_t> multiples = {0, largest};
    std::vector<Gap> gaps = {{0, 1}};
    std::size_t n_grown = 0;
    while (n_grown < multiples.size()) {
        for (; n_grown < multiples.size(); ++n_grown) {
            if (!pool.grow(hinges.at(multiples[n_grown], pool.n_classes()), steps, watch)) {
                multiples.resize(n_grown);
                return multiples;
            }
            clock.done.fetch_add(1, std::memory_order_relaxed);
        }
        std::vector<Gap> halves;
        for (const Gap& gap : gaps) {
            const Steps::Tree low = steps.tree(gap.low), high = steps.tree(gap.high);
            const bool agree = low.max_cost == high.max_cost && low.at_leaves == high.at_leaves;
            if (agree || multiples[gap.high] - multiples[gap.low] < close) continue;
            const std::size_t middle = multiples.size();
            multiples.push_back((multiples[gap.low] + multiples[gap.high]) / 2);
            halves.push_back({gap.low, middle});
            halves.push_back({middle, gap.high});
        }
        gaps = std::move(halves);
    }
    return multiples;
}

}  // namespace budgetree
