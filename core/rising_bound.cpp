#include "rising_bound.hpp"

#include <algorithm>
#include <chrono>

#include "common_core.hpp"
#include "threads.hpp"

namespace budgetree {
namespace {

// The first question is a large part of what there is to gain: a proof of a tenth of it takes a fifth of the time, and
// nothing of one proof serves the next. Where the time does not suffice for it, the rest goes into a small part.
constexpr Units kLargePart = 7, kSmallPart = 64;
constexpr double kLargeShare = 0.75;
constexpr double kMostFactor = 10, kLeastFactor = 1.5;

using Seconds = std::chrono::duration<double>;

double next_factor(double seconds_taken, double seconds_left) {
    return std::clamp(2 * seconds_left / seconds_taken, kLeastFactor, kMostFactor);
}

// One bound after another, by all threads, while the time lasts.
class Rise {
public:
    Rise(std::vector<std::unique_ptr<Search>>& searches, const Question& question, Watch& watch)
        : searches_(searches), question_(question), watch_(watch),
          most_(std::min(question.cutoff, searches.front()->table().whole.leaf)),
          proven_(searches.front()->table().whole.least) {}

    // Asks for the bound that is a part of what there is to gain, and for more as the time left allows.
    void climb_from(Units part, double seconds) {
        const auto begin = Clock::Time::now();
        Clock clock(seconds);
        std::vector<std::unique_ptr<CommonCore>> cores;
        for (const auto& search : searches_) {
            cores.push_back(std::make_unique<CommonCore>(*search, Watch(clock, Watch::Thread::kOther)));
        }
        Units wanted = proven_ + std::max<Units>(1, (most_ - proven_) / part);
        while (proven_ < most_) {
            const auto asked = Clock::Time::now();
            SharedQuestion shared{question_.remaining, wanted};
            Threads threads;
            for (const auto& core : cores) threads.start([&] { core->refute_some(shared); });
            threads.wait([&] {
                if (watch_.is_over() || shared.has_failed) clock.stop();
            });
            if (shared.has_failed) return;
            proven_ = std::min(shared.least, most_);
            const auto now = Clock::Time::now();
            const double factor = next_factor(Seconds(now - asked).count(), seconds - Seconds(now - begin).count());
            wanted = std::clamp(Units(double(wanted) * factor), proven_ + 1, (proven_ + most_ + 1) / 2);
        }
    }

    Units proven() const { return proven_; }

private:
    std::vector<std::unique_ptr<Search>>& searches_;
    const Question& question_;
    Watch& watch_;
    const Units most_;
    Units proven_;
};

}  // namespace

Units rising_bound(std::vector<std::unique_ptr<Search>>& searches, const Question& question, double seconds,
                   Watch& watch) {
    const auto begin = Clock::Time::now();
    Rise rise(searches, question, watch);
    const Units before = rise.proven();
    rise.climb_from(kLargePart, kLargeShare * seconds);
    const double left = seconds - Seconds(Clock::Time::now() - begin).count();
    if (rise.proven() == before && left > 0) rise.climb_from(kSmallPart, left);
    return rise.proven();
}

}  // namespace budgetree
