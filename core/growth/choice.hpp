// The greedy rule: which test to do at a node. The reference implementation is budgetree/learn/greedy/rule.py.
//
//     R(t) = max over the outcomes i present of price(t, i) / (F(G) − F(G_i))        the smallest R wins
//     ties: the test that leaves the least wrong, then the first column; where every R is infinite, Pairs chooses
//
// With several resources the price is the largest share of a limit (cost_model.hpp). A test that needs others first
// is offered together with those of them that show the same on all of the node, as one purchase; if it is the best, the
// first of these is done.
//
//     per test    wrong | largest | kept | price      floats, side by side (Facts, and the scratch of a Chooser)
//
// Fast because all of it is floats in vectors, and yet exact: as long as nothing passes 2^53 floats are whole numbers,
// and two R whose cross products round to the same float are compared in 128 bits. Beyond 2^53 each R has bounds; tests
// that these cannot separate are settled in whole numbers of up to 1,024 bits. Gini and entropy tie within a billionth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "cost/cost_model.hpp"
#include "growth/big_uint.hpp"
#include "growth/impurity.hpp"
#include "tables/counting.hpp"

namespace budgetree {

inline constexpr int kLeaf = -1;

enum class Rule { kWorst, kExpected };

struct GrowthSettings {
    IntegerImpurity impurity;
    BigUInt threshold;       // a node with no more impurity is a leaf: the paper's δ, in the impurity's whole numbers
    double float_threshold;  // the same for functions of floats
    Units budget;
    Rule rule;
    int min_cases = 1;  // of every leaf; more than one only where every case counts one
};

struct Choice {
    int test = kLeaf;
    bool is_fallback = false;  // Pairs had to choose
};

// A node that was counted, for the rule.
template <typename Count>
struct ChoiceNode {
    ClassWeights class_weights;
    const ClassList& classes;  // those present
    const NodeCounts<Count>& counts;
    const Facts& facts;
    PathState state;
};

ClassList classes_of(ClassWeights class_weights);

class Chooser {
public:
    Chooser(const RowLayout& layout, const CostModel& costs);

    // From now on by these settings, which must outlive their use.
    void use(const GrowthSettings& settings);

    // Whether the node is pure, has at most the threshold in impurity or can pay for no test.
    bool stops(ClassWeights class_weights, const PathState& state) const;

    template <typename Count>
    void find_facts(const NodeCounts<Count>& counts, const ClassList& classes, Facts& facts) const;

    // Leaf where no test that is offered splits the node, or the clock stopped it.
    template <typename Count>
    Choice choose(const ChoiceNode<Count>& node, Watch& watch);

    // What every test costs at its costliest outcome in this state, and the least of it; without order and other
    // limits, where takes_pure_splits.
    std::span<const double> prices(const PathState& state);
    double cheapest(const PathState& state);

    // Whether a cheapest test whose outcomes are all pure must be the rule's choice: no R is below its price / F(G),
    // and of the tests that reach it only others like it leave nothing wrong.
    bool takes_pure_splits() const {
        return !costs_.depends_on_outcome() && !has_rules() && settings_->impurity.is_exact() &&
               settings_->min_cases == 1;
    }

    const GrowthSettings& settings() const { return *settings_; }
    const CostModel& costs() const { return costs_; }

private:
    struct Ratio {
        double price, reduction;  // a reduction of 0 is an infinite R
        double low, high;         // bounds of R
    };
    // R in whole numbers.
    struct ExactRatio {
        BigUInt price, reduction;

        bool is_below(const ExactRatio& other) const { return price * other.reduction < other.price * reduction; }
    };
    struct Weighing;  // one node by one impurity
    // A test with what must be done before it on this node: its first test, and the state in which it is bought itself.
    struct Offer {
        int first = kLeaf;  // kLeaf where it cannot be had
        PathState state;
    };

    template <typename Count>
    void leave_out_rare(const NodeCounts<Count>& counts, const ClassList& classes, Facts& facts) const;
    template <typename Count>
    int best_by(const IntegerImpurity& impurity, const ChoiceNode<Count>& node, Watch& watch);
    bool fill(const IntegerImpurity& impurity, const CountedNode& node, const CountedNode& contributing, Watch& watch);
    template <typename Count>
    int settle(const IntegerImpurity& impurity, const ChoiceNode<Count>& node) const;
    template <typename Count>
    ExactRatio exact_ratio(const IntegerImpurity& impurity, const ChoiceNode<Count>& node, const BigUInt& whole,
                           int test) const;

    int pick_exact(const Weighing& weighing, const Facts& facts) const;
    int pick_tolerant(const Weighing& weighing, const Facts& facts) const;
    int pick_by_ratio(const Weighing& weighing, const Facts& facts) const;
    double find_unsettled(const Weighing& weighing, const Facts& facts);
    void find_ratios(const Weighing& weighing, const PathState& state);
    Ratio ratio_of_outcomes(const Weighing& weighing, int test, const PathState& state) const;
    Ratio ratio_of_means(const Weighing& weighing, int test, const PathState& state) const;
    // Whether tests may be locked, or something else than the budget is limited.
    bool has_rules() const { return costs_.has_conditions() || costs_.n_resources() > 1; }
    template <typename Count>
    void find_offers(const ChoiceNode<Count>& node);
    template <typename Count>
    bool unlock(const ChoiceNode<Count>& node, double total, int test, Offer& offer, int depth) const;
    Units price_of(const PathState& state, int test, int outcome) const;
    bool is_offered(const Weighing& weighing, const Facts& facts, int test) const;

    const RowLayout& layout_;
    const CostModel& costs_;
    const GrowthSettings* settings_ = nullptr;
    IntegerImpurity pairs_;
    Units lowest_price_;
    std::vector<double> flat_prices_, prices_, kept_, each_, total_;
    ClassList contributing_;
    std::vector<Ratio> ratios_;
    std::vector<int> unsettled_;
    std::vector<Offer> offers_;  // only with rules
    Prices shares_;
};

}  // namespace budgetree
