// When to stop: a time limit, Ctrl-C, or another thread's word. Every long loop asks.
//
// Reading the time takes 20 ns and asking Python for Ctrl-C far more, so a loop tells its Watch how much work it has
// done, and the Watch looks at the clock about every tenth of a millisecond of it. A Clock is shared by all threads of
// a call; each thread has a Watch of its own, and only the one of the calling thread asks Python.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace budgetree {

class Clock {
public:
    using Time = std::chrono::steady_clock;
    // Called by the calling thread some twenty times a second; true ends the work (Ctrl-C).
    using Tick = std::function<bool(const Clock&)>;

    // Seconds of infinity are no limit.
    explicit Clock(double seconds, Tick tick = {});

    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
    bool was_interrupted() const { return interrupted_; }

    // What a progress bar shows.
    std::atomic<std::int64_t> done = 0, total = 0;

private:
    friend class Watch;
    void look(bool asks_python);

    std::atomic<bool> stopped_ = false;
    bool interrupted_ = false;
    bool is_limited_;
    Time::time_point deadline_, next_tick_;
    Tick tick_;
};

class Watch {
public:
    enum class Thread { kCalling, kOther };

    explicit Watch(Clock& clock, Thread thread = Thread::kCalling)
        : clock_(&clock), asks_python_(thread == Thread::kCalling) {}

    // Whether to stop; `work` is about how many nanoseconds were spent since the last call.
    bool is_over(std::int64_t work) {
        worked_ += work;
        if (worked_ >= kLook) {
            worked_ = 0;
            clock_->look(asks_python_);
        }
        return clock_->is_stopped();
    }

    // The same for a thread that only waits for others, between two naps.
    bool is_over() {
        clock_->look(asks_python_);
        return clock_->is_stopped();
    }

    Clock& clock() const { return *clock_; }

private:
    static constexpr std::int64_t kLook = 100'000;

    Clock* clock_;
    bool asks_python_;
    std::int64_t worked_ = 0;
};

}  // namespace budgetree
