#include "models/forest.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/threads.hpp"
#include "models/forest_sample.hpp"
#include "models/forest_splitter.hpp"

namespace budgetree {
namespace {

struct Node {
    std::size_t begin, end;          // in bag
    std::size_t out_begin, out_end;  // left out
    std::size_t depth;
    std::uint64_t seed;
};

// To the same place or one before it.
template <bool IsNarrow>
void copy_record(const std::uint8_t* from, std::uint8_t* to, std::size_t size) {
    if constexpr (IsNarrow) {
        std::uint64_t record;
        std::memcpy(&record, from, sizeof record);
        std::memcpy(to, &record, sizeof record);
    } else {
        for (std::size_t at = 0; at < size; at += kLanes) {
            std::array<std::uint64_t, kLanes / sizeof(std::uint64_t)> part;
            std::memcpy(part.data(), from + at, kLanes);
            std::memcpy(to + at, part.data(), kLanes);
        }
    }
}

// One set's forest. Classes: 2, or 0 for any number.
template <int Classes, bool IsWeighted>
class Forest {
public:
    Forest(const ForestSample& sample, const TestSet& tests)
        : sample_(sample), settings_(sample.settings), n_classes_(std::size_t(sample.rows.n_classes)),
          records_(sample, tests), splitter_(records_, n_classes_, settings_.min_leaf),
          votes_(sample.n_rows * (1 + n_votes()), 0.0F), in_(records_.codes.size() + kLanes), right_in_(in_.size()),
          weights_(sample.weights.size()), right_weights_(weights_.size()), out_(sample.n_rows),
          right_out_(sample.n_rows), vote_(n_classes_) {
        const std::size_t n_levels = std::size_t(settings_.max_depth) + 1;
        n_rows_.resize(n_levels * n_classes_);
        class_weights_.resize(n_levels * n_classes_);
        shares_.resize((n_levels + 1) * n_classes_);  // the first: of all rows
        std::ranges::copy(sample.prior, shares_.begin());
    }

    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;

    // False where the clock was over first.
    bool grow(Watch& watch) {
        for (int tree = 0; tree < settings_.n_trees; ++tree) {
            const auto [group, part] = std::div(tree, settings_.n_parts);
            const std::size_t n_in = records_.is_narrow() ? deal<true>(group, part) : deal<false>(group, part);
            grow(Node{0, n_in, 0, sample_.n_rows - n_in, 0,
                      mix(std::uint64_t(tree + 1) * kHashStride + settings_.salt)});
            if (watch.is_over(std::exchange(work_, 0))) return false;
        }
        return true;
    }

    void write_losses(float* losses) const {
        const double n = settings_.n_groups();
        for (std::size_t i = 0; i < sample_.n_rows; ++i) {
            const float* votes = &votes_[i * (1 + n_votes())];
            double squares = 0.0;
            for (std::size_t c = 0; c < n_votes(); ++c) {
                const double off = votes[1 + c] - (std::size_t(sample_.labels[i]) == (Classes == 2 ? 1 : c) ? n : 0.0);
                squares += Classes == 2 ? 2 * off * off : off * off;
            }
            losses[sample_.order[i]] = float((squares - votes[0]) / (n * (n - 1)));
        }
    }

    void write_probabilities(float* probabilities) const {
        const auto n = float(settings_.n_groups());
        for (std::size_t i = 0; i < sample_.n_rows; ++i) {
            const float* votes = &votes_[i * (1 + n_votes()) + 1];
            float* into = probabilities + std::size_t(sample_.order[i]) * n_classes();
            for (std::size_t c = 0; c < n_classes(); ++c) into[c] = votes[Classes == 2 ? 0 : c] / n;
            if (Classes == 2) into[0] = 1 - into[1];
        }
    }

private:
    std::size_t n_classes() const { return Classes > 0 ? Classes : n_classes_; }
    std::size_t n_votes() const { return Classes == 2 ? 1 : n_classes(); }

    // Leaves this part out; how many rows are in.
    template <bool IsNarrow>
    std::size_t deal(int group, int part) {
        // Pointers of its own: the compiler must assume that a byte written is part of this object.
        const std::uint8_t* parts = sample_.parts.data() + std::size_t(group) * sample_.n_rows;
        const std::size_t stride = IsNarrow ? kHalf : records_.stride, n_rows = sample_.n_rows;
        const std::uint8_t* from = records_.codes.data();
        const std::int32_t* labels = sample_.labels.data();
        std::uint8_t* in = in_.data();
        std::int32_t* out = out_.data();
        std::int32_t* n_by_class = n_rows_.data();
        std::fill_n(n_by_class, n_classes(), 0);
        std::size_t n_in = 0;
        for (std::size_t i = 0; i < n_rows; ++i) {
            const bool is_in = parts[i] != part;
            copy_record<IsNarrow>(from + i * stride, in + n_in * stride, stride);
            if (IsWeighted) weights_[n_in] = sample_.weights[i];
            out[i - n_in] = std::int32_t(i);
            n_by_class[labels[i]] += is_in;
            n_in += is_in;
        }
        work_ += std::int64_t(n_rows);
        return n_in;
    }

    void grow(const Node& node) {
        if (node.out_begin == node.out_end) return;
        const std::size_t level = node.depth * n_classes(), n_in = node.end - node.begin;
        std::int32_t* of_node = &n_rows_[level];
        std::int32_t* of_child = of_node + n_classes();
        const double total = weigh(node);
        const bool is_pure = std::find(of_node, of_child, std::int32_t(n_in)) != of_child;
        if (is_pure || total < 2 * settings_.min_leaf || node.depth == std::size_t(settings_.max_depth)) {
            return vote(node);
        }
        const NodeRows rows{in_.data() + node.begin * records_.stride,
                            n_in,
                            of_node,
                            weights_.data() + node.begin,
                            &class_weights_[level],
                            total,
                            node.seed};
        const ForestSplit split = splitter_.choose(rows, of_child);
        work_ += splitter_.work(rows);
        if (split.lane < 0) return vote(node);

        const std::size_t middle = node.begin + std::size_t(std::accumulate(of_child, of_child + n_classes(), 0));
        // Children at the last level, or too small for a cut, need no records.
        const bool is_last = node.depth + 1 == std::size_t(settings_.max_depth);
        if (IsWeighted ||
            (!is_last && double(std::max(middle - node.begin, node.end - middle)) >= 2 * settings_.min_leaf)) {
            records_.is_narrow() ? part_in<true>(node, split) : part_in<false>(node, split);
        }
        const double share = double(middle - node.begin) / double(n_in);
        const std::size_t out_middle =
            split.has_unknown ? part_out<true>(node, split, share) : part_out<false>(node, split, share);
        grow(Node{node.begin, middle, node.out_begin, out_middle, node.depth + 1, mix(node.seed + 1)});
        for (std::size_t c = 0; c < n_classes(); ++c) of_child[c] = of_node[c] - of_child[c];
        grow(Node{middle, node.end, out_middle, node.out_end, node.depth + 1, mix(node.seed + 2)});
    }

    // The classes' weights and smoothed shares; the weight of all.
    double weigh(const Node& node) {
        const std::size_t level = node.depth * n_classes();
        const std::int32_t* n_rows = &n_rows_[level];
        double* weights = &class_weights_[level];
        auto total = double(node.end - node.begin);
        for (std::size_t c = 0; c < n_classes(); ++c) weights[c] = n_rows[c];
        if (IsWeighted) {
            total = 0.0;
            std::size_t at = node.begin;
            for (std::size_t c = 0; c < n_classes(); ++c) {
                weights[c] = 0.0;
                for (const std::size_t end = at + std::size_t(n_rows[c]); at < end; ++at) weights[c] += weights_[at];
                total += weights[c];
            }
        }
        const double* parent = &shares_[level];
        double* shares = &shares_[level + n_classes()];
        const double inverse = 1 / (total + settings_.smooth);
        for (std::size_t c = 0; c < n_classes(); ++c) shares[c] = (weights[c] + settings_.smooth * parent[c]) * inverse;
        work_ += std::int64_t(20 + 3 * n_classes());
        return total;
    }

    void vote(const Node& node) {
        const double* shares = &shares_[(node.depth + 1) * n_classes()];
        work_ += std::int64_t((node.out_end - node.out_begin) * (1 + n_votes() / 4));
        if constexpr (Classes == 2) {
            const auto p = float(shares[1]);
            const std::array<float, 2> errors{2 * p * p, 2 * (1 - p) * (1 - p)};
            for (std::size_t at = node.out_begin; at < node.out_end; ++at) {
                float* votes = &votes_[std::size_t(out_[at]) * 2];
                votes[0] += errors[sample_.labels[out_[at]]];
                votes[1] += p;
            }
            return;
        }
        float squares = 1.0F;
        for (std::size_t c = 0; c < n_classes(); ++c) {
            vote_[c] = float(shares[c]);
            squares += vote_[c] * vote_[c];
        }
        for (std::size_t at = node.out_begin; at < node.out_end; ++at) {
            float* votes = &votes_[std::size_t(out_[at]) * (1 + n_classes())];
            *votes++ += squares - 2 * vote_[sample_.labels[out_[at]]];
            for (std::size_t c = 0; c < n_classes(); ++c) votes[c] += vote_[c];
        }
    }

    template <bool IsNarrow>
    void part_in(const Node& node, const ForestSplit& split) {
        split.has_unknown ? part_in<IsNarrow, true>(node, split) : part_in<IsNarrow, false>(node, split);
        work_ += std::int64_t(node.end - node.begin);
    }

    template <bool IsNarrow, bool HasUnknown>
    void part_in(const Node& node, const ForestSplit& rule) {
        const ForestSplit split = rule;
        const std::size_t stride = IsNarrow ? kHalf : records_.stride;
        const std::int32_t* n_by_class = &n_rows_[node.depth * n_classes()];
        std::uint8_t* in = in_.data();
        std::uint8_t* right_in = right_in_.data();
        std::size_t left = node.begin, at = node.begin;
        for (std::size_t c = 0; at < node.end; ++c) {  // without unknown results all at once
            EvenShare share(HasUnknown ? splitter_.unknown_shares()[c] : 0.0, node.seed);
            for (const std::size_t end = HasUnknown ? at + std::size_t(n_by_class[c]) : node.end; at < end; ++at) {
                const std::uint8_t* from = in + at * stride;
                const std::uint8_t code = from[split.lane];
                const bool goes_left = HasUnknown && code == kUnknown ? share.next() : split.is_left(code);
                copy_record<IsNarrow>(from, right_in + (at - left) * stride, stride);
                copy_record<IsNarrow>(from, in + left * stride, stride);
                if (IsWeighted) {
                    right_weights_[at - left] = weights_[at];
                    weights_[left] = weights_[at];
                }
                left += goes_left;
            }
        }
        std::memcpy(in + left * stride, right_in, (node.end - left) * stride);
        if (IsWeighted) std::copy_n(right_weights_.data(), node.end - left, weights_.data() + left);
    }

    // Where the right side begins. Unknown results go to the left by chance, as often as the rows in bag do.
    template <bool HasUnknown>
    std::size_t part_out(const Node& node, const ForestSplit& rule, double share) {
        const ForestSplit split = rule;
        const std::uint32_t step = EvenShare::to_step(share);
        const std::size_t stride = records_.stride;
        const std::uint8_t* codes = records_.codes.data() + split.lane;
        std::int32_t* out = out_.data();
        std::int32_t* right_out = right_out_.data();
        work_ += std::int64_t(node.out_end - node.out_begin);
        std::size_t left = node.out_begin;
        for (std::size_t at = node.out_begin; at < node.out_end; ++at) {
            const std::int32_t row = out[at];
            const std::uint8_t code = codes[std::size_t(row) * stride];
            bool goes_left = split.is_left(code);
            if (HasUnknown && code == kUnknown) {
                goes_left =
                    std::uint32_t(mix(node.seed + std::uint64_t(sample_.order[row]) * kHashStride) >> 32) < step;
            }
            right_out[at - left] = row;
            out[left] = row;
            left += goes_left;
        }
        std::copy_n(right_out, node.out_end - left, out + left);
        return left;
    }

    const ForestSample& sample_;
    const ForestSettings& settings_;
    std::size_t n_classes_;
    Records records_;
    ForestSplitter<Classes, IsWeighted> splitter_;
    std::vector<float> votes_;

    // Of one tree; `right_` is what goes to the right until it is copied there.
    std::vector<std::uint8_t> in_, right_in_;  // and a vector more, which may be read
    std::vector<double> weights_, right_weights_;
    std::vector<std::int32_t> out_, right_out_;
    std::vector<std::int32_t> n_rows_;            // depth × class
    std::vector<double> class_weights_, shares_;  // depth × class
    std::vector<float> vote_;
    std::int64_t work_ = 0;
};

// Calls use(forest) with the one for these rows.
template <typename Use>
void with_forest(const ForestSample& sample, const TestSet& tests, Use use) {
    const bool is_weighted = !sample.weights.empty();
    if (sample.rows.n_classes == 2) {
        is_weighted ? use(Forest<2, true>(sample, tests)) : use(Forest<2, false>(sample, tests));
    } else {
        is_weighted ? use(Forest<0, true>(sample, tests)) : use(Forest<0, false>(sample, tests));
    }
}

void write_prior_losses(const ForestSample& sample, float* losses) {
    double squares = 1.0;
    for (const double share : sample.prior) squares += share * share;
    for (std::size_t i = 0; i < sample.n_rows; ++i) {
        losses[sample.order[i]] = float(squares - 2 * sample.prior[sample.labels[i]]);
    }
}

}  // namespace

const char* find_fault(const ForestSettings& settings) {
    if (settings.n_parts < 2 || settings.n_parts > 255) return "n_parts: expected 2 to 255";
    if (settings.n_trees < 2 * settings.n_parts || settings.n_trees % settings.n_parts != 0) {
        return "n_trees: expected a multiple of n_parts, at least twice as many";
    }
    if (settings.n_trees > 65'536) return "n_trees: expected at most 65536";
    if (!(settings.min_leaf > 0)) return "min_leaf: expected a number above 0";
    if (settings.max_depth < 0 || settings.max_depth > 64) return "max_depth: expected 0 to 64";
    if (!(settings.smooth > 0)) return "smooth: expected a number above 0";
    return nullptr;
}

std::optional<std::vector<float>> forest_losses(const ForestRequest& request, std::span<const TestSet> sets,
                                                int n_threads, Clock& clock) {
    const ForestSample sample(request);
    std::vector<float> losses(sets.size() * request.n_rows);
    share_out(sets.size(), n_threads, clock, [&](std::size_t number, Watch& watch) {
        float* into = losses.data() + number * request.n_rows;
        if (sets[number].empty()) return write_prior_losses(sample, into);
        with_forest(sample, sets[number], [&](auto&& forest) {
            if (forest.grow(watch)) forest.write_losses(into);
        });
    });
    if (clock.is_stopped()) return std::nullopt;
    return losses;
}

std::optional<std::vector<float>> forest_probabilities(const ForestRequest& request, const TestSet& tests,
                                                       Clock& clock) {
    const ForestSample sample(request);
    const std::size_t n_classes = sample.prior.size();
    std::vector<float> probabilities(request.n_rows * n_classes);
    if (tests.empty()) {
        for (std::size_t at = 0; at < probabilities.size(); ++at) {
            probabilities[at] = float(sample.prior[at % n_classes]);
        }
        return probabilities;
    }
    Watch watch(clock);
    with_forest(sample, tests, [&](auto&& forest) {
        if (forest.grow(watch)) forest.write_probabilities(probabilities.data());
    });
    if (clock.is_stopped()) return std::nullopt;
    return probabilities;
}

}  // namespace budgetree
