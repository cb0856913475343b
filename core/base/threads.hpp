// Threads that share one stop; what one of them throws is thrown again where they are waited for.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

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

}  // namespace budgetree
