#include "exact/common_core.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "simd/mass_simd.hpp"
#include "simd/triple_simd.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

constexpr double kLeastMass = 0.02;
// The mass to begin with, and how much more with each test that is left.
constexpr float kFirstNeed = 1, kNeedPerTest = 2;
constexpr std::size_t kMaxKnown = 1 << 20;  // sets remembered, some 64 MB; then all are forgotten
constexpr float kFurther = 0.985F, kShorter = 1.06F;
constexpr int kManyCases = 200;  // from which on counting all triples takes less time than groups

// What so many tests cost at least, one after another: the last must be affordable at its costliest outcome.
std::vector<Units> least_prices(const CostModel& costs, int resource) {
    std::vector<Units> prices;
    Units last = kNever;
    for (const Amounts& cheapest : costs.cheapest()) prices.push_back(cheapest[resource]);
    for (const Amounts& costliest : costs.costliest()) last = std::min(last, costliest[resource]);
    std::ranges::sort(prices);
    prices.insert(prices.begin(), last);
    prices.pop_back();
    std::partial_sum(prices.begin(), prices.end(), prices.begin());
    return prices;
}

}  // namespace

CommonCore::CommonCore(Search& search, Watch watch) : table_(search.table()), search_(search), watch_(watch) {
    for (int r = 0; r < kResources; ++r) least_prices_[r] = least_prices(table_.costs, r);
    if (table_.counts_pairs && table_.has_one_price && table_.policy.n_answers() <= kMaxTripleClasses) {
        triples_ = std::make_unique<BinaryTriples>(table_, [this](std::int64_t work) { spend(work); });
    }
}

Units CommonCore::lower_bound(const Remaining& remaining, Units wanted) {
    places_.clear();
    try {
        if (mass_.empty()) mass_ = weigh_cases();
        return bound(table_.whole.objects, relaxed(remaining), wanted, 0);
    } catch (Stopped) {
        return 0;
    }
}

void CommonCore::refute_some(SharedQuestion& shared, int worker, std::int64_t max_work) try {
    watch_.join(shared.turns, worker, max_work);
    if (mass_.empty()) mass_ = weigh_cases();
    places_.clear();  // what was needed for other errors may mislead
    const Remaining remaining = relaxed(shared.remaining);
    begin_groups(table_.whole, remaining, 0);
    Workplace& here = place_at(0);
    std::optional<Watch::Turn> turn(std::in_place, watch_);
    if (!shared.has_begun) shared.tests = here.tests;
    shared.has_begun = true;
    while (!shared.tests.empty() && !shared.has_failed) {
        here.tests = shared.tests;
        make_chain(table_.whole, shared.wanted, here);
        for (const Link& link : here.chain) std::erase(shared.tests, link.test);
        const std::vector<Link> taken = here.chain;
        turn.reset();
        const Units proven = refute_group(table_.whole, remaining, shared.wanted, 0);
        turn.emplace(watch_);
        if (proven < shared.wanted) fail(shared);
        shared.least = std::min(shared.least, proven);
        for (std::size_t i = here.chain.size(); i < taken.size(); ++i) shared.tests.push_back(taken[i].test);
    }
} catch (Stopped) {
    const Watch::Turn turn(watch_);
    fail(shared);
}

void CommonCore::fail(SharedQuestion& shared) {
    shared.has_failed = true;
    shared.turns.end();
}

// Naive Bayes with one more case of everything.
std::vector<float> CommonCore::weigh_cases() {
    const int n_classes = table_.n_classes, width = table_.width;
    std::vector<double> in_class(n_classes, 1), shown(std::size_t(table_.n_tests) * width * n_classes, 1);
    const auto cell = [&](int test, int outcome) { return (std::size_t(test) * width + outcome) * n_classes; };
    for (int object = 0; object < table_.n_cases; ++object) {
        spend(2 * table_.n_tests);
        const double weight = double(table_.weights[object]);
        in_class[table_.labels[object]] += weight;
        for (int test = 0; test < table_.n_tests; ++test) {
            shown[cell(test, table_.row(object)[test]) + table_.labels[object]] += weight;
        }
    }
    for (double& count : shown) count = std::log(count);
    std::vector<double> prior(n_classes);
    for (int c = 0; c < n_classes; ++c) {
        prior[c] = std::log(in_class[c]) - table_.n_tests * std::log(in_class[c] + width);
    }
    std::vector<float> mass(table_.n_cases);
    for (int object = 0; object < table_.n_cases; ++object) {
        spend((table_.n_tests + 10) * std::int64_t(n_classes));
        std::vector<double> score = prior;
        for (int test = 0; test < table_.n_tests; ++test) {
            const double* counts = &shown[cell(test, table_.row(object)[test])];
            for (int c = 0; c < n_classes; ++c) score[c] += counts[c];
        }
        const Units worth = table_.weights[object] * table_.policy.largest(table_.labels[object]);
        const double most = *std::ranges::max_element(score), own = score[table_.labels[object]];
        double sum = 0;
        for (const double value : score) sum += std::exp(value - most);
        mass[object] = float(double(worth) * std::max(kLeastMass, 1 - std::exp(own - most) / sum));
    }
    return mass;
}

void CommonCore::spend(std::int64_t work) {
    if (watch_.is_over(work)) throw Stopped{};
}

int CommonCore::affordable_tests(const Amounts& left) const {
    int fewest = table_.n_tests;
    for (int r = 0; r < kResources; ++r) {
        const auto& prices = least_prices_[r];
        fewest = std::min(fewest, int(std::ranges::upper_bound(prices, left[r]) - prices.begin()));
    }
    return fewest;
}

Remaining CommonCore::relaxed(Remaining remaining) const {
    remaining.state.flags |= table_.costs.conditions();
    return remaining;
}

CommonCore::Workplace& CommonCore::place_at(int depth) {
    while (int(places_.size()) <= depth) places_.push_back(std::make_unique<Workplace>());
    return *places_[depth];
}

Units CommonCore::bound(std::span<const std::int32_t> objects, const Remaining& remaining, Units wanted, int depth) {
    const ObjectSet set = table_.set_of(objects);
    if (set.leaf < wanted || set.leaf == set.least) return set.least;
    spend(20 * std::int64_t(set.size()));
    if (affordable_tests(remaining.left()) < 3) {
        const auto answer = search_.ask(set, {.remaining = remaining, .cutoff = wanted}, {.watch = &watch_});
        if (!answer) throw Stopped{};
        return answer->value;
    }
    Key key = set.key;
    std::uint64_t left = 0;
    for (int r = 0; r < kResources; ++r) left = (left + std::uint64_t(remaining.left()[r])) * 0x9E3779B97F4A7C15;
    key += {left, remaining.state.flags};
    const auto known = known_.find(key);
    if (known != known_.end() && (known->second.bound >= wanted || known->second.failed_at <= wanted)) {
        return known->second.bound;
    }
    const bool counts = triples_ && affordable_tests(remaining.left()) == 3 && set.size() >= kManyCases;
    const Units proven = counts ? triples_->fewest_errors(set) : bound_by_groups(set, remaining, wanted, depth);
    if (known_.size() >= kMaxKnown) known_.clear();
    Known& remembered = known_[key];
    remembered.bound = std::max(remembered.bound, proven);
    if (proven < wanted) remembered.failed_at = std::min(remembered.failed_at, wanted);
    return proven;
}

Units CommonCore::bound_by_groups(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth) {
    begin_groups(set, remaining, depth);
    Workplace& here = place_at(depth);
    Units least = set.leaf;
    while (!here.tests.empty()) {
        make_chain(set, wanted, here);
        const Units proven = refute_group(set, remaining, wanted, depth);
        if (proven < wanted) return set.least;
        least = std::min(least, proven);
        for (const Link& link : here.chain) std::erase(here.tests, link.test);
    }
    return least;
}

void CommonCore::begin_groups(const ObjectSet& set, const Remaining& remaining, int depth) {
    Workplace& here = place_at(depth);
    const int further = affordable_tests(remaining.left()) - 3;
    if (here.need == 0) here.need = kFirstNeed * std::pow(kNeedPerTest, float(further));
    here.whole.by_outcome.assign(std::size_t(std::max(table_.width - 1, 1)) * table_.n_lanes, 0);
    here.whole.all = 0;
    for (const std::int32_t object : set.objects) {
        spend(std::int64_t(table_.n_lanes) * table_.width / 8);
        add_mass(object, 1, here.whole);
    }
    here.tests.clear();
    for (int test = 0; test < table_.n_tests; ++test) {
        if (!table_.costs.may_buy(remaining.state, test, remaining.limits)) continue;
        const std::uint8_t* column = table_.column(test);
        const auto differs = [&](std::int32_t object) { return column[object] != column[set.objects[0]]; };
        if (std::ranges::any_of(set.objects, differs)) here.tests.push_back(test);
    }
}

Units CommonCore::refute_group(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth) {
    Workplace& here = place_at(depth);
    while (true) {
        // F as the set has it: sorted by class.
        here.core.assign(here.objects.begin(), here.objects.begin() + here.chain.back().size);
        std::ranges::sort(here.core, {}, [&](std::int32_t object) { return std::pair(table_.labels[object], object); });
        const Units proven = bound(here.core, after(remaining, here.chain), wanted, depth + 1);
        if (proven >= wanted) {
            here.need *= kFurther;
            return proven;
        }
        if (here.chain.size() == 1) {  // then all parts of the one test count
            const Link link = here.chain.front();
            Units sum = proven;
            for (int outcome = 0; outcome < table_.n_outcomes[link.test] && sum < wanted; ++outcome) {
                if (outcome == link.outcome) continue;
                std::vector<std::int32_t> part;
                const auto shows = [&](std::int32_t object) { return table_.column(link.test)[object] == outcome; };
                std::ranges::copy_if(set.objects, std::back_inserter(part), shows);
                const Link other{link.test, outcome, int(part.size())};
                if (!part.empty()) sum += bound(part, after(remaining, {&other, 1}), wanted - sum, depth + 1);
            }
            return sum;
        }
        here.need *= kShorter;
        here.chain.resize((here.chain.size() + 1) / 2);
    }
}

Remaining CommonCore::after(const Remaining& remaining, std::span<const Link> group) const {
    PathState best{kUnlimited};  // at least as good as each of them: a bound may only be too low
    for (const Link& link : group) {
        best = CostModel::best_of(best, table_.costs.after_at_least(remaining.state, link.test, link.outcome));
    }
    return {best, remaining.limits};
}

void CommonCore::add_mass(std::int32_t object, float sign, Masses& masses) const {
    const float mass = sign * mass_[object];
    mass_kernels().add(table_.row(object), table_.n_lanes, table_.width, mass, masses.by_outcome.data());
    masses.all += mass;
}

float CommonCore::mass_of(int test, int outcome, const Masses& masses) const {
    const float* of_test = masses.by_outcome.data() + test;
    if (outcome > 0) return of_test[std::size_t(outcome - 1) * table_.n_lanes];
    float rest = masses.all;
    for (int other = 1; other < table_.n_outcomes[test]; ++other)
        rest -= of_test[std::size_t(other - 1) * table_.n_lanes];
    return rest;
}

int CommonCore::heaviest(int test, const Masses& masses) const {
    int found = 0;
    for (int outcome = 1; outcome < table_.n_outcomes[test]; ++outcome) {
        if (mass_of(test, outcome, masses) > mass_of(test, found, masses)) found = outcome;
    }
    return found;
}

// The first test is the one that leaves the lightest heavier part: it is the hardest to refute together with others.
void CommonCore::make_chain(const ObjectSet& set, Units wanted, Workplace& here) {
    here.left = here.whole;
    here.chain.clear();
    here.objects.assign(set.objects.begin(), set.objects.end());
    std::vector<std::int32_t> tests = here.tests;
    int size = set.size();
    const auto mass = [&](std::int32_t test) { return mass_of(test, heaviest(test, here.left), here.left); };
    auto next = std::ranges::min_element(tests, {}, mass);
    while (true) {
        spend(std::int64_t(tests.size()) * table_.width + size);
        const int test = *next, outcome = heaviest(test, here.left);
        std::swap(*next, tests.back());
        tests.pop_back();
        const std::uint8_t* column = table_.column(test);
        const auto end = std::partition(here.objects.begin(), here.objects.begin() + size,
                                        [&](std::int32_t object) { return column[object] == outcome; });
        for (auto cut = end; cut < here.objects.begin() + size; ++cut) add_mass(*cut, -1, here.left);
        size = int(end - here.objects.begin());
        here.chain.push_back({test, outcome, size});
        if (tests.empty()) return;
        next = std::ranges::max_element(tests, {}, mass);
        if (mass(*next) < here.need * float(wanted)) return;
    }
}

}  // namespace budgetree::BUDGETREE_EXACT
