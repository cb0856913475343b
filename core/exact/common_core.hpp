// A lower bound that rises while a search is under way: one proof for many first tests.
//
//     test a   ██████████████░░░░      F lies inside one part of each of the tests a, b, c: whichever of them a tree
//     test b   ░░████████████████      begins with, F stays together, and the tree has at least the errors that F alone
//     test c   ████████████████░░      has with what is left of the budget. One proof refutes the whole group.
//     F          ████████████
//
// Groups are built from chains of heavier parts, each cut out of the one before. A chain ends where F becomes too light
// to be worth a proof; how light that is, is learned on the way: a proof that succeeds lets the next chain go a little
// further, one that fails cuts the chain in half. The mass of a case is how hard it is to classify (one minus what a
// naive Bayes model gives its own class): it steers, and proves nothing.
//
// Where exactly three tests are left, all of one price, larger sets are not divided into groups: all triples of tests
// are counted (binary_triples.hpp), and the answer is exact.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/turns.hpp"
#include "exact/binary_triples.hpp"
#include "exact/exact.hpp"

namespace budgetree::BUDGETREE_EXACT {

// Has every tree on the whole so many errors? The first tests that several threads have still to refute.
struct SharedQuestion {
    Remaining remaining;
    Units wanted;
    Turns& turns;  // at all that follows

    bool has_failed = false, has_begun = false;
    std::vector<std::int32_t> tests = {};  // that no thread has refuted or taken
    Units least = kNever;                  // that trees beginning with the others get wrong
};

// One thread's work on such a question.
class CommonCore {
public:
    CommonCore(Search& search, Watch watch);

    // Takes tests and refutes them until none are left, or one cannot be refuted in time.
    void refute_some(SharedQuestion& shared, int worker, std::int64_t max_work);

    // No tree on the whole within the budget has fewer errors than this: `wanted` or more if that could be proven, else
    // whatever could.
    Units lower_bound(const Remaining& remaining, Units wanted);

private:
    struct Stopped {};
    struct Link {  // of a chain: a test, the part that F stays in, and how many cases F has
        int test, outcome, size;
    };
    struct Known {
        Units bound = 0, failed_at = kNever;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const { return key.first; }
    };
    // What the cases of F weigh, by test and outcome, and altogether.
    struct Masses {
        std::vector<float> by_outcome;  // see mass_lanes.hpp
        float all = 0;
    };
    // A set that is bounded by groups of tests: its chain in the making, one per depth.
    struct Workplace {
        std::vector<std::int32_t> tests;    // not yet refuted
        std::vector<std::int32_t> objects;  // F, and behind it what each link has cut off, the last link's first
        std::vector<std::int32_t> core;     // F in the order of the set
        std::vector<Link> chain;
        Masses whole, left;
        float need = 0;  // the mass from which on a proof is tried, per error that is wanted; 0: not yet known
    };

    Units bound(std::span<const std::int32_t> objects, const Remaining& remaining, Units wanted, int depth);
    Units bound_by_groups(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth);
    void begin_groups(const ObjectSet& set, const Remaining& remaining, int depth);
    // The least that trees beginning with a test of the chain get wrong; the chain is cut to those that this is true
    // of.
    Units refute_group(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth);
    void make_chain(const ObjectSet& set, Units wanted, Workplace& here);
    int heaviest(int test, const Masses& masses) const;
    float mass_of(int test, int outcome, const Masses& masses) const;
    void add_mass(std::int32_t object, float sign, Masses& masses) const;
    Remaining after(const Remaining& remaining, std::span<const Link> group) const;
    std::vector<float> weigh_cases();
    void spend(std::int64_t work);
    static void fail(SharedQuestion& shared);         // in a turn
    int affordable_tests(const Amounts& left) const;  // on a path, at most
    Remaining relaxed(Remaining remaining) const;     // without order, which only adds trees
    Workplace& place_at(int depth);

    const ExactTable& table_;
    Search& search_;
    Watch watch_;
    std::vector<float> mass_;                                  // per case; empty until it is needed
    std::array<std::vector<Units>, kResources> least_prices_;  // of one test, of two, of three, …
    std::vector<std::unique_ptr<Workplace>> places_;
    std::unordered_map<Key, Known, KeyHash> known_;
    std::unique_ptr<BinaryTriples> triples_;  // where any three tests of equal prices may follow each other
};

}  // namespace budgetree::BUDGETREE_EXACT
