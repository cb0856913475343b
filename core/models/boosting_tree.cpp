#include "models/boosting_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace budgetree {
namespace {

constexpr std::size_t kNearBytes = 24 * 1024;  // of histograms that are added to at once, so that they stay near
constexpr int kBits = 62, kExactBits = 51;     // of a sum, and of one that is rounded by adding a double

// The least power of 2 above it.
int bits_above(double x) {
    return std::ilogb(x) + 1;
}

}  // namespace

GradientScale::GradientScale(std::size_t n_rows, double total_weight) {
    const int weight_bits = bits_above(total_weight);
    count_shift = std::min(kBits - bits_above(double(n_rows)), kExactBits);
    curvature_mask = (std::int64_t(1) << count_shift) - 1;
    to_gradient = std::ldexp(1.0, kExactBits - weight_bits);        // gradients are at most 1
    to_curvature = std::ldexp(1.0, count_shift - weight_bits + 1);  // curvatures are little more than 1/4
    from_gradient = 1 / to_gradient;
    from_curvature = 1 / to_curvature;
}

BoostingTreeGrower::BoostingTreeGrower(const BinnedRows& binned, std::vector<std::uint8_t> bins, std::size_t n_in,
                                       const BoostingRequest& request, const GradientScale& scale)
    : binned_(binned), settings_(request.settings), scale_(scale), n_columns_(request.n_columns()), n_in_(n_in),
      bins_(std::move(bins)), rows_(bins_.size() / binned.n_tests()), right_rows_(rows_.size()), left_(n_columns_),
      known_(n_columns_) {}

void BoostingTreeGrower::grow(std::span<const GradientPair> gradients, BoostedTrees& model) {
    gradients_ = gradients;
    work_ = 0;
    start();
    for (int n_leaves = 1; n_leaves < settings_.n_leaves; ++n_leaves) {
        const auto best = std::ranges::max_element(
            nodes_, {}, [](const Node& node) { return node.left < 0 && node.cut.test >= 0 ? node.cut.gain : 0.0; });
        if (best->left >= 0 || best->cut.test < 0) break;
        const bool is_last = n_leaves + 1 == settings_.n_leaves;
        divide(without_unknown(std::size_t(best - nodes_.begin()), is_last), is_last);
    }
    append_to(model);
}

void BoostingTreeGrower::start() {
    std::iota(rows_.begin(), rows_.end(), 0);
    nodes_.clear();
    sums_.clear();
    values_.clear();
    shifts_.assign(n_columns_, 0.0);
    n_histograms_ = 1;
    histograms_.resize(std::max(histograms_.size(), binned_.n_bins * n_columns_));
    const Node root{0, n_in_, n_in_, rows_.size()};
    std::vector<GradientPair> sums(n_columns_);
    add_up(root);
    const std::size_t n_bins = binned_.tests[0].n_bins + 1;
    for (std::size_t at = 0; at < n_bins * n_columns_; ++at) sums[at % n_columns_] += histograms_[at];
    add_node(root, sums.data(), 0);
    if (may_cut(root)) find_cut(0);
}

// A child adds what its sums say, and what is shifted in its parent.
void BoostingTreeGrower::add_node(const Node& node, const GradientPair* sums, std::size_t parent) {
    nodes_.push_back(node);
    shifts_.resize(nodes_.size() * n_columns_);
    for (std::size_t column = 0; column < n_columns_; ++column) {
        const double shift = shifts_[parent * n_columns_ + column];
        shifts_[shifts_.size() - n_columns_ + column] = shift;
        sums_.push_back(sums[column]);
        values_.push_back(value(sums[column]) + shift);
    }
}

// Before a leaf is cut, stops its rows of unknown result; the node of all others, which has the cut then.
std::size_t BoostingTreeGrower::without_unknown(std::size_t parent, bool is_last) {
    const Node node = nodes_[parent];
    const BinnedTest& test = binned_.tests[node.cut.test];
    const GradientPair* unknown = histogram(node) + (test.first + test.n_bins) * n_columns_;
    if (scale_.count(*unknown) == 0) return parent;
    nodes_[parent].cut = Cut{node.cut.gain, node.cut.test, test.n_bins, true, true};
    const std::size_t middle = part(node.begin, node.end, nodes_[parent].cut);
    const std::size_t out_middle = part(node.out_begin, node.out_end, nodes_[parent].cut);
    Node stopped{node.begin, middle, node.out_begin, out_middle};
    Node others{middle, node.end, out_middle, node.out_end, node.histogram, node.cut};
    const std::vector<GradientPair> of_stopped(unknown, unknown + n_columns_);
    std::vector<GradientPair> of_others(n_columns_);
    for (std::size_t column = 0; column < n_columns_; ++column) {
        of_others[column] = sums_[parent * n_columns_ + column];
        of_others[column] -= of_stopped[column];
    }
    nodes_[parent].left = int(nodes_.size());
    nodes_[parent].right = int(nodes_.size()) + 1;
    add_node(stopped, of_stopped.data(), parent);
    add_node(others, of_others.data(), parent);
    for (std::size_t column = 0; column < n_columns_; ++column) {
        const std::size_t at = parent * n_columns_ + column, of_leaf = values_.size() - 2 * n_columns_ + column;
        const std::size_t of_rest = of_leaf + n_columns_;
        shifts_[of_rest] += values_[at] - values_[of_rest];
        values_[of_leaf] = values_[of_rest] = values_[at];
    }
    if (!is_last) {  // the histogram of the others, from which those of its children come
        stopped.histogram = n_histograms_;
        const std::size_t size = binned_.n_bins * n_columns_;
        histograms_.resize(std::max(histograms_.size(), (n_histograms_ + 1) * size));
        add_up(stopped);
        GradientPair* rest = histogram(others);
        const GradientPair* less = histogram(stopped);
        for (std::size_t at = 0; at < size; ++at) rest[at] -= less[at];
        work_ += std::int64_t(size);
    }
    return nodes_.size() - 1;
}

// Cuts a leaf; after the last cut its children's are not needed.
void BoostingTreeGrower::divide(std::size_t parent, bool is_last) {
    const Node node = nodes_[parent];
    const std::size_t middle = part(node.begin, node.end, node.cut);
    const std::size_t out_middle = part(node.out_begin, node.out_end, node.cut);
    Node left{node.begin, middle, node.out_begin, out_middle}, right{middle, node.end, out_middle, node.out_end};

    const BinnedTest& test = binned_.tests[node.cut.test];
    const GradientPair* bins = histogram(node) + test.first * n_columns_;
    std::ranges::fill(left_, GradientPair{});
    const auto add_bin = [&](std::size_t bin) {
        for (std::size_t column = 0; column < n_columns_; ++column) left_[column] += bins[bin * n_columns_ + column];
    };
    for (std::size_t bin = test.is_ordered ? 0 : node.cut.bin; bin <= node.cut.bin; ++bin) add_bin(bin);
    std::vector<GradientPair> right_sums(n_columns_);
    for (std::size_t column = 0; column < n_columns_; ++column) {
        right_sums[column] = sums_[parent * n_columns_ + column];
        right_sums[column] -= left_[column];
    }

    const bool left_is_smaller = left.n_in() <= right.n_in();
    Node& smaller = left_is_smaller ? left : right;
    Node& larger = left_is_smaller ? right : left;
    if (!is_last && may_cut(larger)) {
        smaller.histogram = n_histograms_++;
        larger.histogram = node.histogram;
        const std::size_t size = binned_.n_bins * n_columns_;
        histograms_.resize(std::max(histograms_.size(), n_histograms_ * size));
        add_up(smaller);
        GradientPair* of_larger = histogram(larger);
        const GradientPair* of_smaller = histogram(smaller);
        for (std::size_t at = 0; at < size; ++at) of_larger[at] -= of_smaller[at];
        work_ += std::int64_t(size);
    }
    nodes_[parent].left = int(nodes_.size());
    nodes_[parent].right = int(nodes_.size()) + 1;
    add_node(left, left_.data(), parent);
    add_node(right, right_sums.data(), parent);
    for (std::size_t child = nodes_.size() - 2; child < nodes_.size(); ++child) {
        if (!is_last && may_cut(nodes_[child])) find_cut(child);
    }
}

// Where the right side begins.
std::size_t BoostingTreeGrower::part(std::size_t begin, std::size_t end, const Cut& cut) {
    const BinnedTest& test = binned_.tests[cut.test];
    const auto first = std::uint8_t(test.is_ordered && !cut.asks_unknown ? 0 : cut.bin),
               span = std::uint8_t(cut.bin - first);
    // Without a side for them, unknown results are right of any cut.
    const auto also = std::uint8_t(cut.default_left ? test.n_bins : cut.bin);
    const std::size_t stride = binned_.n_tests();
    const std::uint8_t* bins = bins_.data() + cut.test;
    std::int32_t* rows = rows_.data();
    std::int32_t* right_rows = right_rows_.data();
    std::size_t left = begin;
    for (std::size_t at = begin; at < end; ++at) {
        const std::int32_t row = rows[at];
        const std::uint8_t bin = bins[std::size_t(row) * stride];
        right_rows[at - left] = row;
        rows[left] = row;
        left += (std::uint8_t(bin - first) <= span) | (bin == also);
    }
    std::copy_n(right_rows, end - left, rows + left);
    work_ += std::int64_t(2 * (end - begin));
    return left;
}

void BoostingTreeGrower::add_up(const Node& node) {
    std::fill_n(histogram(node), binned_.n_bins * n_columns_, GradientPair{});
    const std::size_t n_near = kNearBytes / (n_columns_ * sizeof(GradientPair));
    for (std::size_t first = 0, last = 0; first < binned_.n_tests(); first = last) {
        const auto is_near = [&](std::size_t test) {
            return binned_.tests[test].first + binned_.tests[test].n_bins < binned_.tests[first].first + n_near;
        };
        for (last = first + 1; last < binned_.n_tests() && is_near(last); ++last) {
        }
        n_columns_ == 1 ? add_up_tests<1>(node, first, last) : add_up_tests<0>(node, first, last);
    }
    work_ += std::int64_t(node.n_in() * binned_.n_tests() * (1 + n_columns_) / 2 + binned_.n_bins * n_columns_);
}

// Columns: 1, or 0 for any number.
template <int Columns>
void BoostingTreeGrower::add_up_tests(const Node& node, std::size_t first, std::size_t last) {
    const std::size_t n_columns = Columns > 0 ? Columns : n_columns_, stride = binned_.n_tests(),
                      n_tests = last - first;
    const std::uint8_t* bins = bins_.data() + first;
    const GradientPair* gradients = gradients_.data();
    const std::int32_t* rows = rows_.data();
    offsets_.clear();
    for (std::size_t test = first; test < last; ++test) {
        offsets_.push_back(histogram(node) + binned_.tests[test].first * n_columns);
    }
    GradientPair* const* into = offsets_.data();
    for (std::size_t at = node.begin; at < node.end; ++at) {
        const auto row = std::size_t(rows[at]);
        const std::uint8_t* of_row = bins + row * stride;
        const GradientPair* pairs = gradients + row * n_columns;
        for (std::size_t test = 0; test < n_tests; ++test) {
            GradientPair* sums = into[test] + of_row[test] * n_columns;
            for (std::size_t column = 0; column < n_columns; ++column) sums[column] += pairs[column];
        }
    }
}

void BoostingTreeGrower::find_cut(std::size_t number) {
    Cut best;
    for (std::size_t test = 0; test < binned_.n_tests(); ++test) {
        const TestBins tried{&binned_.tests[test], test,
                             histogram(nodes_[number]) + binned_.tests[test].first * n_columns_};
        n_columns_ == 1 ? try_bins<1>(tried, &sums_[number], best)
                        : try_bins<0>(tried, &sums_[number * n_columns_], best);
    }
    nodes_[number].cut = best;
    work_ += std::int64_t(binned_.n_bins * (2 + 3 * n_columns_));
}

template <int Columns>
void BoostingTreeGrower::try_bins(const TestBins& tried, const GradientPair* sums, Cut& best) {
    const std::size_t n_columns = Columns > 0 ? Columns : n_columns_;
    const BinnedTest& test = *tried.test;
    const GradientPair* unknown = tried.bins + test.n_bins * n_columns;
    std::array<GradientPair, 2> only;
    GradientPair* left = Columns == 1 ? only.data() : left_.data();
    GradientPair* known = Columns == 1 ? &only[1] : known_.data();
    double uncut = 0.0;
    for (std::size_t column = 0; column < n_columns; ++column) {
        left[column] = {};
        known[column] = sums[column];
        known[column] -= unknown[column];
        const double gradient = scale_.gradient(known[column]);
        uncut += gradient * gradient / (scale_.curvature(known[column]) + settings_.ridge);
    }
    const std::int64_t n_known = scale_.count(*known);
    for (std::size_t bin = 0; bin + (test.is_ordered ? 1 : 0) < test.n_bins; ++bin) {
        const GradientPair* here = tried.bins + bin * n_columns;
        if (scale_.count(*here) == 0) continue;
        for (std::size_t column = 0; column < n_columns; ++column) {
            if (!test.is_ordered) left[column] = {};
            left[column] += here[column];
        }
        const std::int64_t n_left = scale_.count(*left), n_right = n_known - n_left;
        if (n_left < settings_.min_leaf || n_right < settings_.min_leaf) continue;
        double gain = -uncut;
        for (std::size_t column = 0; column < n_columns; ++column) {
            const GradientPair one = left[column];
            GradientPair other = known[column];
            other -= one;
            const double g = scale_.gradient(one), h = scale_.curvature(one) + settings_.ridge;
            const double other_g = scale_.gradient(other), other_h = scale_.curvature(other) + settings_.ridge;
            gain += (g * g * other_h + other_g * other_g * h) / (h * other_h);
        }
        if (gain > best.gain) best = {gain, int(tried.index), bin, n_left >= n_right};
    }
}

void BoostingTreeGrower::append_to(BoostedTrees& model) const {
    const auto root = std::int32_t(model.test.size());
    if (model.tree_start.empty()) model.tree_start.push_back(0);
    for (const Node& node : nodes_) {
        const bool is_leaf = node.left < 0;
        const BinnedTest* test = is_leaf ? nullptr : &binned_.tests[node.cut.test];
        model.test.push_back(is_leaf ? -1 : node.cut.test);
        model.cut.push_back(is_leaf ? std::uint8_t(0) : test->last_code[node.cut.bin]);
        model.is_nominal.push_back(!is_leaf && (node.cut.asks_unknown || !test->is_ordered));
        model.left.push_back(is_leaf ? -1 : root + node.left);
        model.right.push_back(is_leaf ? -1 : root + node.right);
        model.default_left.push_back(!is_leaf && node.cut.default_left);
    }
    model.value.insert(model.value.end(), values_.begin(), values_.end());
    model.tree_start.push_back(std::int32_t(model.test.size()));
}

}  // namespace budgetree
