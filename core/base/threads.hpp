// Threads that share one stop; what one of them throws is thrown again where they are waited for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace budgetree {

class Threads {
public:
    template <typename Work>
    void start(Work work) {
        ++n_running_;
        threads_.emplace_back([this, work] {
            try {
                work();
            } catch (...) {
                const std::lock_guard lock(mutex_);
                error_ = std::current_exception();
            }
            --n_running_;
        });
    }

    // `nap` is called between two looks.
    template <typename Nap>
    void wait(Nap nap) {
        for (; n_running_ > 0; std::this_thread::sleep_for(kNap)) nap();
        threads_.clear();
        if (error_) std::rethrow_exception(error_);
    }

private:
    static constexpr std::chrono::milliseconds kNap{5};

    std::atomic<int> n_running_ = 0;
    std::mutex mutex_;
    std::exception_ptr error_;
    std::vector<std::jthread> threads_;
};

// Calls work(number, watch) for the numbers 0 to n - 1, each on one of the threads, the calling one among them. Ends
// early where the clock is over; what the work throws is thrown again.
template <typename Work>
void share_out(std::size_t n, int n_threads, Clock& clock, Work work) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr error;
    const auto take = [&](Watch watch) {
        try {
            for (std::size_t number = next++; number < n && !clock.is_stopped(); number = next++) work(number, watch);
        } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
            next = n;
        }
    };
    {
        std::vector<std::jthread> others;
        for (int thread = 1; thread < n_threads && std::size_t(thread) < n; ++thread) {
            others.emplace_back([&] { take(Watch(clock, Watch::Thread::kOther)); });
        }
        take(Watch(clock));
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace budgetree
