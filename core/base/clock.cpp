#include "base/clock.hpp"

#include <cmath>
#include <utility>

namespace budgetree {
namespace {

constexpr std::chrono::milliseconds kBetweenTicks{50};
constexpr double kForever = 1e8;  // seconds; more would overflow a time point

}  // namespace

Clock::Clock(double seconds, Tick tick)
    : is_limited_(seconds < kForever), next_tick_(Time::now() + kBetweenTicks), tick_(std::move(tick)) {
    if (is_limited_) {
        deadline_ = Time::now() + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
    }
}

void Clock::look(bool asks_python) {
    const Time::time_point now = Time::now();
    if (is_limited_ && now >= deadline_) stop();
    if (asks_python && tick_ && now >= next_tick_ && !interrupted_) {
        next_tick_ = now + kBetweenTicks;
        if (tick_(*this)) {
            interrupted_ = true;
            stop();
        }
    }
}

}  // namespace budgetree
