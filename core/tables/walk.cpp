#include "tables/walk.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <thread>

#include "base/elementary.hpp"

namespace budgetree {
namespace {

constexpr std::size_t kRowsWorthAThread = 65'536;
constexpr std::int64_t kNanosecondsPerRow = 20, kNanosecondsPerNode = 4, kNanosecondsPerCell = 2;
constexpr double kUnit = 1e-6;  // of a total that is a score

double largest_probability(std::span<const std::int64_t> totals) {
    const std::int64_t pair[] = {0, totals[0]};
    if (totals.size() == 1) totals = pair;
    const std::int64_t most = std::ranges::max(totals);
    double sum = 0.0;
    for (const std::int64_t total : totals) sum += exponential(double(total - most) * kUnit);
    return 1.0 / sum;
}

// How far the highest total is ahead of the next one, which is 0 where there is no other.
std::int64_t lead_of(std::span<const std::int64_t> totals) {
    if (totals.size() == 1) return std::abs(totals[0]);
    std::int64_t first = totals[0], second = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t total : totals.subspan(1)) {
        second = std::max(second, std::min(first, total));
        first = std::max(first, total);
    }
    return first - second;
}

std::int64_t side_of(const TotalSplit& split, std::span<const std::int64_t> totals) {
    if (split.confidence <= 0) return std::ranges::upper_bound(split.cuts, totals[0]) - split.cuts.begin();
    const std::int64_t lead = lead_of(totals);
    if (lead <= split.lead.never) return 1;
    if (lead >= split.lead.always) return 0;
    return largest_probability(totals) >= split.confidence ? 0 : 1;
}

// Of equal ones the first.
std::int64_t highest_of(std::span<const std::int64_t> totals) {
    if (totals.size() == 1) return totals[0] > 0 ? 1 : 0;
    return std::ranges::max_element(totals) - totals.begin();
}

// Rows go down one by one, and wait at every node that needs their totals: those of a node are added up together. The
// children of a node come after it, so all rows that will ever wait at a node are there when it has its turn.
class Walker {
public:
    Walker(const Route& route, const Walks& walks) : route_(route), walks_(walks), block_(walks.columns) {
        if (route.scored_nodes.empty()) return;
        waiting_.resize(route.steps.size(), kNobody);
        totals_ = std::make_unique_for_overwrite<std::int64_t[]>(route.widest() * kBlockRows);
    }

    // About how many nanoseconds it took.
    std::int64_t walk_block(std::size_t begin, std::size_t end) {
        begin_ = begin;
        work_ = std::int64_t(end - begin) *
                (kNanosecondsPerRow + kNanosecondsPerCell * std::int64_t(walks_.columns.size()));
        block_.read(begin, end - begin);
        for (std::size_t row = 0; row < end - begin; ++row) {
            walks_.spent[begin + row] = 0;
            walks_.unlisted[begin + row] = -1;
            go_on(row, 0);
        }
        for (const std::int32_t node : route_.scored_nodes) {
            if (waiting_[std::size_t(node)] != kNobody) serve(node);
        }
        return work_;
    }

    bool has_large() const { return block_.has_large(); }

private:
    static constexpr std::uint16_t kNobody = 0xffff;
    static_assert(kBlockRows < kNobody);

    // From a node on, as far as results decide.
    void go_on(std::size_t row, std::int32_t at) {
        const std::uint8_t* const codes = block_.codes() + row;
        std::int32_t unlisted = walks_.unlisted[begin_ + row];
        std::int64_t spent = walks_.spent[begin_ + row], n_nodes = 0;
        const Step* step = &route_.steps[std::size_t(at)];
        for (; step->kind <= NodeKind::kByResult; step = &route_.steps[std::size_t(at)]) {
            const std::int32_t outcome = codes[std::size_t(step->test) * kBlockRows];
            std::int64_t side = 0;
            if (step->kind == NodeKind::kBuy) {
                spent += route_.charges[std::size_t(step->charge_at + outcome)];
                if (outcome == step->n_outcomes && unlisted < 0) unlisted = step->test;
            } else {
                side = outcome;
            }
            at = route_.children[std::size_t(step->first + side)];
            ++n_nodes;
        }
        work_ += n_nodes * kNanosecondsPerNode;
        walks_.unlisted[begin_ + row] = unlisted;
        walks_.spent[begin_ + row] = spent;
        walks_.leaf[begin_ + row] = at;
        if (step->rule >= 0) {
            next_[row] = waiting_[std::size_t(at)];
            waiting_[std::size_t(at)] = std::uint16_t(row);
        } else if (!walks_.totals.empty()) {
            write_totals(row, {});
        }
    }

    // What is done with the totals of the rows that wait at a node.
    void serve(std::int32_t node) {
        std::size_t n_rows = 0;
        for (std::uint16_t row = waiting_[std::size_t(node)]; row != kNobody; row = next_[row]) rows_[n_rows++] = row;
        waiting_[std::size_t(node)] = kNobody;
        const Step& step = route_.steps[std::size_t(node)];
        const bool is_leaf = step.kind == NodeKind::kLeaf;
        const Scorer& scorer = route_.scorers[std::size_t(is_leaf ? step.rule : route_.splits[step.rule].scorer)];
        sheet_.add_up(scorer, {block_.codes(), scorer.tests()}, std::span(rows_).first(n_rows), totals_.get());
        work_ += std::int64_t(n_rows) * scorer.nanoseconds_per_row();
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::span totals(totals_.get() + i * scorer.n_columns(), scorer.n_columns());
            if (is_leaf) {
                write_totals(rows_[i], totals);
            } else {
                const std::int64_t side = side_of(route_.splits[step.rule], totals);
                go_on(rows_[i], route_.children[std::size_t(step.first + side)]);
            }
        }
    }

    void write_totals(std::size_t row, std::span<const std::int64_t> totals) {
        const std::size_t width = walks_.totals.size() / walks_.leaf.size();
        const auto of_row = walks_.totals.subspan((begin_ + row) * width, width);
        std::ranges::fill(std::ranges::copy(totals, of_row.begin()).out, of_row.end(), 0);
        walks_.highest[begin_ + row] = highest_of(totals);
    }

    const Route& route_;
    const Walks& walks_;
    CodedBlock block_;
    ScoreSheet sheet_;
    std::size_t begin_ = 0;                                        // of the block
    std::int64_t work_ = 0;                                        // of the block, in nanoseconds
    std::vector<std::uint16_t> waiting_;                           // per node, the row that came there last
    std::array<std::uint16_t, kBlockRows> next_ = {}, rows_ = {};  // per row, the one that came before it; a list
    std::unique_ptr<std::int64_t[]> totals_;                       // of the rows of a node
};

// Whether all numbers are small enough to have their digits.
bool walk_blocks(const Route& route, const Walks& walks, std::atomic<std::size_t>& next, Watch watch) {
    Walker walker(route, walks);
    const std::size_t n_rows = walks.leaf.size();
    for (std::size_t begin = next.fetch_add(kBlockRows); begin < n_rows; begin = next.fetch_add(kBlockRows)) {
        if (watch.is_over(walker.walk_block(begin, std::min(begin + kBlockRows, n_rows)))) break;
    }
    return !walker.has_large();
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

void prepare(Route& route) {
    for (std::size_t node = 0; node < route.kind.size(); ++node) {
        const std::int32_t test = route.test[node];
        route.steps.push_back({NodeKind(route.kind[node]), test, test < 0 ? 0 : route.n_outcomes[test],
                               route.rule[node], route.first[node], route.charge_at[node]});
        if (route.steps.back().kind < NodeKind::kByTotal) {
            route.steps.back().rule = -1;
        } else if (route.rule[node] >= 0) {
            route.scored_nodes.push_back(std::int32_t(node));
        }
    }
    for (TotalSplit& split : route.splits) {
        split.lead = lead_bounds(split.confidence, route.scorers[split.scorer].n_columns());
    }
}

// With a lead of d, the others weigh at least e^-d and at most n - 1 times that; 1 / c - 1 is what they may weigh. A
// lead is in millionths, so two units change a weight by far more than floats are off, unless next to nothing is left.
LeadBounds lead_bounds(double confidence, std::size_t n_totals) {
    constexpr double kLeast = 1e-8, kMargin = 2;
    const double allowed = confidence > 0 ? 1.0 / confidence - 1.0 : 0.0;
    if (allowed < kLeast) {
        return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    }
    const double n_others = n_totals == 1 ? 1.0 : double(n_totals - 1);  // a single total has 0 beside it
    const double least = -std::log(allowed) / kUnit, most = least + std::log(n_others) / kUnit;
    return {std::int64_t(std::floor(least - kMargin)), std::int64_t(std::ceil(most + kMargin))};
}

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

bool walk(const Route& route, const Walks& walks, Clock& clock, int n_threads) {
    const int useful = int(std::min<std::size_t>(walks.leaf.size() / kRowsWorthAThread + 1, 256));
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> are_exact = true;
    {
        std::vector<std::jthread> others;
        for (int thread = 1; thread < std::min(n_threads, useful); ++thread) {
            others.emplace_back([&] {
                if (!walk_blocks(route, walks, next, Watch(clock, Watch::Thread::kOther))) are_exact = false;
            });
        }
        if (!walk_blocks(route, walks, next, Watch(clock))) are_exact = false;
    }
    return are_exact;
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
