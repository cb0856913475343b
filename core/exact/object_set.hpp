// Sets of cases as exact search sees them, and what it says of one. Errors are losses where there are any.
//
//     objects   ──►  7 12 13 40 │ 2 3 9 55 │ 1 8        a set: numbers of cases, sorted by class
//                    class 0      class 1     class 2
//
// The objects of a set lie in an array of the set's maker: the searcher has one per depth, and splitting a set at
// one depth writes its parts into the next one's.
#pragma once

#include <cstdint>
#include <span>

#include "cost/cost_model.hpp"
#include "exact/exact_search.hpp"

namespace budgetree::BUDGETREE_EXACT {

inline constexpr int kResources = BUDGETREE_RESOURCES;
using Amounts = AmountsOf<kResources>;
using PathState = PathStateOf<kResources>;
using CostModel = CostModelOf<kResources>;

inline constexpr Amounts kUnlimited = Amounts::all(kNever);

// A set is known by two sums of random numbers, one pair per case, whatever path led to it: two sets with equal sums
// are the same but for a chance of 2⁻¹²⁸.
struct Key {
    std::uint64_t first = 0, second = 0;

    bool operator==(const Key&) const = default;
    Key& operator+=(const Key& other) { return first += other.first, second += other.second, *this; }
    Key operator-(const Key& other) const { return {first - other.first, second - other.second}; }
};

struct ObjectSet {
    std::span<const std::int32_t> objects;
    Units total = 0;  // weight; with losses what the cases lose with the worst answer for each
    Units leaf = 0;   // errors as a leaf
    Units least = 0;  // errors of any tree: identical cases of several classes
    Key key;

    int size() const { return int(objects.size()); }
};

// What a test makes of a set: the cases that show one outcome, and what is known of their errors so far.
struct Part : ObjectSet {
    Units proven = 0;            // no tree has fewer errors …
    Amounts up_to = kUnlimited;  // … with less than this left of every resource
    Amounts need;                // what the tree that was found for it needs
    bool is_settled = false;     // there is nothing to search for any more

    Units mixed() const { return is_settled ? 0 : leaf - least; }  // what there is to gain
    void settle(Units errors, const Amounts& until, const Amounts& needed) {
        proven = errors, up_to = until, need = needed, is_settled = true;
    }
};

// A path and the most that it may spend.
struct Remaining {
    PathState state = {};
    Amounts limits = {};

    Amounts left() const { return limits - state.spent; }
    bool operator==(const Remaining& other) const { return state.flags == other.state.flags && left() == other.left(); }
};

struct Answer {
    Units value = 0;               // the fewest errors if below the cutoff, else a lower bound of at least the cutoff
    Amounts changes = kUnlimited;  // it holds while less than this is left of every resource: a box
    Amounts need = {};             // what the tree that was found needs
    int test = kNoTest;            // its first test; kNoTest for a leaf
};

}  // namespace budgetree::BUDGETREE_EXACT
