#include "exact/iterative_bound.hpp"

#include <algorithm>
#include <chrono>

#include "base/threads.hpp"
#include "exact/common_core.hpp"

namespace budgetree {
namespace {

constexpr Units kFirstPart = 64;
constexpr double kMostFactor = 10, kLeastFactor = 1.5;

// Proofs of larger numbers take longer, but of a number ten times as large only some five times as long, and nothing of
// one proof serves the next: the steps are as large as the time left allows.
double next_factor(double seconds_taken, double seconds_left) {
    return std::clamp(2 * seconds_left / seconds_taken, kLeastFactor, kMostFactor);
}

}  // namespace

Units iterative_bound(std::vector<std::unique_ptr<Search>>& searches, const Question& question, double seconds,
                      Watch& watch) {
    using Seconds = std::chrono::duration<double>;
    const ObjectSet& whole = searches.front()->table().whole;
    const Units most = std::min(question.cutoff, whole.leaf);
    const auto begin = Clock::Time::now();
    Clock clock(seconds);
    std::vector<std::unique_ptr<CommonCore>> cores;
    for (const auto& search : searches) {
        cores.push_back(std::make_unique<CommonCore>(*search, Watch(clock, Watch::Thread::kOther)));
    }
    Units proven = whole.least;
    Units wanted = proven + std::max<Units>(1, (most - proven) / kFirstPart);
    while (proven < most) {
        const auto asked = Clock::Time::now();
        SharedQuestion shared{question.remaining, wanted};
        Threads threads;
        for (const auto& core : cores) threads.start([&] { core->refute_some(shared); });
        threads.wait([&] {
            if (watch.is_over() || shared.has_failed) clock.stop();
        });
        if (shared.has_failed) break;
        proven = std::min(shared.least, most);
        const auto now = Clock::Time::now();
        const double factor = next_factor(Seconds(now - asked).count(), seconds - Seconds(now - begin).count());
        wanted = std::clamp(Units(double(wanted) * factor), proven + 1, (proven + most + 1) / 2);
    }
    return proven;
}

}  // namespace budgetree
