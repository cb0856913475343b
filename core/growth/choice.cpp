#include "growth/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace budgetree {
namespace {

constexpr std::int64_t kWorkBetweenLooks = 20'000'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The sign of a's R minus b's, exactly: R is price / reduction, all whole numbers up to 2^53.
int compare(double price_a, double reduction_a, double price_b, double reduction_b) {
    const double left = price_a * reduction_b, right = price_b * reduction_a;
    if (left != right) return left < right ? -1 : 1;  // rounding keeps the order
    if (left <= kExact) return 0;
    const auto exact_left = (unsigned __int128)std::uint64_t(price_a) * std::uint64_t(reduction_b);
    const auto exact_right = (unsigned __int128)std::uint64_t(price_b) * std::uint64_t(reduction_a);
    return exact_left < exact_right ? -1 : exact_left > exact_right ? 1 : 0;
}

double quotient(double price, double reduction) {
    return reduction > 0.0 ? price / reduction : kInfinity;
}

}  // namespace

// One node by one impurity, in floats.
struct Chooser::Weighing {
    bool is_exact_form;
    double total, whole;  // the node's weight and its impurity
    double error;         // how far a reduction may be off
    double price_error;   // how far a mean price may be off, relatively
    double room;          // what the path may still spend
    double nothing;       // a reduction up to this is none
    std::span<const double> costs;
};

ClassList classes_of(ClassWeights class_weights) {
    ClassList present;
    for (std::size_t c = 0; c < class_weights.size(); ++c) {
        if (class_weights[c] > 0) present.push_back(std::int32_t(c));
    }
    return present;
}

Chooser::Chooser(const RowLayout& layout, const CostModel& costs)
    : layout_(layout), costs_(costs), pairs_(IntegerImpurity::pairs(layout.n_classes())), kept_(layout.n_lanes()),
      shares_(costs, 0) {
    for (const Amounts& costliest : costs.costliest()) flat_prices_.push_back(double(costliest[0]));
    lowest_price_ = Units(*std::ranges::min_element(flat_prices_));
    prices_ = flat_prices_;
    if (has_rules()) offers_.resize(layout.n_tests());
}

void Chooser::use(const GrowthSettings& settings) {
    settings_ = &settings;
    shares_ = Prices(costs_, settings.budget);
    if ((costs_.depends_on_outcome() || settings.rule == Rule::kExpected) && each_.empty()) {
        each_.resize(layout_.n_cells());
        total_.resize(layout_.n_cells());
    }
}

bool Chooser::stops(ClassWeights class_weights, const PathState& state) const {
    int n_present = 0;
    double total = 0.0;
    for (const std::int64_t weight : class_weights) {
        n_present += weight > 0;
        total += double(weight);
    }
    if (n_present < 2 || state.spent[0] + lowest_price_ > settings_->budget) return true;
    const double value = settings_->impurity.value(class_weights);
    if (!settings_->impurity.is_exact()) return value <= settings_->float_threshold * (1.0 + kFloatTie);
    const double error = settings_->impurity.error_bound(total, 1.0), threshold = settings_->threshold.as_double();
    const double margin = error + (threshold > kExact ? 4.0 * kHalfUlp * threshold : 0.0);
    if (std::isfinite(margin)) {
        if (margin == 0.0) return value <= threshold;
        if (value + margin < threshold) return true;
        if (value - margin > threshold) return false;
    }
    return settings_->impurity.exact_value(class_weights) <= settings_->threshold;
}

template <typename Count>
void Chooser::find_facts(const NodeCounts<Count>& counts, const ClassList& classes, Facts& facts) const {
    static const auto find = impurity_functions().facts;
    find(counted_node(layout_, counts, classes), {facts.wrong.data(), facts.largest.data()});
    if (settings_->min_cases > 1) leave_out_rare(counts, classes, facts);
}

// A test with an outcome that too few cases show is as if it did not split: all cases stay together.
template <typename Count>
void Chooser::leave_out_rare(const NodeCounts<Count>& counts, const ClassList& classes, Facts& facts) const {
    for (int test = 0; test < layout_.n_tests(); ++test) {
        for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
            const std::size_t cell = layout_.cell(test, outcome);
            double n_shown = 0;
            for (const int c : classes) n_shown += double(counts.of(c)[cell]);
            if (0 < n_shown && n_shown < settings_->min_cases) facts.largest[test] = kInfinity;
        }
    }
}

std::span<const double> Chooser::prices(const PathState& state) {
    if (!costs_.depends_on_path()) return flat_prices_;
    for (int test = 0; test < layout_.n_tests(); ++test) prices_[test] = double(costs_.most(state, test)[0]);
    return prices_;
}

double Chooser::cheapest(const PathState& state) {
    return costs_.depends_on_path() ? *std::ranges::min_element(prices(state)) : double(lowest_price_);
}

template <typename Count>
Choice Chooser::choose(const ChoiceNode<Count>& node, Watch& watch) {
    if (has_rules()) find_offers(node);
    const auto first_of = [&](int test) { return has_rules() && test != kLeaf ? offers_[test].first : test; };
    const int best = best_by(settings_->impurity, node, watch);
    if (best != kLeaf) return {first_of(best), false};
    // Nothing splits the node, or every R is infinite; then Pairs, which separates something wherever a test splits.
    const int by_pairs = best_by(pairs_, node, watch);
    return {first_of(by_pairs), by_pairs != kLeaf};
}

// Every test that splits the node and can be had; prices_ are infinite for the others.
template <typename Count>
void Chooser::find_offers(const ChoiceNode<Count>& node) {
    const double total = double(std::accumulate(node.class_weights.begin(), node.class_weights.end(), std::int64_t(0)));
    for (int test = 0; test < layout_.n_tests(); ++test) {
        Offer& offer = offers_[test] = {kLeaf, node.state};
        prices_[test] = kInfinity;
        if (!(node.facts.largest[test] < total) || !unlock(node, total, test, offer, 0)) continue;
        if (offer.first == kLeaf) offer.first = test;
        prices_[test] = double(shares_.of(offer.state.spent - node.state.spent + costs_.most(offer.state, test)));
    }
}

// Adds to an offer what a test still needs, as far as it shows the same on all of the node; whether it can then be
// bought within all limits.
template <typename Count>
bool Chooser::unlock(const ChoiceNode<Count>& node, double total, int test, Offer& offer, int depth) const {
    for (Flags missing; (missing = costs_.needs(test) & ~offer.state.flags) != 0;) {
        const auto shows_one = [&](int other) -> int {  // the outcome; −1 where there are several, or too few cases
            if (node.facts.largest[other] != total) return -1;
            int outcome = 0;
            const auto is_shown = [&](int c) { return node.counts.of(c)[layout_.cell(other, outcome)] > 0; };
            while (std::ranges::none_of(node.classes, is_shown)) ++outcome;
            return outcome;
        };
        int unlocking = kLeaf, outcome = -1;
        for (int other = 0; other < layout_.n_tests() && unlocking == kLeaf; ++other) {
            outcome = shows_one(other);
            if (outcome >= 0 && (costs_.sets(other, outcome) & missing) != 0) unlocking = other;
        }
        if (unlocking == kLeaf || depth > layout_.n_tests()) return false;
        if (!unlock(node, total, unlocking, offer, depth + 1)) return false;
        if (offer.first == kLeaf) offer.first = unlocking;
        offer.state = costs_.after(offer.state, unlocking, outcome);
    }
    return costs_.may_buy(offer.state, test, costs_.limits_with(settings_->budget));
}

// What the test takes as one number, with what must be done before it.
Units Chooser::price_of(const PathState& state, int test, int outcome) const {
    if (!has_rules()) return costs_.charge(state, test, outcome)[0];
    const PathState& then = offers_[test].state;
    return shares_.of(then.spent - state.spent + costs_.charge(then, test, outcome));
}

bool Chooser::is_offered(const Weighing& weighing, const Facts& facts, int test) const {
    return facts.largest[test] < weighing.total && weighing.costs[test] <= weighing.room;
}

template <typename Count>
int Chooser::best_by(const IntegerImpurity& impurity, const ChoiceNode<Count>& node, Watch& watch) {
    const bool is_worst = settings_->rule == Rule::kWorst;
    Weighing weighing = {impurity.is_exact(),
                         0.0,
                         impurity.value(node.class_weights),
                         0.0,
                         0.0,
                         0.0,
                         0.0,
                         has_rules() ? std::span<const double>(prices_) : prices(node.state)};
    contributing_.clear();
    for (const int c : node.classes) {
        const double weight = double(node.class_weights[c]);
        weighing.total += weight;
        if (impurity.may_contribute(weight)) contributing_.push_back(c);
    }
    // By rules what cannot be had has an infinite price.
    weighing.room = has_rules() ? std::numeric_limits<double>::max() : double(settings_->budget - node.state.spent[0]);
    weighing.nothing = impurity.is_exact() ? 0.0 : kFloatTie * weighing.whole;
    weighing.error = impurity.error_bound(weighing.total, is_worst ? 1.0 : weighing.total);
    if (!is_worst && weighing.total * double(shares_.highest()) > kExact) {
        weighing.price_error = 2.0 * (layout_.max_outcomes() + 4) * kHalfUlp;
    }
    const bool by_outcome = !is_worst || costs_.depends_on_outcome();
    if (!fill(impurity, counted_node(layout_, node.counts, node.classes),
              counted_node(layout_, node.counts, contributing_), watch)) {
        return kLeaf;
    }

    if (!by_outcome && weighing.error == 0.0) {
        return impurity.is_exact() ? pick_exact(weighing, node.facts) : pick_tolerant(weighing, node.facts);
    }
    find_ratios(weighing, node.state);
    if (!impurity.is_exact() || (weighing.error == 0.0 && weighing.price_error == 0.0)) {
        return pick_by_ratio(weighing, node.facts);
    }
    const double ceiling = find_unsettled(weighing, node.facts);
    if (unsettled_.size() == 1 && std::isfinite(ceiling)) return unsettled_.front();
    return unsettled_.empty() ? kLeaf : settle(impurity, node);
}

// The impurities of every outcome of every test, a few groups at a time. False when the clock stopped it.
bool Chooser::fill(const IntegerImpurity& impurity, const CountedNode& node, const CountedNode& contributing,
                   Watch& watch) {
    const bool is_worst = settings_->rule == Rule::kWorst;
    const bool by_outcome = !is_worst || costs_.depends_on_outcome();
    // About the nanoseconds that a group takes: a hinge looks at every pair of classes.
    const std::int64_t per_group =
        4LL * layout_.max_outcomes() * (contributing.n_classes + 1LL) * (contributing.n_classes + 1LL);
    const int at_once = int(std::clamp<std::int64_t>(kWorkBetweenLooks / per_group, 1, node.shape.n_groups));
    for (int first = 0; first < node.shape.n_groups; first += at_once) {
        const int n_groups = std::min(at_once, node.shape.n_groups - first);
        CountedNode some = node, some_contributing = contributing;
        some.shape = some_contributing.shape = {n_groups, node.shape.is_packed, node.shape.n_levels + first,
                                                node.shape.cells_before + first};
        impurity.fill(some, some_contributing,
                      {kept_.data() + first * kGroup, !is_worst, by_outcome ? each_.data() : nullptr,
                       by_outcome ? total_.data() : nullptr});
        if (watch.is_over(n_groups * per_group / 8)) return false;
    }
    return true;
}

// The usual case: one price per test, the worst outcome, everything exact.
int Chooser::pick_exact(const Weighing& weighing, const Facts& facts) const {
    int best = kLeaf;
    double best_price = 0.0, best_gain = 1.0;
    for (int test = 0; test < layout_.n_tests(); ++test) {
        const double gain = weighing.whole - kept_[test];
        if (!is_offered(weighing, facts, test) || gain <= 0.0) continue;
        const double price = weighing.costs[test];
        const int order = best == kLeaf ? -1 : compare(price, gain, best_price, best_gain);
        if (order < 0 || (order == 0 && facts.wrong[test] < facts.wrong[best])) {
            best = test;
            best_price = price;
            best_gain = gain;
        }
    }
    return best;
}

int Chooser::pick_tolerant(const Weighing& weighing, const Facts& facts) const {
    const auto ratio = [&](int test) {
        const double gain = weighing.whole - kept_[test];
        return is_offered(weighing, facts, test) && gain > weighing.nothing ? weighing.costs[test] / gain : kInfinity;
    };
    double smallest = kInfinity;
    for (int test = 0; test < layout_.n_tests(); ++test) smallest = std::min(smallest, ratio(test));
    if (smallest == kInfinity) return kLeaf;
    int best = kLeaf;
    for (int test = 0; test < layout_.n_tests(); ++test) {
        const bool ties = ratio(test) <= smallest * (1.0 + kFloatTie);
        if (ties && (best == kLeaf || facts.wrong[test] < facts.wrong[best])) best = test;
    }
    return best;
}

int Chooser::pick_by_ratio(const Weighing& weighing, const Facts& facts) const {
    const auto has_ratio = [&](int test) { return is_offered(weighing, facts, test) && ratios_[test].reduction > 0.0; };
    const auto value = [&](int test) { return ratios_[test].price / ratios_[test].reduction; };
    double smallest = kInfinity;  // of functions of floats
    for (int test = 0; test < layout_.n_tests(); ++test) {
        if (has_ratio(test)) smallest = std::min(smallest, value(test));
    }
    int best = kLeaf;
    for (int test = 0; test < layout_.n_tests(); ++test) {
        if (!has_ratio(test)) continue;
        int order = best == kLeaf ? -1 : 0;
        if (!weighing.is_exact_form) {
            if (value(test) > smallest * (1.0 + kFloatTie)) continue;
        } else if (best != kLeaf) {
            order = compare(ratios_[test].price, ratios_[test].reduction, ratios_[best].price, ratios_[best].reduction);
        }
        if (order < 0 || (order == 0 && facts.wrong[test] < facts.wrong[best])) best = test;
    }
    return best;
}

// The tests that bounds leave in the running; returns the least upper bound.
double Chooser::find_unsettled(const Weighing& weighing, const Facts& facts) {
    double ceiling = kInfinity;
    for (int test = 0; test < layout_.n_tests(); ++test) {
        if (is_offered(weighing, facts, test)) ceiling = std::min(ceiling, ratios_[test].high);
    }
    unsettled_.clear();
    for (int test = 0; test < layout_.n_tests(); ++test) {
        // The quotients are rounded too, hence the margin; written so that a NaN is a candidate.
        if (is_offered(weighing, facts, test) && !(ratios_[test].low > ceiling * (1.0 + 8.0 * kHalfUlp))) {
            unsettled_.push_back(test);
        }
    }
    return ceiling;
}

void Chooser::find_ratios(const Weighing& weighing, const PathState& state) {
    ratios_.resize(layout_.n_tests());
    for (int test = 0; test < layout_.n_tests(); ++test) {
        if (settings_->rule == Rule::kExpected) {
            ratios_[test] = ratio_of_means(weighing, test, state);
        } else if (costs_.depends_on_outcome()) {
            ratios_[test] = ratio_of_outcomes(weighing, test, state);
        } else {
            const double price = weighing.costs[test], gain = weighing.whole - kept_[test];
            ratios_[test] = {price, gain > weighing.nothing ? gain : 0.0, quotient(price, gain + weighing.error),
                             quotient(price, gain - weighing.error)};
        }
    }
}

// The worst outcome of a test whose price depends on the outcome.
Chooser::Ratio Chooser::ratio_of_outcomes(const Weighing& weighing, int test, const PathState& state) const {
    Ratio worst = {0.0, 1.0, 0.0, 0.0};
    for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
        const std::size_t cell = layout_.cell(test, outcome);
        if (total_[cell] == 0.0) continue;
        const double price = double(price_of(state, test, outcome)), gain = weighing.whole - each_[cell];
        worst.low = std::max(worst.low, quotient(price, gain + weighing.error));
        worst.high = std::max(worst.high, quotient(price, gain - weighing.error));
        if (gain <= weighing.nothing) {
            worst.reduction = 0.0;
        } else if (worst.reduction > 0.0) {
            const bool is_above = weighing.is_exact_form && weighing.error == 0.0
                                      ? compare(price, gain, worst.price, worst.reduction) > 0
                                      : price * worst.reduction > worst.price * gain;
            if (is_above) {
                worst.price = price;
                worst.reduction = gain;
            }
        }
    }
    return worst;
}

// The mean price over the mean reduction, both times the node's weight.
Chooser::Ratio Chooser::ratio_of_means(const Weighing& weighing, int test, const PathState& state) const {
    double price = 0.0;
    for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
        price += total_[layout_.cell(test, outcome)] * double(price_of(state, test, outcome));
    }
    const double gain = weighing.total * weighing.whole - kept_[test];
    return {price, gain > weighing.total * weighing.nothing ? gain : 0.0,
            quotient(price * (1.0 - weighing.price_error), gain + weighing.error),
            quotient(price * (1.0 + weighing.price_error), gain - weighing.error)};
}

// R of one test in whole numbers.
template <typename Count>
Chooser::ExactRatio Chooser::exact_ratio(const IntegerImpurity& impurity, const ChoiceNode<Count>& node,
                                         const BigUInt& whole, int test) const {
    const bool is_worst = settings_->rule == Rule::kWorst;
    ExactRatio ratio = {BigUInt(), is_worst ? BigUInt(1) : BigUInt()};
    std::vector<std::int64_t> weights(node.class_weights.size());
    for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
        std::uint64_t total = 0;
        for (const int c : node.classes) {
            weights[c] = std::int64_t(node.counts.of(c)[layout_.cell(test, outcome)]);
            total += std::uint64_t(weights[c]);
        }
        if (total == 0) continue;
        const BigUInt price{std::uint64_t(price_of(node.state, test, outcome))};
        const BigUInt gain = excess(whole, impurity.exact_value(weights));
        if (!is_worst) {
            ratio.price += price * BigUInt(total);
            ratio.reduction += gain * BigUInt(total);
        } else if (gain.is_zero()) {
            return {price, gain};
        } else if (ratio.is_below({price, gain})) {
            ratio = {price, gain};
        }
    }
    return ratio;
}

// The best of the tests that floats could not separate.
template <typename Count>
int Chooser::settle(const IntegerImpurity& impurity, const ChoiceNode<Count>& node) const {
    const BigUInt whole = impurity.exact_value(node.class_weights);
    int best = kLeaf;
    ExactRatio best_ratio;
    for (const int test : unsettled_) {
        const ExactRatio ratio = exact_ratio(impurity, node, whole, test);
        if (ratio.reduction.is_zero()) continue;
        const bool is_better = best == kLeaf || ratio.is_below(best_ratio);
        const bool ties = !is_better && !best_ratio.is_below(ratio);
        if (is_better || (ties && node.facts.wrong[test] < node.facts.wrong[best])) {
            best = test;
            best_ratio = ratio;
        }
    }
    return best;
}

template void Chooser::find_facts(const NodeCounts<std::uint32_t>&, const ClassList&, Facts&) const;
template void Chooser::find_facts(const NodeCounts<double>&, const ClassList&, Facts&) const;
template Choice Chooser::choose(const ChoiceNode<std::uint32_t>&, Watch&);
template Choice Chooser::choose(const ChoiceNode<double>&, Watch&);

}  // namespace budgetree
