#include "exact/exact_table.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

constexpr std::uint64_t kSeed = 20150509;  // any will do, and the same one keeps runs alike
constexpr int kSquare = 64;                // cases: a cache line of a column
constexpr int kMaxCounted = 1 << 16;       // cases that 16 bits can count

constexpr std::size_t kMaxPairBytes = std::size_t(1)
                                      << 26;  // of one depth; beyond it tests are counted like any others

std::size_t pair_bytes(std::size_t n_tests, std::size_t n_lanes, std::size_t n_gains) {
    return n_gains * n_tests * n_lanes * sizeof(std::uint16_t);
}

int lanes_for(int n_tests) {
    return (n_tests + 1 + kByteLanes - 1) / kByteLanes * kByteLanes;
}

}  // namespace

ExactTable::ExactTable(const Cases& cases, CostModel prices, LeafPolicy leaf_policy,
                       std::vector<Units> unavoidable_losses, bool may_count_pairs)
    : n_cases(int(cases.size())), n_tests(cases.n_tests()), n_classes(cases.n_classes),
      width(*std::ranges::max_element(cases.n_outcomes)), n_lanes(lanes_for(n_tests)),
      has_unit_weights(cases.weights.empty()), is_binary(width <= 2 && has_unit_weights && n_cases < kMaxCounted),
      has_one_price(prices.has_one_price()), costs(std::move(prices)), policy(std::move(leaf_policy)),
      n_outcomes(cases.n_outcomes), labels(cases.labels.begin(), cases.labels.end()),
      rows(std::size_t(n_cases) * n_lanes), columns(std::size_t(n_cases) * n_tests),
      unavoidable(std::move(unavoidable_losses)), everything_(n_cases) {
    std::mt19937_64 random(kSeed);
    for (int object = 0; object < n_cases; ++object) {
        std::uint8_t* into = &rows[std::size_t(object) * n_lanes];
        std::copy_n(cases.row(object), n_tests, into);
        into[n_lanes - 1] = 1;
        weights.push_back(cases.weight(object));
        const std::uint64_t first = random();
        keys.push_back({first, random()});
    }
    // A square at a time: one case after another would touch a cache line of every column for a single byte.
    for (int first_case = 0; first_case < n_cases; first_case += kSquare) {
        const int last_case = std::min(first_case + kSquare, n_cases);
        for (int test = 0; test < n_tests; ++test) {
            std::uint8_t* column = &columns[std::size_t(test) * n_cases];
            for (int object = first_case; object < last_case; ++object) column[object] = row(object)[test];
        }
    }
    std::iota(everything_.begin(), everything_.end(), 0);
    std::ranges::stable_sort(everything_, {}, [&](int object) { return labels[object]; });
    whole = set_of(everything_);
    fits_words = has_unit_weights && n_cases < kMaxCounted && whole.total < kMaxCounted;
    counts_pairs = may_count_pairs && is_binary && fits_words && policy.min_cases() == 1 &&
                   pair_bytes(n_tests, n_lanes, n_gains()) <= kMaxPairBytes;
}

bool ExactTable::allows(const ObjectSet& set, int test) const {
    if (policy.min_cases() <= 1) return true;
    std::array<int, 256> n_shown = {};
    for (const std::int32_t object : set.objects) ++n_shown[column(test)[object]];
    return std::ranges::none_of(n_shown, [&](int n) { return 0 < n && n < policy.min_cases(); });
}

ObjectSet ExactTable::set_of(std::span<const std::int32_t> objects) const {
    ObjectSet set;
    set.objects = objects;
    LeafLoss leaf(policy);
    for (std::size_t at = 0; at < objects.size();) {
        const int label = labels[objects[at]];
        Units in_class = 0;
        for (; at < objects.size() && labels[objects[at]] == label; ++at) {
            in_class += weights[objects[at]];
            set.least += unavoidable[objects[at]];
            set.key += keys[objects[at]];
        }
        leaf.add(label, in_class);
    }
    set.total = leaf.total();
    set.leaf = leaf.value();
    return set;
}

}  // namespace budgetree::BUDGETREE_EXACT
