// Subtrees that wait for a thread. An idle thread takes one; when all wait, the growth is over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace budgetree {

template <typename Task>
class SharedTasks {
public:
    explicit SharedTasks(int n_threads) : n_busy_(n_threads) {}

    void add(Task task) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(task));
        changed_.notify_one();
    }

    // False when there is nothing left to do, or no time.
    bool take(Task& task, Watch& watch) {
        std::unique_lock lock(mutex_);
        --n_busy_;
        if (n_busy_ == 0) changed_.notify_all();
        // Waiting in naps: Ctrl-C reaches only the thread that asks Python.
        while (waiting_.empty() && n_busy_ > 0) {
            changed_.wait_for(lock, std::chrono::milliseconds(20));
            if (watch.is_over()) return false;
        }
        if (waiting_.empty()) return false;
        task = std::move(waiting_.back());
        waiting_.pop_back();
        ++n_busy_;
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Task> waiting_;
    int n_busy_;
};

}  // namespace budgetree
