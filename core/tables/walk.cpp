#include "tables/walk.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/elementary.hpp"

namespace budgetree {
namespace {

constexpr std::size_t kBlock = 1024;  // rows between two looks at the clock
constexpr std::size_t kRowsWorthAThread = 65'536;
constexpr std::int64_t kNanosecondsPerRow = 20, kNanosecondsPerNode = 4;
constexpr double kUnit = 1e-6;  // of a total that is a score

double largest_probability(std::span<const std::int64_t> totals) {
    const std::int64_t pair[] = {0, totals[0]};
    if (totals.size() == 1) totals = pair;
    const std::int64_t most = std::ranges::max(totals);
    double sum = 0.0;
    for (const std::int64_t total : totals) sum += exponential(double(total - most) * kUnit);
    return 1.0 / sum;
}

std::size_t side_of(const TotalSplit& split, std::span<const std::int64_t> totals) {
    if (split.confidence > 0) return largest_probability(totals) >= split.confidence ? 0 : 1;
    return std::size_t(std::ranges::upper_bound(split.cuts, totals[0]) - split.cuts.begin());
}

class Walker {
public:
    Walker(const Route& route, const Walks& walks)
        : route_(route), walks_(walks), codes_{walks.codes.data(), walks.leaf.size(), 1},
          last_waiting_(route.scorers.empty() ? 0 : route.kind.size(), -1), before_(kBlock) {}

    // About how many nanoseconds it took.
    std::int64_t walk_block(std::size_t begin, std::size_t end) {
        nanoseconds_ = std::int64_t(end - begin) * kNanosecondsPerRow;
        for (std::size_t row = begin; row < end; ++row) {
            walks_.spent[row] = 0;
            walks_.unlisted[row] = -1;
            go_on(row, 0, begin);
        }
        for (std::size_t i = 0; i < waiting_at_.size(); ++i) settle(waiting_at_[i], begin);  // grows while it is read
        waiting_at_.clear();
        return nanoseconds_;
    }

private:
    std::int64_t result(std::int32_t test, std::size_t row) const {
        return std::min<std::int32_t>(codes_.at(std::size_t(test), row), route_.n_outcomes[test]);
    }

    // As far as no totals are needed.
    void go_on(std::size_t row, std::int32_t at, std::size_t begin) {
        std::int32_t unlisted = walks_.unlisted[row];
        std::int64_t spent = walks_.spent[row], n_nodes = 0;
        NodeKind kind = NodeKind(route_.kind[at]);
        for (; kind == NodeKind::kBuy || kind == NodeKind::kByResult; kind = NodeKind(route_.kind[at])) {
            ++n_nodes;
            const std::int32_t test = route_.test[at];
            const std::int64_t outcome = result(test, row);
            if (kind == NodeKind::kBuy) {
                spent += route_.charges[route_.charge_at[at] + outcome];
                if (unlisted < 0 && outcome == route_.n_outcomes[test]) unlisted = test;
            }
            at = route_.children[route_.first[at] + (kind == NodeKind::kBuy ? 0 : outcome)];
        }
        walks_.leaf[row] = at;
        walks_.spent[row] = spent;
        walks_.unlisted[row] = unlisted;
        nanoseconds_ += n_nodes * kNanosecondsPerNode;
        if (kind == NodeKind::kLeaf && route_.rule[at] < 0) return;
        if (last_waiting_[at] < 0) waiting_at_.push_back(at);
        before_[row - begin] = last_waiting_[at];
        last_waiting_[at] = std::int32_t(row - begin);
    }

    // Adds up the totals of all rows that wait at a node; a branch sends them on.
    void settle(std::int32_t at, std::size_t begin) {
        rows_.clear();
        for (std::int32_t row = last_waiting_[at]; row >= 0; row = before_[row]) {
            rows_.push_back(std::uint32_t(begin) + std::uint32_t(row));
        }
        last_waiting_[at] = -1;
        const bool is_leaf = NodeKind(route_.kind[at]) == NodeKind::kLeaf;
        const std::int32_t rule = route_.rule[at];
        const Scorer& scorer = route_.scorers[is_leaf ? rule : route_.splits[rule].scorer];
        const std::size_t n_columns = scorer.n_columns(), widest = route_.widest();
        totals_.resize(rows_.size() * n_columns);
        sheet_.add_up(scorer, codes_, rows_, totals_.data());
        nanoseconds_ += std::int64_t(rows_.size()) * scorer.nanoseconds_per_row();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const std::span totals(totals_.data() + i * n_columns, n_columns);
            if (is_leaf) {
                std::ranges::copy(totals, walks_.totals.begin() + std::ptrdiff_t(rows_[i] * widest));
            } else {
                const std::size_t side = side_of(route_.splits[rule], totals);
                go_on(rows_[i], route_.children[route_.first[at] + std::int64_t(side)], begin);
            }
        }
    }

    const Route& route_;
    const Walks& walks_;
    const CodeView codes_;
    ScoreSheet sheet_;
    std::vector<std::int32_t> waiting_at_;    // nodes, in the order of their first rows
    std::vector<std::int32_t> last_waiting_;  // per node, the last row of the block that waits there, or -1
    std::vector<std::int32_t> before_;        // per row of the block, the one that waits before it
    std::vector<std::uint32_t> rows_;
    std::vector<std::int64_t> totals_;
    std::int64_t nanoseconds_ = 0;
};

void walk_blocks(const Route& route, const Walks& walks, std::atomic<std::size_t>& next, Watch watch) {
    Walker walker(route, walks);
    const std::size_t n_rows = walks.leaf.size();
    for (std::size_t begin = next.fetch_add(kBlock); begin < n_rows; begin = next.fetch_add(kBlock)) {
        if (watch.is_over(walker.walk_block(begin, std::min(begin + kBlock, n_rows)))) return;
    }
}

const char* find_fault(const Scorer& scorer, std::span<const std::int32_t> n_outcomes) {
    for (std::size_t i = 0; i < scorer.tests().size(); ++i) {
        const std::int32_t test = scorer.tests()[i];
        if (test < 0 || std::size_t(test) >= n_outcomes.size()) return "scorers: expected tests of the tree";
        if (scorer.n_outcomes(i) != n_outcomes[test]) return "scorers: expected points for every outcome and one more";
    }
    return nullptr;
}

const char* find_fault(const Route& route, const TotalSplit& split) {
    if (split.scorer < 0 || std::size_t(split.scorer) >= route.scorers.size()) {
        return "splits: expected a scorer of the tree";
    }
    if (split.confidence <= 0 && route.scorers[split.scorer].n_columns() != 1) {
        return "splits: expected a single total for cuts";
    }
    return std::ranges::is_sorted(split.cuts) ? nullptr : "splits: expected ascending cuts";
}

}  // namespace

std::size_t Route::widest() const {
    std::size_t most = 0;
    for (const Scorer& scorer : scorers) most = std::max(most, scorer.n_columns());
    return most;
}

const char* find_fault(const Route& route) {
    const std::size_t n_nodes = route.kind.size(), n_tests = route.n_outcomes.size();
    if (n_nodes == 0) return "kind: expected at least one node";
    for (const std::size_t size : {route.test.size(), route.first.size(), route.charge_at.size(), route.rule.size()}) {
        if (size != n_nodes) return "test, first, charge_at, rule: expected one entry per node";
    }
    if (std::ranges::any_of(route.n_outcomes, [](std::int32_t n) { return n < 0 || n > 255; })) {
        return "n_outcomes: expected 0 to 255";
    }
    for (const Scorer& scorer : route.scorers) {
        if (const char* fault = find_fault(scorer, route.n_outcomes)) return fault;
    }
    for (const TotalSplit& split : route.splits) {
        if (const char* fault = find_fault(route, split)) return fault;
    }
    for (std::size_t node = 0; node < n_nodes; ++node) {
        if (route.kind[node] > std::uint8_t(NodeKind::kLeaf)) return "kind: expected 0 to 3";
        const NodeKind kind = NodeKind(route.kind[node]);
        const std::int32_t test = route.test[node], rule = route.rule[node];
        if (kind == NodeKind::kLeaf) {
            if (rule >= std::int64_t(route.scorers.size())) return "rule: expected scorers of the tree";
            continue;
        }
        std::size_t n_children = 1;
        if (kind == NodeKind::kByTotal) {
            if (rule < 0 || std::size_t(rule) >= route.splits.size()) return "rule: expected splits of the tree";
            n_children = route.splits[rule].n_sides();
        } else if (test < 0 || std::size_t(test) >= n_tests) {
            return "test: expected tests of the tree";
        } else {
            const std::size_t n_results = std::size_t(route.n_outcomes[test]) + 1;
            if (kind == NodeKind::kByResult) n_children = n_results;
            const std::int64_t at = route.charge_at[node];
            if (kind == NodeKind::kBuy && (at < 0 || std::size_t(at) + n_results > route.charges.size())) {
                return "charge_at: expected a charge for every outcome and one more";
            }
        }
        const std::int64_t first = route.first[node];
        if (first < 0 || std::size_t(first) + n_children > route.children.size()) {
            return "first: expected children for every side";
        }
        for (const std::int32_t child : route.children.subspan(std::size_t(first), n_children)) {
            if (child <= std::int64_t(node) || std::size_t(child) >= n_nodes) {
                return "children: expected nodes further down";
            }
        }
    }
    return nullptr;
}

void walk(const Route& route, const Walks& walks, Clock& clock, int n_threads) {
    const int useful = int(std::min<std::size_t>(walks.leaf.size() / kRowsWorthAThread + 1, 256));
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> others;
    for (int thread = 1; thread < std::min(n_threads, useful); ++thread) {
        others.emplace_back([&] { walk_blocks(route, walks, next, Watch(clock, Watch::Thread::kOther)); });
    }
    walk_blocks(route, walks, next, Watch(clock));
}

void softmax(std::span<const std::int64_t> totals, std::span<double> probabilities) {
    const std::int64_t most = std::ranges::max(totals);
    double sum = 0.0;
    for (std::size_t c = 0; c < totals.size(); ++c) {
        probabilities[c] = exponential(double(totals[c] - most) * kUnit);
        sum += probabilities[c];
    }
    for (double& probability : probabilities) probability /= sum;
}

}  // namespace budgetree
