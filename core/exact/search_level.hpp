// What one depth of an exact search holds: the set's tests, their prices in a chain, and the parts of the test in hand.
#pragma once

#include <array>
#include <vector>

#include "exact/exact_table.hpp"

namespace budgetree::BUDGETREE_EXACT {

// What several tests, one after another, cost at least, by resource. The last of them must be affordable at its
// costliest outcome; those before it may show their cheapest. Fees that are due count, too: each of k tests bears a
// k-th, which is never more than the fee.
struct Chain {
    static constexpr Units kNone = kNever / 4;
    Amounts last = Amounts::all(kNone);   // the least costliest price
    Amounts first = Amounts::all(kNone);  // the two least cheapest prices, of two tests
    Amounts second = Amounts::all(kNone);
    std::array<int, kResources> first_test = {};  // whose price the least is
    Amounts two, three;                           // as many tests, with their fees
    Flags paid = 0;                               // the fees that are not due

    // Two more after a test that is in hand and cannot be done again, without fees.
    Amounts two_after(int test) const {
        Amounts least = last;
        for (int r = 0; r < kResources; ++r) least[r] += test == first_test[r] ? second[r] : first[r];
        return least;
    }
};

Chain describe_chain(const std::vector<std::int32_t>& tests, const CostModel& costs, Flags flags);

// What answers gain of the classes that a set has, run by run: as the policy says, but only for answers that some class
// present has something unusual for. All others gain alike.
struct SetGains {
    struct More {
        std::int32_t place;  // of the answer
        Units gain;
    };
    std::vector<Units> largest, usual;  // per run
    std::vector<More> more;             // of one run after another
    std::vector<std::int32_t> ends;     // where each run's end
    int n_places = 0;
    bool has_usual_answer = false;

    int n_answers() const { return n_places + has_usual_answer; }
};

struct Level {
    // Those that split the set, and behind them those that only set a flag which others need; each in the table's
    // order.
    std::vector<std::int32_t> tests;
    std::size_t n_splitting = 0;
    std::vector<std::int32_t> ranked;  // the affordable and allowed ones among them, most promising first
    Chain chain;
    std::vector<std::int32_t> objects;  // of the parts
    std::vector<Part> parts;            // by outcome
    std::vector<std::int32_t> runs;     // where each class that the set has ends, among its objects
    SetGains gains;                     // of these; only with losses
};

// What ranking a set's tests has found beside their order.
struct Ranking {
    Amounts changes = kUnlimited;  // while less is left, no further test is affordable
    int free_test = kNoTest;       // one that takes nothing of anything: doing it is never wrong
};

// Collects the tests of a set: by score, ties in the order in which they come.
class Ranker {
public:
    Ranker(const ExactTable& table, const Remaining& remaining, Level& level);

    // One that splits the set; `has_enough` where its leaves have enough cases.
    void add(int test, double score, bool has_enough = true);
    // Adds those that unlock others, and writes level.tests and level.ranked.
    Ranking finish(const ObjectSet& set, const std::vector<std::int32_t>& candidates);

private:
    struct Entry {
        double score;
        std::int32_t test;
    };
    void offer(const Entry& entry);
    void add_unlocking(const ObjectSet& set, const std::vector<std::int32_t>& candidates);

    const ExactTable& table_;
    const CostModel& costs_;
    const PathState state_;
    const Amounts left_;
    Level& level_;
    Ranking ranking_;
    std::vector<Entry> entries_, found_;  // those to try, and all; found_ only where tests need others
};

// Whether a test that shows the same on all of the set sets a flag that is missing and that some test needs.
inline bool unlocks(const ExactTable& table, const ObjectSet& set, int test, Flags flags) {
    const CostModel& costs = table.costs;
    return (costs.sets(test, table.column(test)[set.objects[0]]) & ~flags & costs.conditions()) != 0;
}

}  // namespace budgetree::BUDGETREE_EXACT
