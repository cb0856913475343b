#include "exact/iterative_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/threads.hpp"
#include "exact/common_core.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

constexpr Units kFirstPart = 64;
constexpr double kMostFactor = 10, kLeastFactor = 1.5;

// Proofs of larger numbers take longer, but of a number ten times as large only some five times as long, and nothing of
// one proof serves the next: the steps are as large as the time left allows.
double next_factor(double taken, double left) {
    return std::clamp(2 * left / taken, kLeastFactor, kMostFactor);
}

constexpr double kNanoseconds = 1e9;  // in a second

// Seconds since it was made: of work where that is limited, else of the clock.
class Stopwatch {
public:
    explicit Stopwatch(const Clock& clock) : clock_(clock) {}

    double seconds() const {
        if (clock_.limits_work()) return double(clock_.work()) / kNanoseconds;
        return std::chrono::duration<double>(Clock::Time::now() - began_).count();
    }

private:
    const Clock& clock_;
    Clock::Time::time_point began_ = Clock::Time::now();
};

}  // namespace

Units iterative_bound(std::vector<std::unique_ptr<Search>>& searches, const Question& question, double seconds,
                      Units known, int n_threads, Watch& watch) {
    const ObjectSet& whole = searches.front()->table().whole;
    const Units most = std::min(question.cutoff, whole.leaf);
    const bool by_work = watch.clock().limits_work();
    const auto max_work = std::min(std::int64_t(seconds * kNanoseconds), watch.clock().work_left());
    Clock clock = by_work ? Clock(INFINITY, {}, max_work) : Clock(seconds);
    const Stopwatch stopwatch(clock);
    std::vector<std::unique_ptr<CommonCore>> cores;
    for (const auto& search : searches) {
        cores.push_back(std::make_unique<CommonCore>(*search, Watch(clock, Watch::Thread::kOther)));
    }
    Units proven = std::max(whole.least, known);
    Units wanted = proven + std::max<Units>(1, known > whole.least ? known : (most - proven) / kFirstPart);
    wanted = std::min(wanted, (proven + most + 1) / 2);
    while (proven < most) {
        const double asked = stopwatch.seconds();
        const int n_workers = int(cores.size());
        Turns turns(n_workers, n_threads, by_work ? Turns::Order::kByWork : Turns::Order::kFirstCome,
                    Turns::Ends::kEarly);
        SharedQuestion shared{question.remaining, wanted, turns};
        Threads threads;
        const std::int64_t most_work = clock.work_left() / n_workers;
        for (int worker = 0; worker < n_workers; ++worker) {
            threads.start([&, worker] {
                const TurnsOf turns_of(turns, worker);
                cores[worker]->refute_some(shared, worker, most_work);
            });
        }
        threads.wait([&] {
            if (watch.is_over()) clock.stop();
        });
        if (shared.has_failed) break;
        proven = std::min(shared.least, most);
        if (proven == most) break;
        const double now = stopwatch.seconds(), factor = next_factor(now - asked, seconds - now);
        wanted = std::clamp(Units(double(wanted) * factor), proven + 1, (proven + most + 1) / 2);
    }
    watch.clock().add_work(clock.work());
    return proven;
}

}  // namespace budgetree::BUDGETREE_EXACT
