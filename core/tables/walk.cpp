#include "tables/walk.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace budgetree {
namespace {

constexpr std::size_t kBlock = 8192;  // rows between two looks at the clock, about a tenth of a millisecond
constexpr std::size_t kRowsWorthAThread = 65'536;
constexpr std::int64_t kNanosecondsPerRow = 20;

void walk_block(const Route& route, const Walks& walks, std::size_t begin, std::size_t end) {
    const std::size_t n_tests = route.n_outcomes.size(), width = route.price_width();
    for (std::size_t row = begin; row < end; ++row) {
        const std::uint8_t* codes = walks.codes.data() + row * n_tests;
        std::int32_t at = 0;
        std::int64_t paid = 0;
        while (route.test[at] >= 0) {
            const std::int32_t test = route.test[at];
            const std::uint8_t outcome = codes[test];
            const std::int64_t* price = route.price.data() + std::size_t(at) * width;
            if (outcome >= route.n_outcomes[test]) {
                paid += price[width - 1];
                break;
            }
            paid += price[outcome];
            const std::int32_t child = route.branches[route.first_branch[at] + outcome];
            if (child < 0) break;
            at = child;
        }
        walks.node[row] = at;
        walks.paid[row] = paid;
    }
}

void walk_blocks(const Route& route, const Walks& walks, std::atomic<std::size_t>& next, Watch watch) {
    const std::size_t n_rows = walks.node.size();
    for (std::size_t begin = next.fetch_add(kBlock); begin < n_rows; begin = next.fetch_add(kBlock)) {
        walk_block(route, walks, begin, std::min(begin + kBlock, n_rows));
        if (watch.is_over(kBlock * kNanosecondsPerRow)) return;
    }
}

}  // namespace

const char* find_fault(const Route& route) {
    const std::int64_t n_nodes = std::int64_t(route.test.size()), n_branches = std::int64_t(route.branches.size());
    const std::int64_t n_tests = std::int64_t(route.n_outcomes.size());
    if (n_nodes == 0) return "test: expected at least one node";
    if (std::int64_t(route.first_branch.size()) != n_nodes) return "first_branch: expected one entry per node";
    if (route.price.size() % std::size_t(n_nodes) != 0) return "price: expected one row per node";
    for (std::int64_t node = 0; node < n_nodes; ++node) {
        const std::int32_t test = route.test[node];
        if (test < 0) continue;
        if (test >= n_tests) return "test: expected numbers below that of n_outcomes";
        const std::int64_t first = route.first_branch[node], n_outcomes = route.n_outcomes[test];
        if (n_outcomes < 0 || n_outcomes >= std::int64_t(route.price_width())) {
            return "price: expected a column per outcome and one more";
        }
        if (first < 0 || first > n_branches - n_outcomes) return "first_branch: expected branches for every outcome";
        for (std::int64_t branch = first; branch < first + n_outcomes; ++branch) {
            const std::int32_t child = route.branches[branch];
            if (child >= n_nodes || (child >= 0 && child <= node)) return "branches: expected nodes further down";
        }
    }
    return nullptr;
}

void walk(const Route& route, const Walks& walks, Clock& clock, int n_threads) {
    const int useful = int(std::min<std::size_t>(walks.node.size() / kRowsWorthAThread + 1, 256));
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> others;
    for (int thread = 1; thread < std::min(n_threads, useful); ++thread) {
        others.emplace_back([&] { walk_blocks(route, walks, next, Watch(clock, Watch::Thread::kOther)); });
    }
    walk_blocks(route, walks, next, Watch(clock));
}

}  // namespace budgetree
