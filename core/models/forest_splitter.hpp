// How a tree of a forest chooses a cut: one look at the codes for their range, one at the classes left of the cuts.
//
//     codes of a node    row × lane     class by class: bytes ≤ cut are added up per class, 16 at once
//     left, unknown      class × lane   what was added up
//
// Sums of bytes are whole numbers, so the order in which they are taken does not matter; weights are added row by row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/forest_sample.hpp"

namespace budgetree {

// To the left go the codes from `first` to `first + span`.
struct ForestSplit {
    double gain;
    int lane = -1;  // none found
    std::uint8_t first = 0, span = 0;
    bool has_unknown = false;  // whether some row's result may be unknown

    bool is_left(std::uint8_t code) const { return std::uint8_t(code - first) <= span; }
};

// Sends so many of a sequence of rows to the left, evenly among them: in 2^32nds.
struct EvenShare {
    EvenShare(double share, std::uint64_t hash) : step(to_step(share)), sum(std::uint32_t(hash >> 32)) {}

    static std::uint32_t to_step(double share) { return std::uint32_t(std::min(share * 4294967296.0, 4294967295.0)); }
    bool next() {
        sum += step;
        return sum < step;
    }

    std::uint32_t step, sum;
};

// The rows of a node that its tree learns from.
struct NodeRows {
    const std::uint8_t* codes;
    std::size_t n_rows;
    const std::int32_t* n_by_class;
    const double* weights;  // per row; unused where each counts 1
    const double* class_weights;
    double total;
    std::uint64_t seed;
};

// Classes: 2, or 0 for any number.
template <int Classes, bool IsWeighted>
class ForestSplitter {
public:
    ForestSplitter(const Records& records, std::size_t n_classes, double min_leaf)
        : records_(records), n_classes_(n_classes), min_leaf_(min_leaf), left_(n_classes * kLanes),
          unknown_(n_classes * kLanes), by_code_(256 * n_classes), known_(n_classes), shares_(n_classes),
          ranges_((records.tests.size() + kLanes - 1) / kLanes) {}

    // Of each class, the share of its unknown results that goes to the left of the last cut that had such results.
    const std::vector<double>& unknown_shares() const { return shares_; }

    // The best cut, and how many rows of each class go to its left.
    ForestSplit choose(const NodeRows& node, std::int32_t* n_left) {
        double squares = 0.0;
        for (std::size_t c = 0; c < n_classes(); ++c) squares += node.class_weights[c] * node.class_weights[c];
        uncut_ = squares / node.total;
        ForestSplit best{kLeastGain * uncut_};
        seed_ = node.seed;
        n_tries_ = 0;
        do {
            may_find_ = false;
            records_.is_narrow() ? try_all<true>(node, best) : try_all<false>(node, best);
            seed_ = mix(seed_ + 3);  // the children's are others
        } while (++n_tries_ < kMaxTries && best.lane < 0 && may_find_);
        if (best.lane >= 0) count_rows(node, best, n_left);
        return best;
    }

    // About how many nanoseconds the last call took.
    std::int64_t work(const NodeRows& node) const {
        const std::size_t n_vectors = (records_.stride + kLanes - 1) / kLanes;
        const std::size_t per_row = IsWeighted ? 8 : records_.is_narrow() ? 1 : 2;
        return std::int64_t(n_tries_ * n_vectors * (node.n_rows * per_row + 60 + 6 * n_classes()));
    }

private:
    static constexpr std::size_t kMaxAdds = 127;  // of a byte whose two halves are added
    static constexpr double kLeastGain = 1e-6;    // of the uncut node's sum: less is rounding
    static constexpr std::size_t kMaxTries = 6;
    static constexpr double kPriorRows = 20.0;  // of each class, that go as all rows of known result do

    using Bytes [[gnu::vector_size(kLanes)]] = std::uint8_t;
    using ByteArray = std::array<std::uint8_t, kLanes>;
    using PerLane = std::array<double, kLanes>;

    static constexpr Bytes kFirstHalf{255, 255, 255, 255, 255, 255, 255, 255};

    // Per lane the least and the largest known code between which a cut may leave enough rows on either side.
    struct Range {
        ByteArray low, high;

        bool is_single(std::size_t lane) const { return low[lane] >= high[lane]; }
        std::uint32_t width(std::size_t lane) const { return std::uint32_t(high[lane] - low[lane]); }
    };

    static Bytes load(const std::uint8_t* from) {
        Bytes loaded;
        std::memcpy(&loaded, from, kLanes);
        return loaded;
    }

    std::size_t n_classes() const { return Classes > 0 ? Classes : n_classes_; }

    template <bool IsNarrow>
    void try_all(const NodeRows& node, ForestSplit& best) {
        for (std::size_t first = 0; first < records_.tests.size(); first += kLanes) {
            records_.has_unknown ? try_lanes<IsNarrow, true>(node, first, best)
                                 : try_lanes<IsNarrow, false>(node, first, best);
        }
    }

    // The tests of one vector.
    template <bool IsNarrow, bool HasUnknown>
    void try_lanes(const NodeRows& node, std::size_t first, ForestSplit& best) {
        Range& range = ranges_[first / kLanes];
        if (n_tries_ == 0) range = find_range<IsNarrow>(node, first);
        const std::size_t n_lanes = std::min(IsNarrow ? kHalf : kLanes, records_.tests.size() - first);
        ByteArray cuts{};
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            if (range.is_single(lane)) continue;
            const std::uint64_t hash = mix(seed_ + std::uint64_t(records_.tests[first + lane] + 1) * kHashStride);
            // Of two codes it does not matter which is the one against the other.
            const bool is_drawn = range.width(lane) > 1 && records_.is_ordered[first + lane];
            cuts[lane] = std::uint8_t(range.low[lane] + (is_drawn ? draw(hash, range.width(lane)) : 0));
        }
        if (IsNarrow) std::copy_n(cuts.begin(), kHalf, cuts.begin() + kHalf);
        count<IsNarrow, HasUnknown>(node, first, cuts);
        PerLane left, right, gains;
        if (n_lanes <= 2) {
            find_gains<2, HasUnknown>(node, left, right, gains);
        } else if (n_lanes <= 4) {
            find_gains<4, HasUnknown>(node, left, right, gains);
        } else {
            find_gains<IsNarrow ? kHalf : kLanes, HasUnknown>(node, left, right, gains);
        }
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            if (range.is_single(lane)) continue;
            if (range.width(lane) > 1 && !records_.is_ordered[first + lane]) {
                try_codes(node, first + lane, range.low[lane], range.high[lane], best);
                range.high[lane] = range.low[lane];
            } else if (left[lane] >= min_leaf_ && right[lane] >= min_leaf_) {
                offer(gains[lane], first + lane, cuts[lane], best);
            } else if (left[lane] < min_leaf_) {  // where rare codes are at an end, most cuts leave too few rows there
                range.low[lane] = std::uint8_t(cuts[lane] + 1);
            } else {
                range.high[lane] = cuts[lane];
            }
            may_find_ |= !range.is_single(lane);
        }
    }

    template <bool IsNarrow>
    Range find_range(const NodeRows& node, std::size_t first) const {
        const Bytes bump = load(&records_.unknown[first]);  // unknown codes become 0, all others one more
        Bytes low = Bytes{} + 255, high{};
        const auto widen = [&](Bytes codes) {
            low = codes < low ? codes : low;
            const Bytes raised = codes + bump;
            high = raised > high ? raised : high;
        };
        const std::size_t n_vectors = IsNarrow ? node.n_rows / 2 : node.n_rows,
                          step = IsNarrow ? kLanes : records_.stride;
        const std::uint8_t* at = node.codes + first;
        for (std::size_t i = 0; i < n_vectors; ++i, at += step) widen(load(at));
        if (IsNarrow && node.n_rows % 2 == 1) {  // the last record twice
            ByteArray codes;
            std::memcpy(codes.data(), at, kHalf);
            std::memcpy(codes.data() + kHalf, at, kHalf);
            widen(load(codes.data()));
        }
        Range range;
        std::memcpy(range.low.data(), &low, kLanes);
        std::memcpy(range.high.data(), &high, kLanes);
        if (IsNarrow) {
            for (std::size_t lane = 0; lane < kHalf; ++lane) {
                range.low[lane] = std::min(range.low[lane], range.low[lane + kHalf]);
                range.high[lane] = std::max(range.high[lane], range.high[lane + kHalf]);
            }
        }
        // Where all are unknown, the largest stays 0 and the least 255.
        for (std::size_t lane = 0; lane < kLanes; ++lane) range.high[lane] -= std::min(range.high[lane], bump[lane]);
        return range;
    }

    // Class × lane: the weight up to the cut, and that of unknown results.
    template <bool IsNarrow, bool HasUnknown>
    void count(const NodeRows& node, std::size_t first, const ByteArray& cuts) {
        const std::uint8_t* at = node.codes + first;
        const double* weights = node.weights;
        for (std::size_t c = 0; c < n_classes(); ++c) {
            const auto n = std::size_t(node.n_by_class[c]);
            if (n == 0) continue;
            if constexpr (IsWeighted) {
                add_weights<IsNarrow ? kHalf : kLanes, HasUnknown>(at, weights, n, first, c, cuts);
                weights += n;
            } else {
                add_bytes<IsNarrow, HasUnknown>(at, n, first, c, load(cuts.data()));
            }
            at += n * records_.stride;
        }
    }

    template <std::size_t NLanes, bool HasUnknown>
    void add_weights(const std::uint8_t* at, const double* weights, std::size_t n, std::size_t first, std::size_t label,
                     const ByteArray& cuts) {
        std::array<double, NLanes> left{}, unknown{};
        for (std::size_t i = 0; i < n; ++i, at += records_.stride) {
            for (std::size_t lane = 0; lane < NLanes; ++lane) {
                left[lane] += at[lane] <= cuts[lane] ? weights[i] : 0.0;
                if (!HasUnknown) continue;
                unknown[lane] += records_.unknown[first + lane] != 0 && at[lane] == kUnknown ? weights[i] : 0.0;
            }
        }
        std::ranges::copy(left, &left_[label * kLanes]);
        if (HasUnknown) std::ranges::copy(unknown, &unknown_[label * kLanes]);
    }

    template <bool IsNarrow, bool HasUnknown>
    void add_bytes(const std::uint8_t* at, std::size_t n, std::size_t first, std::size_t label, Bytes cuts) {
        const Bytes may_be_unknown = load(&records_.unknown[first]) * kUnknown;
        const std::size_t step = IsNarrow ? kLanes : records_.stride;
        for (bool is_first = true; n > 0; is_first = false) {
            const std::size_t now = std::min(n, kMaxAdds * (IsNarrow ? 2 : 1));
            n -= now;
            Bytes left{}, unknown{};
            for (std::size_t i = IsNarrow ? now / 2 : now; i > 0; --i, at += step) {
                const Bytes codes = load(at);
                left -= Bytes(codes <= cuts);
                if (HasUnknown) unknown -= Bytes(codes == kUnknown);
            }
            if (IsNarrow) {  // a last record by itself, without a branch: classes of a few rows are the rule
                const Bytes codes = load(at), is_counted = now % 2 == 1 ? kFirstHalf : Bytes{};
                left -= Bytes(codes <= cuts) & is_counted;
                if (HasUnknown) unknown -= Bytes(codes == kUnknown) & is_counted;
            }
            add_up<IsNarrow>(left, is_first, &left_[label * kLanes]);
            if (HasUnknown) add_up<IsNarrow>(unknown & may_be_unknown, is_first, &unknown_[label * kLanes]);
        }
    }

    // Adds what the lanes have counted, or begins with it; of two records in a vector, both halves.
    template <bool IsNarrow>
    static void add_up(Bytes counted, bool is_first, double* sums) {
        constexpr std::size_t kWidth = IsNarrow ? kHalf : kLanes;
        ByteArray counts;
        std::memcpy(counts.data(), &counted, kLanes);
        std::array<double, kWidth> more;
        for (std::size_t lane = 0; lane < kWidth; ++lane) {
            more[lane] = IsNarrow ? counts[lane] + counts[lane + kHalf] : counts[lane];
        }
        for (std::size_t lane = 0; lane < kWidth; ++lane) sums[lane] = is_first ? more[lane] : sums[lane] + more[lane];
    }

    // What the classes' squares, summed over each side and divided by its weight, win; among the known results.
    template <std::size_t NLanes, bool HasUnknown>
    void find_gains(const NodeRows& node, PerLane& left, PerLane& right, PerLane& gains) const {
        std::array<double, NLanes> n_left{}, left_squares{}, right_squares{}, all{}, squares{};
        for (std::size_t c = 0; c < n_classes(); ++c) {
            if (node.n_by_class[c] == 0) continue;
            const double* of_class = &left_[c * kLanes];
            for (std::size_t lane = 0; lane < NLanes; ++lane) {
                const double known = node.class_weights[c] - (HasUnknown ? unknown_[c * kLanes + lane] : 0.0);
                const double other = known - of_class[lane];
                n_left[lane] += of_class[lane];
                left_squares[lane] += of_class[lane] * of_class[lane];
                right_squares[lane] += other * other;
                if (HasUnknown) all[lane] += known;
                if (HasUnknown) squares[lane] += known * known;
            }
        }
        for (std::size_t lane = 0; lane < NLanes; ++lane) {
            const double n_right = (HasUnknown ? all[lane] : node.total) - n_left[lane];
            const double uncut = HasUnknown ? squares[lane] / all[lane] : uncut_;
            left[lane] = n_left[lane];
            right[lane] = n_right;
            gains[lane] = left_squares[lane] / n_left[lane] + right_squares[lane] / n_right - uncut;
        }
    }

    // A nominal test: each code against all others.
    void try_codes(const NodeRows& node, std::size_t lane, std::size_t low, std::size_t high, ForestSplit& best) {
        std::fill_n(by_code_.begin(), (high - low + 1) * n_classes(), 0.0);
        std::ranges::fill(known_, 0.0);
        std::array<double, 256> of_code{};
        std::size_t i = 0;
        for (std::size_t c = 0; c < n_classes(); ++c) {
            for (const std::size_t end = i + std::size_t(node.n_by_class[c]); i < end; ++i) {
                const std::size_t code = node.codes[i * records_.stride + lane];
                if (code > high) continue;  // unknown
                const double weight = IsWeighted ? node.weights[i] : 1.0;
                by_code_[(code - low) * n_classes() + c] += weight;
                of_code[code] += weight;
                known_[c] += weight;
            }
        }
        double all = 0.0, squares = 0.0;
        for (std::size_t c = 0; c < n_classes(); ++c) {
            all += known_[c];
            squares += known_[c] * known_[c];
        }
        for (std::size_t code = low; code <= high; ++code) {
            const double left = of_code[code], right = all - left;
            if (left < min_leaf_ || right < min_leaf_) continue;
            double left_squares = 0.0, right_squares = 0.0;
            for (std::size_t c = 0; c < n_classes(); ++c) {
                const double of_class = by_code_[(code - low) * n_classes() + c], other = known_[c] - of_class;
                left_squares += of_class * of_class;
                right_squares += other * other;
            }
            const double gain = left_squares / left + right_squares / right - squares / all;
            offer(gain, lane, std::uint8_t(code), best);
        }
    }

    void offer(double gain, std::size_t lane, std::uint8_t cut, ForestSplit& best) const {
        if (!(gain > best.gain)) return;
        const bool is_ordered = records_.is_ordered[lane];
        best = {gain, int(lane), is_ordered ? std::uint8_t(0) : cut, is_ordered ? cut : std::uint8_t(0),
                records_.unknown[lane] != 0};
    }

    void count_rows(const NodeRows& node, const ForestSplit& split, std::int32_t* n_left) {
        const auto lane = std::size_t(split.lane);
        if (!IsWeighted && !records_.has_unknown && records_.stride <= kLanes && records_.is_ordered[lane]) {
            for (std::size_t c = 0; c < n_classes(); ++c) {  // they are counted already
                n_left[c] = node.n_by_class[c] == 0 ? 0 : std::int32_t(left_[c * kLanes + lane]);
            }
            return;
        }
        const std::uint8_t* at = node.codes + lane;
        for (std::size_t c = 0; c < n_classes(); ++c) {
            std::int32_t n = 0;
            for (std::int32_t i = 0; i < node.n_by_class[c]; ++i, at += records_.stride) n += split.is_left(*at);
            n_left[c] = n;
        }
        if (split.has_unknown) count_unknown(node, split, n_left);
    }

    // The rows of a class whose result is unknown go to both sides as its known ones do, and as some more that go as
    // all known ones: that they are unknown tells no side from the other, nor does it make these less different.
    // Without the latter, a class with few known results would be rare on one side by chance and look like evidence.
    void count_unknown(const NodeRows& node, const ForestSplit& split, std::int32_t* n_left) {
        const std::uint8_t* at = node.codes + split.lane;
        n_unknown_.assign(n_classes(), 0);
        double all_known = 0.0, all_left = 0.0;
        for (std::size_t c = 0; c < n_classes(); ++c) {
            for (std::int32_t i = 0; i < node.n_by_class[c]; ++i, at += records_.stride) {
                n_unknown_[c] += *at == kUnknown;
            }
            all_known += node.n_by_class[c] - n_unknown_[c];
            all_left += n_left[c];
        }
        for (std::size_t c = 0; c < n_classes(); ++c) {
            const double n_known = node.n_by_class[c] - n_unknown_[c];
            shares_[c] = (n_left[c] + kPriorRows * (all_left / all_known)) / (n_known + kPriorRows);
            EvenShare share(shares_[c], node.seed);
            for (std::int32_t i = 0; i < n_unknown_[c]; ++i) n_left[c] += share.next();
        }
    }

    const Records& records_;
    std::size_t n_classes_;
    double min_leaf_;
    std::uint64_t seed_ = 0;  // of the cuts that are drawn
    std::size_t n_tries_ = 0;
    bool may_find_ = false;                // whether another try may
    double uncut_ = 0.0;                   // Σ class weight² over the node's weight
    std::vector<double> left_, unknown_;   // class × lane
    std::vector<double> by_code_, known_;  // code × class, per class: a nominal test's
    std::vector<double> shares_;           // per class
    std::vector<Range> ranges_;            // per vector of tests
    std::vector<std::int32_t> n_unknown_;  // per class; scratch
};

}  // namespace budgetree
