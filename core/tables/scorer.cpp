#include "tables/scorer.hpp"

#include <algorithm>
#include <stdexcept>

namespace budgetree {
namespace {

constexpr std::size_t kLaneRows = 256;  // the lanes of a tree of 12 ends fit into the first cache
constexpr std::size_t kVector = 32;     // rows that are computed together

void require(bool holds, const char* expected) {
    if (!holds) throw std::invalid_argument(expected);
}

// Which results go left: those from low on, at most span above it; and where unknown ones go.
struct LeftRange {
    std::uint8_t low, span, unlisted, missing;
};

// Per row the left byte where its result goes left, else the right one.
template <bool kDefaultLeft>
void choose(const std::uint8_t* __restrict results, const LeftRange range, const std::uint8_t* __restrict left,
            const std::uint8_t* __restrict right, std::uint8_t* __restrict chosen, std::size_t n_rows) {
    const auto [low, span, unlisted, missing] = range;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::uint8_t result = results[row];
        const std::uint8_t by_default = std::uint8_t(-((result == unlisted) | (result == missing)));
        const std::uint8_t by_cut = std::uint8_t(-(std::uint8_t(result - low) <= span));
        const std::uint8_t is_left = kDefaultLeft ? by_cut | by_default : by_cut & ~by_default;
        chosen[row] = std::uint8_t((left[row] & is_left) | (right[row] & ~is_left));
    }
}

}  // namespace

Preorder find_preorder(std::span<const std::int32_t> start, std::span<const std::int32_t> left,
                       std::span<const std::int32_t> right) {
    const std::size_t n_nodes = left.size();
    if (right.size() != n_nodes) return {{}, "left, right: expected one entry per node"};
    std::vector<std::int32_t> order, open;
    std::vector<bool> is_found(n_nodes);
    order.reserve(n_nodes);
    for (const std::int32_t root : start) {
        std::size_t n_ends = 0;
        open.assign(1, root);
        while (!open.empty()) {
            const std::int32_t node = open.back();
            open.pop_back();
            if (node < 0 || std::size_t(node) >= n_nodes)
                return {{}, "trees: expected nodes from 0 to their number - 1"};
            if (is_found[node]) return {{}, "trees: expected every node in one tree, below one other"};
            is_found[node] = true;
            order.push_back(node);
            if ((left[node] < 0) != (right[node] < 0)) return {{}, "trees: expected two children, or none"};
            if (left[node] < 0 && ++n_ends > kMaxEnds) return {{}, "trees: expected at most 256 ends in each"};
            if (left[node] >= 0) open.insert(open.end(), {right[node], left[node]});
        }
    }
    if (order.size() != n_nodes) return {{}, "trees: expected every node in one tree, below one other"};
    return {std::move(order), nullptr};
}

Scorer::Scorer(std::vector<std::int32_t> tests, std::span<const std::span<const std::int32_t>> points,
               std::vector<std::int64_t> intercept, const Ensemble& trees)
    : tests_(std::move(tests)), intercept_(std::move(intercept)) {
    require(!intercept_.empty(), "scorers: expected at least one column");
    require(points.size() == tests_.size(), "scorers: expected points for each test");
    require(tests_.size() < 65'536, "scorers: expected fewer than 65,536 tests");
    add_points(points);
    const std::size_t n_nodes = trees.test.size();
    for (const std::size_t size : {trees.cut.size(), trees.by_equal.size(), trees.default_left.size(),
                                   trees.missing.size(), trees.right.size(), trees.value.size() / n_columns()}) {
        require(size == n_nodes, "trees: expected one entry per node");
    }
    require(trees.value.size() % n_columns() == 0, "trees: expected one entry per node");
    require(n_nodes == 0 ? trees.start.empty() : !trees.start.empty() && trees.start[0] == 0,
            "trees: expected the first to start at node 0");
    for (std::size_t tree = 0; tree < trees.start.size(); ++tree) {
        const std::int64_t begin = trees.start[tree];
        const std::int64_t end = tree + 1 < trees.start.size() ? trees.start[tree + 1] : std::int64_t(n_nodes);
        require(begin < end && end <= std::int64_t(n_nodes), "trees: expected ascending starts");
        add_tree(trees, std::size_t(begin), std::size_t(end));
    }
}

void Scorer::add_points(std::span<const std::span<const std::int32_t>> points) {
    for (std::size_t test = 0; test < points.size(); ++test) {
        const std::span table = points[test];
        const std::size_t n_results = table.size() / n_columns();
        require(n_results >= 1 && n_results <= 256 && table.size() == n_results * n_columns(),
                "scorers: expected points for every outcome and one more");
        n_outcomes_.push_back(std::int32_t(n_results - 1));
        if (std::ranges::all_of(table, [](std::int32_t more) { return more == 0; })) continue;
        tables_.push_back({test, points_.size()});
        points_.insert(points_.end(), table.begin(), table.end());
    }
}

void Scorer::add_tree(const Ensemble& trees, std::size_t begin, std::size_t end) {
    trees_.push_back({std::uint32_t(choices_.size()), 0, std::uint32_t(values_.size())});
    std::vector<std::uint16_t> lanes(end - begin);
    std::size_t n_ends = 0, n_choices = 0;
    for (std::size_t node = begin; node < end; ++node) {
        if (trees.test[node] >= 0) continue;
        require(n_ends < kMaxEnds, "trees: expected at most 256 ends in each");
        lanes[node - begin] = std::uint16_t(n_ends++);
        values_.insert(values_.end(), trees.value.begin() + std::ptrdiff_t(node * n_columns()),
                       trees.value.begin() + std::ptrdiff_t((node + 1) * n_columns()));
    }
    most_ends_ = std::max(most_ends_, n_ends);
    require(n_ends * 2 == end - begin + 1, "trees: expected two children, or none");
    for (std::size_t node = end; node-- > begin;) {
        if (trees.test[node] < 0) continue;
        const auto found = std::ranges::find(tests_, trees.test[node]);
        require(found != tests_.end(), "trees: expected tests of the scorer");
        const auto test = std::size_t(found - tests_.begin());
        const std::int32_t cut = trees.cut[node], missing = trees.missing[node], unlisted = n_outcomes_[test];
        require(cut < unlisted, "trees: expected cuts at outcomes of their test");
        require(missing >= -1 && missing < unlisted, "trees: expected missing results among the outcomes, or -1");
        const std::int64_t right = trees.right[node];
        require(right > std::int64_t(node) + 1 && right < std::int64_t(end), "trees: expected children further down");
        const bool by_equal = trees.by_equal[node] != 0;
        lanes[node - begin] = std::uint16_t(kMaxEnds + n_choices++);
        choices_.push_back({.test = tree_test(test),
                            .left = lanes[node + 1 - begin],
                            .right = lanes[std::size_t(right) - begin],
                            .result = lanes[node - begin],
                            .low = std::uint8_t(by_equal ? cut : 0),
                            .span = std::uint8_t(by_equal ? 0 : cut),
                            .missing = std::uint8_t(missing < 0 ? unlisted : missing),
                            .unlisted = std::uint8_t(unlisted),
                            .default_left = trees.default_left[node] != 0});
    }
    trees_.back().n_choices = std::uint32_t(n_choices);
}

std::uint16_t Scorer::tree_test(std::size_t test) {
    const auto found = std::ranges::find(tree_tests_, test);
    const auto position = std::uint16_t(found - tree_tests_.begin());
    if (found == tree_tests_.end()) tree_tests_.push_back(test);
    return position;
}

std::int64_t Scorer::nanoseconds_per_row() const {
    return std::int64_t((tables_.size() + trees_.size()) * n_columns() + tree_tests_.size() + choices_.size() / 4);
}

void ScoreSheet::add_up(const Scorer& scorer, const BlockView& codes, std::span<const std::uint16_t> rows,
                        std::int64_t* totals) {
    switch (scorer.n_columns()) {
        case 1:
            return add_up_columns<1>(scorer, codes, rows, totals);
        case 2:
            return add_up_columns<2>(scorer, codes, rows, totals);
        case 3:
            return add_up_columns<3>(scorer, codes, rows, totals);
        case 4:
            return add_up_columns<4>(scorer, codes, rows, totals);
        default:
            return add_up_columns<0>(scorer, codes, rows, totals);
    }
}

// Test by test: its points are in a near cache then. N is 0 where the number of columns is not known to the compiler.
template <std::size_t N>
void ScoreSheet::add_up_columns(const Scorer& scorer, const BlockView& codes, std::span<const std::uint16_t> rows,
                                std::int64_t* totals) {
    const std::size_t n_columns = N == 0 ? scorer.n_columns() : N, n_rows = rows.size();
    for (std::size_t i = 0; i < n_rows; ++i) std::ranges::copy(scorer.intercept_, totals + i * n_columns);
    for (const Scorer::Table& table : scorer.tables_) {
        const std::uint8_t* const of_test = codes.of(table.test);
        const std::int32_t* const points = scorer.points_.data() + table.first;
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::int32_t* const of_outcome = points + of_test[rows[i]] * n_columns;
            for (std::size_t column = 0; column < n_columns; ++column) {
                totals[i * n_columns + column] += of_outcome[column];
            }
        }
    }
    if (scorer.trees_.empty()) return;
    prepare_lanes(scorer.most_ends_, scorer.tree_tests_.size());
    for (std::size_t begin = 0; begin < n_rows; begin += kLaneRows) {
        const auto some = rows.subspan(begin, std::min(kLaneRows, n_rows - begin));
        add_trees<N>(scorer, codes, some, totals + begin * n_columns);
    }
}

template <std::size_t N>
void ScoreSheet::add_trees(const Scorer& scorer, const BlockView& codes, std::span<const std::uint16_t> rows,
                           std::int64_t* totals) {
    const std::size_t n_columns = N == 0 ? scorer.n_columns() : N, n_rows = rows.size();
    for (std::size_t test = 0; test < scorer.tree_tests_.size(); ++test) {
        const std::uint8_t* const of_test = codes.of(scorer.tree_tests_[test]);
        std::uint8_t* const results = results_.data() + test * kLaneRows;
        for (std::size_t i = 0; i < n_rows; ++i) results[i] = of_test[rows[i]];
    }
    const std::size_t n_computed = (n_rows + kVector - 1) / kVector * kVector;
    for (const Scorer::Tree& tree : scorer.trees_) {
        const std::uint8_t* ends = lane(0);
        for (const Scorer::Choice& choice : std::span(scorer.choices_).subspan(tree.first_choice, tree.n_choices)) {
            const auto step = choice.default_left ? choose<true> : choose<false>;
            const LeftRange range{choice.low, choice.span, choice.unlisted, choice.missing};
            step(results_.data() + choice.test * kLaneRows, range, lane(choice.left), lane(choice.right),
                 lane(choice.result), n_computed);
            ends = lane(choice.result);
        }
        const std::int32_t* const values = scorer.values_.data() + tree.first_value;
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::int32_t* const of_end = values + ends[i] * n_columns;
            for (std::size_t column = 0; column < n_columns; ++column) totals[i * n_columns + column] += of_end[column];
        }
    }
}

// One row should not pay for lanes that no tree has.
void ScoreSheet::prepare_lanes(std::size_t n_ends, std::size_t n_tests) {
    if (lanes_ == nullptr) lanes_ = std::make_unique_for_overwrite<std::uint8_t[]>(2 * kMaxEnds * kLaneRows);
    for (; n_filled_ < n_ends; ++n_filled_) std::fill_n(lane(n_filled_), kLaneRows, std::uint8_t(n_filled_));
    if (results_.size() < n_tests * kLaneRows) results_.resize(n_tests * kLaneRows);
}

std::uint8_t* ScoreSheet::lane(std::size_t number) {
    return lanes_.get() + number * kLaneRows;
}

}  // namespace budgetree
