// What one depth of an exact search holds: the set's tests, their prices in a chain, and the parts of the test in hand.
#pragma once

#include <vector>

#include "exact/exact_table.hpp"

namespace budgetree {

// What several tests, one after another, cost at least. The last of them must be affordable at its costliest outcome;
// those before it may show their cheapest.
struct Chain {
    Units last = kNever / 4;   // the least costliest price
    Units first = kNever / 4;  // the two least cheapest prices, of two tests
    Units second = kNever / 4;
    int first_test = kNoTest;  // whose price the least is

    Units two() const { return last + first; }
    Units three() const { return last + first + second; }
    // Two more after a test that is in hand and cannot be done again.
    Units two_after(int test) const { return last + (test == first_test ? second : first); }
};

Chain describe_chain(const std::vector<std::int32_t>& tests, const CostModel& costs);

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
    std::vector<std::int32_t> tests;   // those that split the set, in the table's order
    std::vector<std::int32_t> ranked;  // the affordable and allowed ones among them, most promising first
    Chain chain;
    std::vector<std::int32_t> objects;  // of the parts
    std::vector<Part> parts;            // by outcome
    std::vector<std::int32_t> runs;     // where each class that the set has ends, among its objects
    SetGains gains;                     // of these; only with losses
};

// What ranking a set's tests has found beside their order.
struct Ranking {
    Units beyond = kNever;    // the least price beyond the budget
    int free_test = kNoTest;  // one that costs nothing: doing it is never wrong
};

// Collects tests that split a set: by score, ties in the order in which they come.
class Ranker {
public:
    Ranker(const CostModel& costs, const Remaining& remaining, Level& level);

    void add(int test, double score, bool is_allowed = true);
    Ranking finish();  // writes level.tests and level.ranked

private:
    struct Entry {
        double score;
        std::int32_t test;
    };
    const CostModel& costs_;
    Remaining remaining_;
    Level& level_;
    Ranking ranking_;
    std::vector<Entry> entries_;
};

}  // namespace budgetree
