#include "exact/binary_triples.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "simd/triple_simd.hpp"
#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

int vector_of(int test) {
    return test / kByteLanes * kByteLanes;
}

}  // namespace

BinaryTriples::BinaryTriples(const ExactTable& table, Spend spend)
    : table_(table), spend_(std::move(spend)), packed_(table), ones_(table.n_classes, table.n_lanes),
      gains_(table.n_gains(), table.n_lanes), row_(std::size_t(table.n_gains()) * table.n_lanes) {}

Units BinaryTriples::fewest_errors(const ObjectSet& set) {
    count_pairs(set);
    following_.assign(std::size_t(table_.n_tests) * 4 * table_.n_lanes, 0);
    for (const int first : tests_) score_with(first, set);
    Units fewest = set.leaf;
    for (const int first : tests_) {
        Units errors = set.total;
        for (const int outcome : {0, 1}) {
            int most = 0;
            for (const int second : tests_) most = std::max(most, right_after(first, outcome, second));
            errors -= most;
        }
        fewest = std::min(fewest, errors);
    }
    return fewest;
}

void BinaryTriples::count_pairs(const ObjectSet& set) {
    const std::size_t n_lanes = table_.n_lanes, step = n_lanes * table_.n_tests;
    packed_.pack(set.objects);
    packed_.count_ones(ones_);
    if (!table_.policy.is_plain()) packed_.project(ones_, gains_);
    tests_.clear();
    for (int test = 0; test < table_.n_tests; ++test) {
        const int n_ones = ones_.of_test(test);
        if (0 < n_ones && n_ones < set.size()) tests_.push_back(test);
    }
    pairs_.resize(table_.n_gains() * step);
    for (const int test : tests_) {
        packed_.count_gains(test, vector_of(test), &pairs_[test * n_lanes], step);
        spend_(set.size() * std::int64_t(n_lanes) / 256);
    }
}

void BinaryTriples::score_with(int first, const ObjectSet& set) {
    const std::size_t n_lanes = table_.n_lanes, step = n_lanes * table_.n_tests;
    const std::uint8_t* column = table_.column(first);
    shown_.clear();
    std::ranges::copy_if(set.objects, std::back_inserter(shown_), [&](int object) { return column[object] == 1; });
    packed_.pack(shown_);
    const ClassCounts all{row_.data(), n_lanes}, first_pairs{&pairs_[first * n_lanes], step};
    Ones gains = (table_.policy.is_plain() ? ones_ : gains_).view();
    gains.n_classes = table_.policy.n_answers();  // the worth that follows is no answer
    // Also the test with itself: a tree may have fewer than three tests.
    for (auto second = std::ranges::lower_bound(tests_, first); second != tests_.end(); ++second) {
        packed_.count_gains(*second, vector_of(*second), row_.data(), n_lanes);
        const ClassCounts second_pairs{&pairs_[*second * n_lanes], step};
        triple_kernels().score(gains, {first, *second, all, first_pairs, second_pairs}, {following_.data(), n_lanes});
        spend_((std::int64_t(shown_.size()) + 128) * std::int64_t(n_lanes) / 256);
    }
}

int BinaryTriples::right_after(int first, int outcome, int second) const {
    const auto [low, high] = std::minmax(first, second);
    const Count* right = &following_[std::size_t(low) * 4 * table_.n_lanes + high];
    int sum = 0;
    for (const int other : {0, 1}) {
        const int of_low = first == low ? outcome : other, of_high = first == low ? other : outcome;
        sum += right[(3 - 2 * of_low - of_high) * table_.n_lanes];
    }
    return sum;
}

}  // namespace budgetree::BUDGETREE_EXACT
