#include "base/turns.hpp"

#include <limits>
#include <utility>

namespace budgetree {
namespace {

constexpr std::int64_t kBetweenLooks = 5'000'000;  // nanoseconds of work, after which the others hear of it

}  // namespace

std::unique_lock<std::mutex> Turns::take(int worker, std::int64_t work) {
    std::unique_lock lock(mutex_);
    if (!is_ordered_) return lock;
    pause(worker, work);
    changed_.wait(lock, [&] { return n_running_ < n_at_once_ && is_next(worker); });
    workers_[worker].is_running = true;
    ++n_running_;
    return lock;
}

void Turns::leave(int worker) {
    const std::lock_guard lock(mutex_);
    pause(worker, std::numeric_limits<std::int64_t>::max());
}

bool Turns::is_ended(int worker, std::int64_t work) {
    if (work - workers_[worker].looked < kBetweenLooks) return false;
    workers_[worker].looked = work;
    if (ends_early_) {  // a turn: whether another has ended all before it, must not depend on who is faster
        const auto turn = take(worker, work);
        return is_ended_;
    }
    const std::lock_guard lock(mutex_);
    workers_[worker].reached = work;
    changed_.notify_all();
    return false;
}

bool Turns::is_next(int worker) const {
    const auto at = [&](std::size_t number) { return std::pair(workers_[number].reached, number); };
    for (std::size_t other = 0; other < workers_.size(); ++other) {
        if (at(other) < at(std::size_t(worker))) return false;
    }
    return true;
}

void Turns::pause(int worker, std::int64_t reached) {
    Worker& of = workers_[worker];
    of.reached = reached;
    if (std::exchange(of.is_running, false)) --n_running_;
    changed_.notify_all();
}

}  // namespace budgetree
