#include "exact/binary_pairs.hpp"

#include <algorithm>
#include <utility>

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

constexpr std::size_t kMaxMaskBytes = 1 << 28;
constexpr int kFewTests = 500;  // whose masks take a moment
constexpr std::int64_t kNanosecondsPerMask = 8;
constexpr Count kAllBits = 0xFFFF;
constexpr std::int64_t kMoment = 1'000'000;  // nanoseconds that pass before progress is reported

int vector_of(int test) {
    return test / kByteLanes * kByteLanes;
}

}  // namespace

BinaryPairs::BinaryPairs(const ExactTable& table, Spend spend)
    : table_(table), spend_(std::move(spend)), packed_(table), row_(std::size_t(table.n_gains()) * table.n_lanes),
      nothing_(table.n_lanes),
      part_ones_{OnesOfSet(table.n_classes, table.n_lanes), OnesOfSet(table.n_classes, table.n_lanes)},
      part_gains_{OnesOfSet(table.n_gains(), table.n_lanes), OnesOfSet(table.n_gains(), table.n_lanes)},
      leaves_{LeafLoss(table.policy), LeafLoss(table.policy)},
      max_allowed_(std::clamp<std::size_t>(kMaxMaskBytes / (8 * std::size_t(table.n_tests) * table.n_lanes), 2, 32)) {
    for (auto& best : following_) best.resize(table.n_lanes);
    for (auto& best : small_following_) best.resize(table.n_lanes);
    small_ones_.resize(part_ones_[0].ones.size());
    small_totals_.resize(table.n_classes);
    allowed_.reserve(max_allowed_);
}

std::int64_t BinaryPairs::work_of_pairs(int n_objects, int n_tests) const {
    return std::int64_t(n_tests) * n_tests * (n_objects + 128 * table_.n_classes) / 256 + 2000;
}

std::int64_t BinaryPairs::work_of_ranking(const ObjectSet& set, int n_tests) const {
    return set.size() * table_.n_lanes / 32 + work_of_pairs(set.size(), n_tests);
}

std::int64_t BinaryPairs::work_per_test(int n_objects, std::size_t n_tests) const {
    const std::int64_t work = work_of_pairs(n_objects, int(n_tests));
    return work < kMoment ? 0 : work / std::int64_t(n_tests);
}

BinaryPairs::Counted& BinaryPairs::counted_at(int depth) {
    while (int(counted_.size()) <= depth) counted_.emplace_back(table_);
    return counted_[depth];
}

void BinaryPairs::count_ones(std::span<const std::int32_t> objects, OnesOfSet& ones) {
    packed_.pack(objects);
    packed_.count_ones(ones);
}

Ones BinaryPairs::gains_view(int part) const {
    Ones view = (is_plain() ? part_ones_ : part_gains_)[part].view();
    view.n_classes = table_.policy.n_answers();  // the worth that follows is no answer
    return view;
}

Ranking BinaryPairs::rank(const ObjectSet& set, const Remaining& remaining, const Level& above, int depth,
                          Level& level) {
    Counted& counted = counted_at(depth);
    const bool is_new = counted.key != set.key;
    if (is_new) counted.tried.clear();
    if (is_new || !counted.is_complete) {
        counted.is_complete = false;
        counted.n_cases = set.size();
        counted.worth = set.total;
        counted.key = set.key;
        count_ones(set.objects, counted.ones);
        if (!is_plain()) packed_.project(counted.ones, counted.gains);
    }
    Ranker ranker(table_, remaining, level);
    for (const int test : above.tests) {
        int n_ones = 0;
        double like_one = 0, like_zero = 0;
        for (int c = 0; c < table_.n_classes; ++c) {
            const double one = counted.ones.ones[std::size_t(c) * table_.n_lanes + test];
            const double zero = counted.ones.totals[c] - one;
            n_ones += int(one);
            like_one += one * one;
            like_zero += zero * zero;
        }
        counted.n_ones[test] = n_ones;
        counted.worth_of_ones[test] =
            is_plain() ? n_ones : counted.gains.ones[std::size_t(table_.policy.n_answers()) * table_.n_lanes + test];
        if (n_ones == 0 || n_ones == set.size()) continue;
        ranker.add(test, -like_one / n_ones - like_zero / (set.size() - n_ones));
    }
    const Ranking ranking = ranker.finish(set, above.tests);
    if (counted.is_complete) return ranking;
    const std::size_t step = std::size_t(table_.n_tests) * table_.n_lanes;
    counted.pairs.resize(table_.n_gains() * step);
    const std::int64_t work = work_per_test(set.size(), level.tests.size());
    for (const int test : level.tests) {
        packed_.count_gains(test, vector_of(test), &counted.pairs[std::size_t(test) * table_.n_lanes], step);
        if (work > 0) spend_(work);
    }
    counted.is_complete = true;
    return ranking;
}

// What the cases with a one in both may lose.
Units BinaryPairs::together(const Counted& counted, int one, int other) const {
    const auto [low, high] = std::minmax(one, other);
    Units both = 0;
    const int first = is_plain() ? 0 : table_.policy.n_answers();
    for (int row = first; row < table_.n_gains(); ++row) {
        both += counted.pairs[(std::size_t(row) * table_.n_tests + low) * table_.n_lanes + high];
    }
    return both;
}

Units BinaryPairs::bound_parts(int test, const std::array<Remaining, 2>& remaining, int depth, Level& level) const {
    const Counted& counted = counted_[depth];
    Part* parts = level.parts.data();
    const Units of_test = counted.worth_of_ones[test];
    for (const Tried& tried : counted.tried) {
        const Units both = together(counted, test, tried.test), of_other = counted.worth_of_ones[tried.test];
        // What the other test's zeros and ones may lose that this test's zeros and ones lack.
        const Units outside[2][2] = {{of_test - both, both},
                                     {counted.worth - of_other - (of_test - both), of_other - both}};
        for (int outcome = 0; outcome < 2; ++outcome) {
            for (int other = 0; other < 2; ++other) {
                const Units bound = tried.proven[other] - outside[outcome][other];
                if (bound <= parts[outcome].proven) continue;
                // What no tree could do on a path that was at least as good holds here too.
                const bool has_flags = (remaining[outcome].state.flags & ~tried.flags[other]) == 0;
                if (has_flags && remaining[outcome].left().is_below(tried.up_to[other])) {
                    parts[outcome].proven = bound;
                    parts[outcome].up_to = tried.up_to[other];
                }
            }
        }
    }
    return parts[0].proven + parts[1].proven;
}

void BinaryPairs::split(const ObjectSet& set, int test, int depth, Level& level) {
    const Counted& counted = counted_[depth];
    for (LeafLoss& leaf : leaves_) leaf.clear();
    for (int c = 0; c < table_.n_classes; ++c) {
        const Count one = counted.ones.ones[std::size_t(c) * table_.n_lanes + test];
        leaves_[1].add(c, one);
        leaves_[0].add(c, counted.ones.totals[c] - one);
    }
    const int n_ones = counted.n_ones[test], n_zeros = set.size() - n_ones;
    level.objects.resize(set.size());
    std::int32_t* to[2] = {level.objects.data(), level.objects.data() + n_zeros};
    const std::uint8_t* column = table_.column(test);
    Key key;
    Units least = 0;
    for (const std::int32_t object : set.objects) {
        const std::uint64_t one = column[object];
        *to[one] = object;
        to[0] += 1 - one;
        to[1] += one;
        key += {table_.keys[object].first & -one, table_.keys[object].second & -one};
    }
    const std::span<const std::int32_t> objects = level.objects;
    if (set.least > 0) {
        for (const std::int32_t object : objects.subspan(n_zeros)) least += table_.unavoidable[object];
    }
    static_cast<ObjectSet&>(level.parts[0]) = {objects.first(n_zeros), leaves_[0].total(), leaves_[0].value(),
                                               set.least - least, set.key - key};
    static_cast<ObjectSet&>(level.parts[1]) = {objects.subspan(n_zeros), leaves_[1].total(), leaves_[1].value(), least,
                                               key};
}

void BinaryPairs::remember_parts(int test, const std::array<Flags, 2>& flags, int depth, const Level& level) {
    const Part &zero = level.parts[0], &one = level.parts[1];
    std::vector<Tried>& tried = counted_[depth].tried;
    if (tried.size() == std::size_t(table_.n_tests)) tried.clear();  // the same set again, with another budget
    tried.push_back({test, flags, {zero.proven, one.proven}, {zero.up_to, one.up_to}});
}

Answer BinaryPairs::last_two(const ObjectSet& set, const Remaining& remaining, const Level& above) {
    const AllowedPairs* pairs = allowed(remaining);
    if (set.size() <= kSmallSet) {
        score_small(set, above.tests, pairs, false);
    } else {
        score(set.objects, above.tests, nullptr, {pairs, pairs});
    }
    Answer answer = best_pair(false, set, remaining, above.tests);
    if (answer.value > set.least) {
        if (pairs) answer.changes = pairs->changes;
        answer.changes.cut(remaining.left(), above.chain.three);
    }
    return answer;
}

int BinaryPairs::settle_parts(const std::array<Remaining, 2>& remaining, int depth, Level& level,
                              std::array<int, 2>& found) {
    int unsettled = 0;
    for (int outcome = 0; outcome < 2; ++outcome) {
        if (level.parts[outcome].is_settled) continue;
        unsettled |= 1 << outcome;
        const Amounts left = remaining[outcome].left();
        if (!level.chain.two.fits(left) || level.chain.three.fits(left)) return 0;
    }
    if (unsettled == 0) return 0;
    const int smaller = level.parts[0].size() > level.parts[1].size();
    const AllowedPairs* zero = allowed(remaining[0]);
    const AllowedPairs* one = remaining[1] == remaining[0] ? zero : allowed(remaining[1], zero);
    const std::array<const AllowedPairs*, 2> by_outcome{zero, one};
    const bool only_smaller = unsettled == 1 << smaller;
    if (counted_[depth].n_cases <= kSmallSet) {
        for (const int outcome : {0, 1}) {
            if (unsettled & (1 << outcome)) {
                score_small(level.parts[outcome], level.tests, by_outcome[outcome], outcome != smaller);
            }
        }
    } else {
        score(level.parts[smaller].objects, level.tests, only_smaller ? nullptr : &counted_[depth],
              {by_outcome[smaller], by_outcome[1 - smaller]});
    }
    for (int outcome = 0; outcome < 2; ++outcome) {
        if (!(unsettled & 1 << outcome)) continue;
        Part& part = level.parts[outcome];
        const Answer answer = best_pair(outcome != smaller, part, remaining[outcome], level.tests);
        Amounts changes = by_outcome[outcome] ? by_outcome[outcome]->changes : kUnlimited;
        changes.cut(remaining[outcome].left(), level.chain.three);
        found[outcome] = answer.test;
        part.settle(answer.value, answer.value == part.least ? kUnlimited : changes, answer.need);
    }
    return unsettled;
}

// Masks are made when a budget is first met. Where all prices are the same none are needed: the chain of three says
// when a third test is affordable.
const AllowedPairs* BinaryPairs::allowed(const Remaining& remaining, const AllowedPairs* in_use) {
    if (table_.has_one_price) return nullptr;
    for (const AllowedPairs& known : allowed_) {
        if (known.remaining == remaining) return &known;
    }
    if (allowed_.size() < max_allowed_) allowed_.emplace_back();
    if (&allowed_[next_allowed_] == in_use) next_allowed_ = (next_allowed_ + 1) % max_allowed_;
    AllowedPairs& made = allowed_[next_allowed_];
    next_allowed_ = (next_allowed_ + 1) % max_allowed_;
    const int n_tests = table_.n_tests;
    const std::size_t kind = std::size_t(n_tests) * table_.n_lanes;
    made.remaining = {{}, Amounts::all(-1)};  // what no path has left, until the masks are complete
    made.changes = kUnlimited;
    made.masks.assign(4 * kind, 0);
    const CostModel& costs = table_.costs;
    for (int first = 0; first < n_tests; ++first) {
        if (!costs.is_allowed(remaining.state.flags, first)) continue;  // it is not offered, whatever is left
        const Amounts price = costs.most(remaining.state, first), left = remaining.left();
        const CostModel::Charges charges = costs.charges(remaining.state, first);
        if (!price.fits(left)) made.changes.cut(left, price);
        for (int second = 0; second < n_tests; ++second) {
            for (int shown = 0; shown < 2; ++shown) {
                const int outcome = std::min(shown, costs.width() - 1);
                const Flags flags = costs.flags_after(remaining.state.flags, first, outcome);
                if (first != second && !costs.is_allowed(flags, second)) continue;
                const Amounts total = charges[outcome] + costs.most({{}, flags}, second);
                const bool fits = first == second || total.fits(left);
                if (!fits) made.changes.cut(left, total);
                const Count mask = fits ? kAllBits : 0;
                made.masks[(1 - shown) * kind + std::size_t(first) * table_.n_lanes + second] = mask;
                made.masks[(3 - shown) * kind + std::size_t(second) * table_.n_lanes + first] = mask;
            }
        }
        if (n_tests > kFewTests) spend_(kNanosecondsPerMask * n_tests);
    }
    made.remaining = remaining;
    return &made;
}

PairMasks BinaryPairs::masks_of(const AllowedPairs* allowed, int test) const {
    if (allowed == nullptr) return {};
    const std::size_t kind = std::size_t(table_.n_tests) * table_.n_lanes;
    const Count* row = allowed->masks.data() + std::size_t(test) * table_.n_lanes;
    return {row, row + kind, row + 2 * kind, row + 3 * kind};
}

// following_[0, 1] for the set that is counted, following_[2, 3] for what is left of the whole without it.
void BinaryPairs::score(std::span<const std::int32_t> objects, const std::vector<std::int32_t>& tests,
                        const Counted* whole, const std::array<const AllowedPairs*, 2>& allowed) {
    const std::size_t n_lanes = table_.n_lanes, step = n_lanes * table_.n_tests;
    OnesOfSet &ones = part_ones_[0], &rest = part_ones_[1];
    count_ones(objects, ones);
    if (whole != nullptr) {
        for (std::size_t i = 0; i < rest.ones.size(); ++i) rest.ones[i] = whole->ones.ones[i] - ones.ones[i];
        for (int c = 0; c < table_.n_classes; ++c) rest.totals[c] = whole->ones.totals[c] - ones.totals[c];
    }
    if (!is_plain()) {
        packed_.project(ones, part_gains_[0]);
        if (whole != nullptr) packed_.project(rest, part_gains_[1]);
    }
    for (auto& best : following_) std::ranges::fill(best, 0);
    const Following of_part{following_[0].data(), following_[1].data()};
    const Following of_rest{following_[2].data(), following_[3].data()};
    const ClassCounts nothing{nothing_.data(), 0}, counted{row_.data(), n_lanes};
    const std::int64_t work = work_per_test(int(objects.size()), tests.size());
    for (const int test : tests) {
        if (work > 0) spend_(work);
        packed_.count_gains(test, vector_of(test), row_.data(), n_lanes);
        pair_kernels().score(gains_view(0), {test, counted, nothing}, masks_of(allowed[0], test), of_part);
        if (whole == nullptr) continue;
        const ClassCounts of_whole{&whole->pairs[test * n_lanes], step};
        pair_kernels().score(gains_view(1), {test, of_whole, counted}, masks_of(allowed[1], test), of_rest);
    }
}

void BinaryPairs::score_small(const ObjectSet& set, const std::vector<std::int32_t>& tests, const AllowedPairs* allowed,
                              bool is_rest) {
    OnesOfSet& ones = part_ones_[is_rest];
    count_ones(set.objects, ones);
    std::ranges::copy(ones.ones, small_ones_.begin());
    std::ranges::copy(ones.totals, small_totals_.begin());
    const SmallSet small{packed_.bytes(),      packed_.class_begins(), small_ones_.data(),
                         small_totals_.data(), table_.n_classes,       table_.n_lanes};
    const std::int64_t work = work_per_test(set.size(), tests.size());
    if (!is_plain()) return score_small_gains(small, {tests, work}, allowed, is_rest);
    for (auto& best : small_following_) std::ranges::fill(best, 0);
    const SmallFollowing best{small_following_[0].data(), small_following_[1].data()};
    for (const int test : tests) {
        if (work > 0) spend_(work);
        pair_kernels().score_small(small, test, masks_of(allowed, test), best);
    }
    for (const int outcome : {0, 1})
        std::ranges::copy(small_following_[outcome], following_[2 * is_rest + outcome].begin());
}

void BinaryPairs::score_small_gains(const SmallSet& small, const TestsToScore& to_score, const AllowedPairs* allowed,
                                    bool is_rest) {
    packed_.project(part_ones_[is_rest], part_gains_[is_rest]);
    std::vector<Count>&one = following_[2 * is_rest], &zero = following_[2 * is_rest + 1];
    std::ranges::fill(one, 0);
    std::ranges::fill(zero, 0);
    const Ones gains = gains_view(is_rest);
    GainTable answers = packed_.gain_table();
    answers.n_answers = table_.policy.n_answers();
    for (const int test : to_score.tests) {
        if (to_score.work > 0) spend_(to_score.work);
        pair_kernels().score_small_gains(small, {test, answers, gains}, masks_of(allowed, test),
                                         {one.data(), zero.data()});
    }
}

// The fewest errors with two tests, and the first test in the table's order that leads there.
Answer BinaryPairs::best_pair(bool is_rest, const ObjectSet& set, const Remaining& remaining,
                              const std::vector<std::int32_t>& tests) const {
    const std::vector<Count>&one = following_[2 * is_rest], &zero = following_[2 * is_rest + 1];
    const OnesOfSet& ones = part_ones_[is_rest];
    Answer answer{.value = set.leaf};
    const auto look = [&](bool splits) {
        for (const int test : tests) {
            if (!table_.costs.may_buy(remaining.state, test, remaining.limits)) continue;
            const Units wrong = set.total - Units(one[test]) - Units(zero[test]);
            if (wrong >= answer.value) continue;
            const int n_ones = ones.of_test(test);
            if ((n_ones > 0 && n_ones < set.size()) != splits) continue;
            // One that shows the same on all would only delay the one that follows it, unless that needs it.
            if (splits || unlocks(table_, set, test, remaining.state.flags)) answer = {.value = wrong, .test = test};
        }
    };
    look(true);
    if (table_.costs.has_conditions()) look(false);
    // What the same two tests fit: both prices where all are the same, else simply what is left.
    const Amounts price = table_.costs.costliest(0);
    if (answer.test != kNoTest) answer.need = table_.has_one_price ? price + price : remaining.left();
    return answer;
}

}  // namespace budgetree::BUDGETREE_EXACT
