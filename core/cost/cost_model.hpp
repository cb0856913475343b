// CostModel and PathState: what a path has spent, and what it may buy next, in whole units. No other file of the core
// knows a rule; the same in Python is budgetree/problem/cost_model.py.
//
//     amounts     test × outcome    what a test takes by itself; rows are filled up with the test's costliest
//     costliest   per test          its costliest outcome: what a path must be able to pay before doing it
//     cheapest    per test          its cheapest outcome
//     flags       per test          a bit for each fee that it needs
//     fees        per flag          taken once per path, with the first test that needs it
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace budgetree {

using Units = std::int64_t;
using Flags = std::uint64_t;  // a bit per fee that was paid

// All that the past of a path means for its future.
struct PathState {
    Units spent = 0;
    Flags flags = 0;
};

class CostModel {
public:
    // What a test takes in one state, by outcome.
    class Charges {
    public:
        Charges(const Units* amounts, Units surcharge) : amounts_(amounts), surcharge_(surcharge) {}
        Units operator[](int outcome) const { return amounts_[outcome] + surcharge_; }

    private:
        const Units* amounts_;
        Units surcharge_;
    };

    CostModel(std::vector<Units> amounts, int n_tests, std::vector<Units> fees, std::vector<Flags> flags)
        : n_tests_(n_tests), width_(int(amounts.size()) / n_tests), amounts_(std::move(amounts)),
          fees_(std::move(fees)), flags_(std::move(flags)) {
        for (int test = 0; test < n_tests_; ++test) {
            const auto prices = std::span(amounts_).subspan(std::size_t(test) * width_, width_);
            costliest_.push_back(std::ranges::max(prices));
            cheapest_.push_back(std::ranges::min(prices));
            depends_on_outcome_ |= costliest_.back() != cheapest_.back();
        }
    }

    int n_tests() const { return n_tests_; }
    int width() const { return width_; }
    bool depends_on_path() const { return !fees_.empty(); }          // the price of any test
    bool depends_on_outcome() const { return depends_on_outcome_; }  // likewise
    bool has_one_price() const {
        const auto is_first = [&](Units price) { return price == amounts_.front(); };
        return !depends_on_path() && std::ranges::all_of(amounts_, is_first);
    }

    // What tests take by themselves: no path pays less.
    Units costliest(int test) const { return costliest_[test]; }
    Units cheapest(int test) const { return cheapest_[test]; }
    const std::vector<Units>& costliest() const { return costliest_; }
    const std::vector<Units>& cheapest() const { return cheapest_; }
    // No test takes more in any state.
    Units highest_price() const { return std::accumulate(fees_.begin(), fees_.end(), std::ranges::max(costliest_)); }

    Charges charges(const PathState& state, int test) const {
        return {&amounts_[std::size_t(test) * width_], surcharge(state.flags, test)};
    }
    Units charge(const PathState& state, int test, int outcome) const { return charges(state, test)[outcome]; }

    // What a path must have left to buy the test.
    Units most(const PathState& state, int test) const { return costliest_[test] + surcharge(state.flags, test); }
    bool may_buy(const PathState& state, int test, Units limit) const {
        return state.spent + most(state, test) <= limit;
    }

    PathState after(const PathState& state, int test, int outcome) const {
        return {state.spent + charge(state, test, outcome), flags_after(state.flags, test)};
    }
    Flags flags_after(Flags flags, int test) const { return flags | flags_[test]; }
    // A state at least as good as `after`: the test takes its own amount, and everything else was paid before.
    PathState after_at_least(const PathState& state, int test, int outcome) const {
        return {state.spent + amounts_[std::size_t(test) * width_ + outcome], flags_after(state.flags, test)};
    }

    // Whether `better` can pay for every tree that `worse` can, on the same cases.
    static bool dominates(const PathState& better, const PathState& worse) {
        return better.spent <= worse.spent && (worse.flags & ~better.flags) == 0;
    }
    // A state at least as good as both.
    static PathState best_of(const PathState& one, const PathState& other) {
        return {std::min(one.spent, other.spent), one.flags | other.flags};
    }

private:
    // The fees of a test that a path has not paid yet.
    Units surcharge(Flags paid, int test) const {
        Units due = 0;
        for (Flags unpaid = flags_[test] & ~paid; unpaid != 0; unpaid &= unpaid - 1) {
            due += fees_[std::countr_zero(unpaid)];
        }
        return due;
    }

    int n_tests_, width_;
    std::vector<Units> amounts_, fees_;
    std::vector<Flags> flags_;
    std::vector<Units> costliest_, cheapest_;
    bool depends_on_outcome_ = false;
};

}  // namespace budgetree
