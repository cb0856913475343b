// The trees of one model of boosting: histograms of gradients, the best cut of each leaf, growth of the best leaf
// first.
//
//     gradients    row × column of {gradient, curvature}        whole numbers; the first column's curvature has the
//                                                               count of rows in its upper bits
//     histogram    bin × column of the same                     a leaf that may be cut has one
//     rows         in, then out                                 row numbers, leaf by leaf
//
// The smaller child's histogram is added up, the larger one's is the parent's without it.
//
// A row whose result is unknown where a test cuts stops there: a node of its own (`asks_unknown`) sends it to a leaf
// with what the whole node would add. The cut is judged by the rows that have a result, and below it values are raised
// or lowered by as much as those rows differ from all: that a result is known or not adds nothing to any score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/boosting.hpp"
#include "models/boosting_bins.hpp"

namespace budgetree {

struct alignas(16) GradientPair {
    std::int64_t gradient = 0, curvature = 0;

    GradientPair& operator+=(const GradientPair& other) {
        gradient += other.gradient;
        curvature += other.curvature;
        return *this;
    }
    GradientPair& operator-=(const GradientPair& other) {
        gradient -= other.gradient;
        curvature -= other.curvature;
        return *this;
    }
};

// How gradients become whole numbers: so small that no sum over all rows overflows.
struct GradientScale {
    GradientScale(std::size_t n_rows, double total_weight);

    std::int64_t count(const GradientPair& pair) const { return pair.curvature >> count_shift; }
    double gradient(const GradientPair& pair) const { return double(pair.gradient) * from_gradient; }
    double curvature(const GradientPair& pair) const {
        return double(pair.curvature & curvature_mask) * from_curvature;
    }

    int count_shift;
    std::int64_t curvature_mask;
    double to_gradient, to_curvature, from_gradient, from_curvature;  // powers of 2
};

struct BoostingLeaf {
    std::span<const std::int32_t> rows, out_rows;
    const double* values;  // per column
};

class BoostingTreeGrower {
public:
    // Bins, row × test: the first n_in rows are learnt from, the others left out.
    BoostingTreeGrower(const BinnedRows& binned, std::vector<std::uint8_t> bins, std::size_t n_in,
                       const BoostingRequest& request, const GradientScale& scale);

    // Adds a tree to the model.
    void grow(std::span<const GradientPair> gradients, BoostedTrees& model);

    // Calls use(leaf) for the leaves of the last tree.
    template <typename Use>
    void visit_leaves(Use use) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node& node = nodes_[i];
            if (node.left >= 0) continue;
            use(BoostingLeaf{std::span(rows_).subspan(node.begin, node.n_in()),
                             std::span(rows_).subspan(node.out_begin, node.out_end - node.out_begin),
                             &values_[i * n_columns_]});
        }
    }

    // About how many nanoseconds the last tree took.
    std::int64_t work() const { return work_; }

private:
    struct Cut {
        double gain = BoostingSettings::kLeastGain;
        int test = -1;
        std::size_t bin = 0;
        bool default_left = false;
        bool asks_unknown = false;  // only unknown results go left
    };

    struct Node {
        std::size_t begin, end, out_begin, out_end;
        std::size_t histogram = 0;  // its index, where the node may be cut
        Cut cut{};
        int left = -1, right = -1;

        std::size_t n_in() const { return end - begin; }
    };

    // A test's part of a histogram.
    struct TestBins {
        const BinnedTest* test;
        std::size_t index;
        const GradientPair* bins;
    };

    GradientPair* histogram(const Node& node) {
        return histograms_.data() + node.histogram * binned_.n_bins * n_columns_;
    }
    bool may_cut(const Node& node) const { return node.n_in() >= 2 * std::size_t(settings_.min_leaf); }
    void start();
    std::size_t without_unknown(std::size_t parent, bool is_last);
    void divide(std::size_t parent, bool is_last);
    void add_node(const Node& node, const GradientPair* sums, std::size_t parent);
    double value(const GradientPair& sums) const {
        return settings_.rate * scale_.gradient(sums) / (scale_.curvature(sums) + settings_.ridge);
    }
    std::size_t part(std::size_t begin, std::size_t end, const Cut& cut);
    void add_up(const Node& node);
    template <int Columns>
    void add_up_tests(const Node& node, std::size_t first, std::size_t last);
    void find_cut(std::size_t number);
    template <int Columns>
    void try_bins(const TestBins& tried, const GradientPair* sums, Cut& best);
    void append_to(BoostedTrees& model) const;

    const BinnedRows& binned_;
    const BoostingSettings& settings_;
    const GradientScale& scale_;
    std::size_t n_columns_, n_in_;
    std::vector<std::uint8_t> bins_;
    std::vector<std::int32_t> rows_, right_rows_;
    std::span<const GradientPair> gradients_;
    std::vector<GradientPair> histograms_;
    std::vector<GradientPair*> offsets_;  // scratch
    std::size_t n_histograms_ = 0;

    // Of the tree that grows.
    std::vector<Node> nodes_;
    std::vector<GradientPair> sums_;          // node × column
    std::vector<GradientPair> left_, known_;  // scratch
    std::vector<double> values_, shifts_;     // node × column: what it adds, and how much of that its sums do not say
    std::int64_t work_ = 0;
};

}  // namespace budgetree
