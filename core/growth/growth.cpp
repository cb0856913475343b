#include "growth/growth.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "growth/grower.hpp"

namespace budgetree {
namespace {

template <typename Count>
using Growers = std::vector<std::unique_ptr<Grower<Count>>>;

// Each thread takes tasks until there are none; an exception ends them all and goes on here.
template <typename Count>
void grow_in_threads(SharedGrowth<Count>& shared, Growers<Count>& growers, Clock& clock) {
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&](Grower<Count>& grower) {
        try {
            GrowthTask<Count> task;
            while (shared.tasks.take(task, grower.watch())) grower.grow_subtree(std::move(task));
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            clock.stop();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < growers.size(); ++i) threads.emplace_back(work, std::ref(*growers[i]));
        work(*growers.front());
    }
    if (failure) std::rethrow_exception(failure);
}

template <typename Count>
std::optional<GrownTree> grow_counted(const PackedTable& table, const CostModel& costs, const GrowthSettings& settings,
                                      int n_threads, Clock& clock) {
    const std::size_t bytes = table.n_rows() * table.layout().row_bytes();
    n_threads = int(std::clamp<std::size_t>(std::size_t(n_threads), 1, 1 + bytes / (2 * kSharedBytes)));
    SharedGrowth<Count> shared = {
        table, costs, settings, RowBuffers(table), SharedTasks<GrowthTask<Count>>(n_threads), n_threads};
    Growers<Count> growers;
    for (int i = 0; i < n_threads; ++i) {
        const Watch watch(clock, i == 0 ? Watch::Thread::kCalling : Watch::Thread::kOther);
        growers.push_back(std::make_unique<Grower<Count>>(shared, watch));
    }
    GrowthTask<Count> task;
    const GrowthNode* root = growers.front()->plant(task);
    if (task.node != nullptr && n_threads == 1) {
        growers.front()->grow_subtree(std::move(task));
    } else if (task.node != nullptr) {
        shared.tasks.add(std::move(task));
        grow_in_threads(shared, growers, clock);
    }
    if (clock.is_stopped()) return std::nullopt;
    return number_breadth_first(*root, table.layout());
}

}  // namespace

int find_pure_split(const RowLayout& layout, const FewRows& few, Chooser& chooser, const PathState& state) {
    static const auto find_agreeing = counting_functions().find_agreeing;
    thread_local std::vector<std::uint8_t> agree;
    agree.resize(layout.code_bytes());
    find_agreeing(few, layout.shape(), agree.data());
    const double cheapest = chooser.cheapest(state);
    const std::span<const double> prices = chooser.prices(state);
    for (int test = 0; test < layout.n_tests(); ++test) {
        if (prices[test] == cheapest && layout.outcome(agree.data(), test) == 0) return test;
    }
    return kLeaf;
}

std::optional<GrownTree> grow(const PackedTable& table, const CostModel& costs, const GrowthSettings& settings,
                              int n_threads, Clock& clock) {
    if (table.layout().is_weighted()) return grow_counted<double>(table, costs, settings, n_threads, clock);
    return grow_counted<std::uint32_t>(table, costs, settings, n_threads, clock);
}

}  // namespace budgetree
