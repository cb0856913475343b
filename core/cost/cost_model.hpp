// CostModel and PathState: what a path has spent, and what it may buy next, in whole units. No other file of the core
// knows a rule; the same in Python is budgetree/problem/cost_model.py.
//
//     amounts     test × outcome    what a test takes by itself of each resource; rows are filled up with the costliest
//     costliest   per test          of each resource at its costliest outcome: what a path must be able to pay
//     cheapest    per test          likewise at its cheapest
//     fees        per flag          taken once per path, with the first test that pays it; nothing for a condition
//     pays        per test          a bit for each fee that falls due with it
//     needs       per test          a bit for each flag that must be set before it may be bought
//     sets        test × result     the flags that are set once it has shown the result; the last is an unlisted one
//
// A panel is a fee whose tests take nothing themselves; "only after a" and "every path begins with a" are needs. Every
// flag is good: with more of them a path may do more, for less. All that bounds and caches do rests on that.
//
// How many resources there are is known to the compiler where that matters for speed: 1, 2 or 4.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace budgetree {

using Units = std::int64_t;
using Flags = std::uint64_t;  // a bit per fee paid and condition met

inline constexpr int kMaxResources = 4;

// An amount of each resource. The first is the budget's, which frontiers run over.
template <int R>
class AmountsOf {
public:
    constexpr AmountsOf() = default;
    static constexpr AmountsOf all(Units amount) {
        AmountsOf amounts;
        amounts.of_.fill(amount);
        return amounts;
    }

    constexpr Units operator[](int resource) const { return of_[resource]; }
    constexpr Units& operator[](int resource) { return of_[resource]; }
    bool operator==(const AmountsOf&) const = default;
    AmountsOf& operator+=(const AmountsOf& other) { return *this = *this + other; }
    AmountsOf operator+(const AmountsOf& other) const {
        return each(other, [](Units a, Units b) { return a + b; });
    }
    AmountsOf operator-(const AmountsOf& other) const {
        return each(other, [](Units a, Units b) { return a - b; });
    }
    AmountsOf min(const AmountsOf& other) const {
        return each(other, [](Units a, Units b) { return std::min(a, b); });
    }
    AmountsOf max(const AmountsOf& other) const {
        return each(other, [](Units a, Units b) { return std::max(a, b); });
    }

    bool is_nothing() const { return *this == AmountsOf(); }
    // Whether there is enough of every resource.
    bool fits(const AmountsOf& left) const {
        bool fits = true;
        for (int r = 0; r < R; ++r) fits &= of_[r] <= left[r];
        return fits;
    }
    // Whether it is less of every resource: inside a box that ends at the other.
    bool is_below(const AmountsOf& other) const {
        bool is_below = true;
        for (int r = 0; r < R; ++r) is_below &= of_[r] < other[r];
        return is_below;
    }
    // Cuts a box of what is left so that the price stays out of reach: in one resource that lacks it, which is enough.
    // The budget's only where no other does: a frontier raises nothing else.
    void cut(const AmountsOf& left, const AmountsOf& price) {
        for (int r = R - 1; r >= 0; --r) {
            if (price[r] <= left[r]) continue;
            of_[r] = std::min(of_[r], price[r]);
            return;
        }
    }

private:
    template <typename Join>
    AmountsOf each(const AmountsOf& other, Join join) const {
        AmountsOf joined;
        for (int r = 0; r < R; ++r) joined[r] = join(of_[r], other[r]);
        return joined;
    }

    std::array<Units, R> of_ = {};
};

// All that the past of a path means for its future.
template <int R>
struct PathStateOf {
    AmountsOf<R> spent = {};
    Flags flags = 0;
};

template <int R>
class CostModelOf {
public:
    using Amounts = AmountsOf<R>;
    using PathState = PathStateOf<R>;

    struct Rules {
        std::vector<Amounts> amounts;  // test × outcome
        std::vector<Amounts> fees;     // per flag
        std::vector<Flags> pays, needs;
        std::vector<Flags> sets;  // test × (outcome + 1)
        Amounts limits;
    };

    // What a test takes in one state, by outcome.
    class Charges {
    public:
        Charges(const Amounts* amounts, const Amounts& surcharge) : amounts_(amounts), surcharge_(surcharge) {}
        Amounts operator[](int outcome) const { return amounts_[outcome] + surcharge_; }

    private:
        const Amounts* amounts_;
        Amounts surcharge_;
    };

    CostModelOf(Rules rules, int n_resources)
        : n_resources_(n_resources), n_tests_(int(rules.pays.size())), width_(int(rules.amounts.size()) / n_tests_),
          rules_(std::move(rules)) {
        for (int test = 0; test < n_tests_; ++test) {
            Amounts costliest = own(test, 0), cheapest = costliest;
            for (int outcome = 1; outcome < width_; ++outcome) {
                costliest = costliest.max(own(test, outcome));
                cheapest = cheapest.min(own(test, outcome));
            }
            costliest_.push_back(costliest);
            cheapest_.push_back(cheapest);
            depends_on_outcome_ |= costliest != cheapest;
            has_conditions_ |= rules_.needs[test] != 0;
            conditions_ |= rules_.needs[test];
            fee_flags_ |= rules_.pays[test];
        }
    }
    // The same rules where the compiler knows of fewer resources; the others take nothing.
    template <int Other>
    explicit CostModelOf(const CostModelOf<Other>& other)
        : CostModelOf(
              Rules{narrowed<Other>(other.rules().amounts), narrowed<Other>(other.rules().fees), other.rules().pays,
                    other.rules().needs, other.rules().sets, narrowed(other.rules().limits)},
              other.n_resources()) {}

    const Rules& rules() const { return rules_; }
    int n_resources() const { return n_resources_; }
    int n_tests() const { return n_tests_; }
    int width() const { return width_; }
    const Amounts& limits() const { return rules_.limits; }
    // What a path may spend, where a frontier asks for so much of the first resource.
    Amounts limits_with(Units budget) const {
        Amounts limits = rules_.limits;
        limits[0] = budget;
        return limits;
    }
    bool depends_on_path() const { return !rules_.fees.empty(); }    // the price of any test, or whether it is allowed
    bool depends_on_outcome() const { return depends_on_outcome_; }  // the price of any test
    bool has_conditions() const { return has_conditions_; }
    bool has_one_price() const {
        const auto is_first = [&](const Amounts& price) { return price == rules_.amounts.front(); };
        return !depends_on_path() && std::ranges::all_of(rules_.amounts, is_first);
    }
    Flags conditions() const { return conditions_; }  // all flags that some test needs
    Flags fee_flags() const { return fee_flags_; }    // all flags that some test pays

    // What tests take by themselves: no path pays less.
    const Amounts& costliest(int test) const { return costliest_[test]; }
    const Amounts& cheapest(int test) const { return cheapest_[test]; }
    const std::vector<Amounts>& costliest() const { return costliest_; }
    const std::vector<Amounts>& cheapest() const { return cheapest_; }
    // What all tests take together at most: no path spends more.
    Amounts price_of_all() const {
        const Amounts tests = std::accumulate(costliest_.begin(), costliest_.end(), Amounts());
        return std::accumulate(rules_.fees.begin(), rules_.fees.end(), tests);
    }

    Charges charges(const PathState& state, int test) const {
        return {&rules_.amounts[std::size_t(test) * width_], due(state.flags, test)};
    }
    Amounts charge(const PathState& state, int test, int outcome) const { return charges(state, test)[outcome]; }
    // The fees of a test that a path has not paid yet.
    Amounts due(Flags paid, int test) const {
        Amounts due;
        for (Flags unpaid = rules_.pays[test] & ~paid; unpaid != 0; unpaid &= unpaid - 1) {
            due += rules_.fees[std::countr_zero(unpaid)];
        }
        return due;
    }

    // What a path must have left to buy the test.
    Amounts most(const PathState& state, int test) const { return costliest_[test] + due(state.flags, test); }
    // Whether the order allows it; whether it is affordable is another matter.
    bool is_allowed(Flags flags, int test) const { return (rules_.needs[test] & ~flags) == 0; }
    bool may_buy(const PathState& state, int test, const Amounts& limits) const {
        return is_allowed(state.flags, test) && (state.spent + most(state, test)).fits(limits);
    }

    PathState after(const PathState& state, int test, int outcome) const {
        return {state.spent + charge(state, test, outcome), flags_after(state.flags, test, outcome)};
    }
    Flags flags_after(Flags flags, int test, int outcome) const { return flags | sets(test, outcome); }
    Flags sets(int test, int outcome) const { return rules_.sets[std::size_t(test) * (width_ + 1) + outcome]; }
    Flags needs(int test) const { return rules_.needs[test]; }
    // A state at least as good as `after`: the test takes its own amount, and everything else was paid before.
    PathState after_at_least(const PathState& state, int test, int outcome) const {
        return {state.spent + own(test, outcome), flags_after(state.flags, test, outcome)};
    }

    // Whether `better` can pay for every tree that `worse` can, on the same cases.
    static bool dominates(const PathState& better, const PathState& worse) {
        return better.spent.fits(worse.spent) && (worse.flags & ~better.flags) == 0;
    }
    // A state at least as good as both.
    static PathState best_of(const PathState& one, const PathState& other) {
        return {one.spent.min(other.spent), one.flags | other.flags};
    }

private:
    const Amounts& own(int test, int outcome) const { return rules_.amounts[std::size_t(test) * width_ + outcome]; }

    template <int Other>
    static Amounts narrowed(const AmountsOf<Other>& amounts) {
        Amounts result;
        for (int r = 0; r < std::min(R, Other); ++r) result[r] = amounts[r];
        return result;
    }
    template <int Other>
    static std::vector<Amounts> narrowed(const std::vector<AmountsOf<Other>>& amounts) {
        std::vector<Amounts> result;
        for (const auto& each : amounts) result.push_back(narrowed(each));
        return result;
    }

    int n_resources_, n_tests_, width_;
    Rules rules_;
    std::vector<Amounts> costliest_, cheapest_;
    bool depends_on_outcome_ = false, has_conditions_ = false;
    Flags conditions_ = 0, fee_flags_ = 0;
};

// Where it does not matter for speed, there is room for all of them.
using Amounts = AmountsOf<kMaxResources>;
using PathState = PathStateOf<kMaxResources>;
using CostModel = CostModelOf<kMaxResources>;

// One number for what is taken: the units of the only resource; of several the largest share of a limit, in whole steps
// of a grid on which all limits lie (a fine one if it is missing). A limit that no path reaches does not count as
// one: the share is of what all tests take together.
class Prices {
public:
    Prices(const CostModel& costs, Units budget)
        : n_resources_(costs.n_resources()),
          wholes_(costs.limits_with(budget).min(costs.price_of_all()).max(Amounts::all(1))) {
        for (int r = 0; r < n_resources_ && grid_ < kFinestGrid; ++r) {
            const auto multiple = (unsigned __int128)(grid_ / std::gcd(grid_, wholes_[r])) * std::uint64_t(wholes_[r]);
            grid_ = multiple < kFinestGrid ? Units(multiple) : kFinestGrid;
        }
        Amounts highest;
        for (const Amounts& costliest : costs.costliest()) highest = highest.max(costliest);
        const std::vector<Amounts>& fees = costs.rules().fees;
        highest_ = n_resources_ == 1 ? std::accumulate(fees.begin(), fees.end(), highest)[0] : kFinestGrid;
    }

    Units of(const Amounts& amounts) const {
        if (n_resources_ == 1) return amounts[0];
        Units largest = 0;
        for (int r = 0; r < n_resources_; ++r) {
            const auto doubled = (unsigned __int128)(2 * amounts[r]) * std::uint64_t(grid_) + std::uint64_t(wholes_[r]);
            largest = std::max(largest, Units(doubled / std::uint64_t(2 * wholes_[r])));
        }
        return largest;
    }
    Units highest() const { return highest_; }  // no test that is affordable has a higher one

private:
    static constexpr Units kFinestGrid = Units(1) << 40;

    int n_resources_;
    Amounts wholes_;  // per resource, what shares are of
    Units grid_ = 1, highest_;
};

}  // namespace budgetree
