// Turns of several workers at something that they share, by the work that each has done.
//
//     worker 0  ├── 3 ──●───── 5 ─────●          ● takes its turn, and waits until no other can still come before it:
//     worker 1  ├──── 4 ────●─ 2 ─●              the turns are taken at 3, 4, 6, 8, whatever runs at the same time,
//     worker 2  ├─────── 6 ……                    on however many processors
//
// So what several threads find is a function of the question alone, as the work of each is. At most so many run at once
// as there are threads; the others wait. Where time limits the work, and not its count, the first to come is first.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace budgetree {

class Turns {
public:
    enum class Order { kFirstCome, kByWork };
    // Whether the end of all is noticed: work that goes on until its next turn need not look.
    enum class Ends { kNever, kEarly };

    Turns(int n_workers, int n_at_once, Order order, Ends ends)
        : n_at_once_(n_at_once), is_ordered_(order == Order::kByWork), ends_early_(ends == Ends::kEarly),
          workers_(n_workers) {}

    std::unique_lock<std::mutex> take(int worker, std::int64_t work);
    // The worker takes no more turns.
    void leave(int worker);
    // In a turn: the others may stop.
    void end() { is_ended_ = true; }
    // Whether another has ended all before so much work; asked often.
    bool is_ended(int worker, std::int64_t work);

private:
    struct Worker {
        std::int64_t reached = 0;  // no turn of it comes before that any more
        std::int64_t looked = 0;
        bool is_running = false;
    };

    bool is_next(int worker) const;
    void pause(int worker, std::int64_t reached);

    const int n_at_once_;
    const bool is_ordered_, ends_early_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Worker> workers_;
    int n_running_ = 0;
    bool is_ended_ = false;
};

// Leaves when it goes out of scope.
class TurnsOf {
public:
    TurnsOf(Turns& turns, int worker) : turns_(turns), worker_(worker) {}
    TurnsOf(const TurnsOf&) = delete;
    TurnsOf& operator=(const TurnsOf&) = delete;
    ~TurnsOf() { turns_.leave(worker_); }

private:
    Turns& turns_;
    int worker_;
};

}  // namespace budgetree
