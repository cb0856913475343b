#include "base/clock.hpp"

#include <cmath>
#include <utility>

#include "base/turns.hpp"

namespace budgetree {
namespace {

constexpr std::chrono::milliseconds kBetweenTicks{50};
constexpr double kForever = 1e8;  // seconds; more would overflow a time point

}  // namespace

Clock::Clock(double seconds, Tick tick, std::int64_t max_work)
    : is_limited_(seconds < kForever), max_work_(max_work), next_tick_(Time::now() + kBetweenTicks),
      tick_(std::move(tick)) {
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

void Watch::join(Turns& turns, int worker, std::int64_t max_work) {
    turns_ = &turns;
    worker_ = worker;
    done_ = -worked_;  // what was not reported yet is of earlier turns
    max_work_ = max_work;
}

Watch::Turn::Turn(Watch& watch) : watch_(watch), lock_(watch.turns_->take(watch.worker_, watch.done_ + watch.worked_)) {
    watch.is_in_turn_ = true;
}

void Watch::look() {
    clock_->add_work(worked_);
    done_ += std::exchange(worked_, 0);
    if (turns_ == nullptr) {
        if (clock_->work_left() == 0) clock_->stop();
    } else if (done_ >= max_work_ || (!is_in_turn_ && turns_->is_ended(worker_, done_))) {
        is_over_ = true;  // of this worker alone: where the others are by now, depends on the machine
    }
    clock_->look(asks_python_);
}

}  // namespace budgetree
