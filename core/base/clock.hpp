// When to stop: a limit of time or of counted work, Ctrl-C, or another thread's word. Every long loop asks.
//
// A loop tells its Watch how much work it has done, in nanoseconds of an ordinary processor, estimated by constants
// that are the same on every machine: a limit of work cuts it at the same point wherever it runs. Reading the time
// takes 20 ns and asking Python for Ctrl-C far more, so the Watch looks at the clock about every tenth of a millisecond
// of work. A Clock is shared by all threads of a call; each thread has a Watch of its own, and only the one of the
// calling thread asks Python. Threads whose work is limited take turns (turns.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>

namespace budgetree {

class Turns;

class Clock {
public:
    using Time = std::chrono::steady_clock;
    // Called by the calling thread some twenty times a second; true ends the work (Ctrl-C).
    using Tick = std::function<bool(const Clock&)>;

    static constexpr std::int64_t kAnyWork = std::numeric_limits<std::int64_t>::max();

    // Seconds of infinity are no limit.
    explicit Clock(double seconds, Tick tick = {}, std::int64_t max_work = kAnyWork);

    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
    bool was_interrupted() const { return interrupted_; }

    bool limits_work() const { return max_work_ != kAnyWork; }
    std::int64_t work() const { return work_.load(std::memory_order_relaxed); }
    std::int64_t work_left() const { return limits_work() ? std::max<std::int64_t>(max_work_ - work(), 0) : kAnyWork; }
    void add_work(std::int64_t work) { work_.fetch_add(work, std::memory_order_relaxed); }

    // What a progress bar shows.
    std::atomic<std::int64_t> done = 0, total = 0;

private:
    friend class Watch;
    void look(bool asks_python);

    std::atomic<bool> stopped_ = false;
    bool interrupted_ = false;
    bool is_limited_;
    std::int64_t max_work_;
    std::atomic<std::int64_t> work_ = 0;  // that all watches have reported
    Time::time_point deadline_, next_tick_;
    Tick tick_;
};

class Watch {
public:
    enum class Thread { kCalling, kOther };

    explicit Watch(Clock& clock, Thread thread = Thread::kCalling)
        : clock_(&clock), asks_python_(thread == Thread::kCalling) {}
    // A copy reports its own work only.
    Watch(const Watch& other) : clock_(other.clock_), asks_python_(other.asks_python_) {}
    Watch& operator=(const Watch&) = delete;
    ~Watch() { clock_->add_work(worked_); }

    // From now on one of several workers, with its own part of the work; its turns are taken by the work since now.
    void join(Turns& turns, int worker, std::int64_t max_work);

    // A worker's turn at what all of them share.
    class Turn {
    public:
        explicit Turn(Watch& watch);
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() { watch_.is_in_turn_ = false; }

    private:
        Watch& watch_;
        std::unique_lock<std::mutex> lock_;
    };

    // Whether to stop; `work` is about how many nanoseconds were spent since the last call.
    bool is_over(std::int64_t work) {
        worked_ += work;
        if (worked_ >= kLook) look();
        return is_over_ || clock_->is_stopped();
    }

    // The same for a thread that only waits for others, between two naps.
    bool is_over() {
        clock_->look(asks_python_);
        return is_over_ || clock_->is_stopped();
    }

    Clock& clock() const { return *clock_; }

private:
    static constexpr std::int64_t kLook = 100'000;

    void look();

    Clock* clock_;
    bool asks_python_, is_over_ = false, is_in_turn_ = false;
    std::int64_t worked_ = 0;  // since the last look
    Turns* turns_ = nullptr;
    int worker_ = 0;
    std::int64_t done_ = 0, max_work_ = Clock::kAnyWork;  // as a worker
};

}  // namespace budgetree
