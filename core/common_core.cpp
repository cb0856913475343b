#include "common_core.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace budgetree {
namespace {

constexpr double kLeastMass = 0.02;
constexpr double kFirstNeed = 0.5;  // of the mass of everything, less by half with each test
constexpr double kFurther = 0.985, kShorter = 1.06;

Units price_of_four(const Money& money) {
    std::vector<Units> cheapest = money.cheapest();
    std::ranges::sort(cheapest);
    const Units last = *std::ranges::min_element(money.costliest());
    if (cheapest.size() < 3) return kNever;
    return last + cheapest[0] + cheapest[1] + cheapest[2];
}

}  // namespace

CommonCore::CommonCore(Search& search, Watch watch)
    : table_(search.table()), search_(search), watch_(watch), four_tests_(price_of_four(table_.money)) {
    weigh_cases();
}

Units CommonCore::lower_bound(const Remaining& remaining, Units wanted) {
    try {
        return bound(table_.whole.objects, remaining, wanted, 0);
    } catch (Stopped) {
        return 0;
    }
}

// Naive Bayes with one more case of everything.
void CommonCore::weigh_cases() {
    const int n_classes = table_.n_classes, width = table_.width;
    std::vector<double> in_class(n_classes, 1), shown(std::size_t(table_.n_tests) * width * n_classes, 1);
    const auto cell = [&](int test, int outcome) { return (std::size_t(test) * width + outcome) * n_classes; };
    for (int object = 0; object < table_.n_cases; ++object) {
        const double weight = double(table_.weights[object]);
        in_class[table_.labels[object]] += weight;
        for (int test = 0; test < table_.n_tests; ++test) {
            shown[cell(test, table_.row(object)[test]) + table_.labels[object]] += weight;
        }
    }
    for (double& count : shown) count = std::log(count);
    mass_.resize(table_.n_cases);
    for (int object = 0; object < table_.n_cases; ++object) {
        std::vector<double> score(n_classes);
        for (int c = 0; c < n_classes; ++c) {
            score[c] = std::log(in_class[c]) - table_.n_tests * std::log(in_class[c] + width);
        }
        for (int test = 0; test < table_.n_tests; ++test) {
            const double* counts = &shown[cell(test, table_.row(object)[test])];
            for (int c = 0; c < n_classes; ++c) score[c] += counts[c];
        }
        const double most = *std::ranges::max_element(score), own = score[table_.labels[object]];
        double sum = 0;
        for (const double each : score) sum += std::exp(each - most);
        mass_[object] = double(table_.weights[object]) * std::max(kLeastMass, 1 - std::exp(own - most) / sum);
    }
}

double& CommonCore::need_at(int depth) {
    const double all = std::accumulate(mass_.begin(), mass_.end(), 0.0);
    while (int(need_.size()) <= depth) need_.push_back(all * std::pow(kFirstNeed, double(need_.size() + 1)));
    return need_[depth];
}

Units CommonCore::bound(std::span<const std::int32_t> objects, const Remaining& remaining, Units wanted, int depth) {
    const ObjectSet set = table_.set_of(objects);
    if (set.leaf < wanted || set.leaf == set.least) return set.least;
    if (watch_.is_over(20 * set.size())) throw Stopped{};
    if (remaining.budget < four_tests_) {
        const auto answer = search_.ask(set, {.remaining = remaining, .cutoff = wanted}, {.watch = &watch_});
        if (!answer) throw Stopped{};
        return answer->value;
    }
    Key key = set.key;
    key += {std::uint64_t(remaining.budget) * 0x9E3779B97F4A7C15, remaining.fees_paid};
    const auto known = known_.find(key);
    if (known != known_.end() && (known->second.bound >= wanted || known->second.failed_at <= wanted)) {
        return known->second.bound;
    }
    const Units proven = bound_by_groups(set, remaining, wanted, depth);
    Known& remembered = known_[key];
    remembered.bound = std::max(remembered.bound, proven);
    if (proven < wanted) remembered.failed_at = std::min(remembered.failed_at, wanted);
    return proven;
}

Units CommonCore::bound_by_groups(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth) {
    std::vector<std::int32_t> tests;
    for (int test = 0; test < table_.n_tests; ++test) {
        if (table_.money.most(test, remaining.fees_paid) > remaining.budget) continue;
        const std::uint8_t* column = table_.column(test);
        const auto differs = [&](std::int32_t object) { return column[object] != column[set.objects[0]]; };
        if (std::ranges::any_of(set.objects, differs)) tests.push_back(test);
    }
    Units least = set.leaf;
    while (!tests.empty()) {
        std::vector<Link> chain = make_chain(set, tests, need_at(depth));
        const Units proven = refute_group(set, remaining, wanted, depth, chain);
        if (proven < wanted) return set.least;
        least = std::min(least, proven);
        for (const Link& link : chain) std::erase(tests, link.test);
    }
    return least;
}

// The least that trees beginning with a test of the chain get wrong; the chain is cut to the tests that this is true of.
Units CommonCore::refute_group(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth,
                               std::vector<Link>& chain) {
    while (true) {
        const Units proven = bound(chain.back().objects, after(remaining, chain), wanted, depth + 1);
        if (proven >= wanted) {
            need_at(depth) *= kFurther;
            return proven;
        }
        if (chain.size() == 1) {  // then all parts of the one test count
            const Link& link = chain.front();
            Units sum = proven;
            for (int outcome = 0; outcome < table_.n_outcomes[link.test] && sum < wanted; ++outcome) {
                if (outcome == link.outcome) continue;
                const auto part = part_of(set.objects, link.test, outcome);
                const std::vector<Link> other{{link.test, outcome, {}}};
                if (!part.empty()) sum += bound(part, after(remaining, other), wanted - sum, depth + 1);
            }
            return sum;
        }
        need_at(depth) *= kShorter;
        chain.resize((chain.size() + 1) / 2);
    }
}

Remaining CommonCore::after(const Remaining& remaining, std::span<const Link> group) const {
    Units least = kNever;
    FeeSet fees_paid = remaining.fees_paid;
    for (const Link& link : group) {
        least = std::min(least, table_.money.own(link.test, link.outcome));
        fees_paid |= table_.money.fee_mask(link.test);  // as if paid for nothing: a bound may only be too low
    }
    return {remaining.budget - least, fees_paid};
}

CommonCore::Masses CommonCore::weigh(std::span<const std::int32_t> objects,
                                     const std::vector<std::int32_t>& tests) const {
    Masses masses{std::vector<double>(std::size_t(table_.n_tests) * table_.width), table_.width};
    for (const std::int32_t object : objects) {
        const std::uint8_t* row = table_.row(object);
        for (const std::int32_t test : tests) masses.at(test, row[test]) += mass_[object];
    }
    return masses;
}

std::vector<std::int32_t> CommonCore::part_of(std::span<const std::int32_t> objects, int test, int outcome) const {
    std::vector<std::int32_t> part;
    const std::uint8_t* column = table_.column(test);
    std::ranges::copy_if(objects, std::back_inserter(part), [&](std::int32_t object) { return column[object] == outcome; });
    return part;
}

// The first test is the one that leaves the lightest heavier part: it is the hardest to refute together with others.
std::vector<CommonCore::Link> CommonCore::make_chain(const ObjectSet& set, const std::vector<std::int32_t>& tests,
                                                     double least_mass) const {
    Masses masses = weigh(set.objects, tests);
    const auto heaviest = [&](int test) {
        int found = 0;
        for (int outcome = 1; outcome < table_.n_outcomes[test]; ++outcome) {
            if (masses.at(test, outcome) > masses.at(test, found)) found = outcome;
        }
        return found;
    };
    const auto mass_of = [&](int test) { return masses.at(test, heaviest(test)); };
    std::vector<std::int32_t> left = tests;
    std::vector<Link> chain;
    std::vector<std::int32_t> objects(set.objects.begin(), set.objects.end());
    auto next = std::ranges::min_element(left, {}, mass_of);
    while (true) {
        const int test = *next, outcome = heaviest(test);
        left.erase(next);
        std::vector<std::int32_t> kept, dropped;
        for (const std::int32_t object : objects) (table_.row(object)[test] == outcome ? kept : dropped).push_back(object);
        for (const std::int32_t object : dropped) {
            const std::uint8_t* row = table_.row(object);
            for (const std::int32_t other : left) masses.at(other, row[other]) -= mass_[object];
        }
        objects = kept;
        chain.push_back({test, outcome, std::move(kept)});
        if (left.empty()) return chain;
        next = std::ranges::max_element(left, {}, mass_of);
        if (mass_of(*next) < least_mass) return chain;
    }
}

}  // namespace budgetree
