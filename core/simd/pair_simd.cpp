// Compiled once per kind of processor: see vectors.hpp.
#include "simd/pair_simd.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "cost/leaf.hpp"
#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

constexpr int kBlock = 8;       // cases
constexpr int kMaxBlocks = 31;  // of which a byte can still count the ones

[[gnu::always_inline]] inline Bytes ones_in(Bytes x) {
#if defined(__AVX2__)
    const __m256i in_half = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = (__m256i)(x & 15), high = (__m256i)(x >> 4);
    return (Bytes)_mm256_shuffle_epi8(in_half, low) + (Bytes)_mm256_shuffle_epi8(in_half, high);
#elif defined(__aarch64__)
    Bytes counted;
    for (int half = 0; half < kByteLanes; half += 16) {
        std::uint8_t bytes[16];
        std::memcpy(bytes, reinterpret_cast<const char*>(&x) + half, sizeof bytes);
        vst1q_u8(bytes, vcntq_u8(vld1q_u8(bytes)));
        std::memcpy(reinterpret_cast<char*>(&counted) + half, bytes, sizeof bytes);
    }
    return counted;
#else
    x -= x >> 1 & 0x55;
    x = (x & 0x33) + (x >> 2 & 0x33);
    return (x + (x >> 4)) & 15;
#endif
}

using Wide [[gnu::vector_size(64)]] = Count;

// `Vectors` neighbouring vectors of lanes at once, so that each row is read once for all of them.
template <int Vectors>
void count_vectors(const BitBlocks& blocks, int test, int lane, Count* out) {
    const std::uint8_t* row = blocks.bytes;
    int done = 0;
    do {
        const bool is_first = done == 0;
        const int end = done + kMaxBlocks < blocks.n_blocks ? done + kMaxBlocks : blocks.n_blocks;
        Bytes counted[Vectors] = {};
        for (; done < end; ++done, row += blocks.n_lanes) {
            const Bytes shown = row[test] - Bytes{};
            for (int v = 0; v < Vectors; ++v) counted[v] += ones_in(shown & load<Bytes>(row + lane + v * kByteLanes));
        }
        for (int v = 0; v < Vectors; ++v) {
            Wide sum = __builtin_convertvector(counted[v], Wide);
            if (!is_first) sum += load<Wide>(out + v * kByteLanes);
            store(sum, out + v * kByteLanes);
        }
    } while (done < blocks.n_blocks);
}

void count(const BitBlocks& blocks, int test, int first, Count* out) {
    const int n_lanes = int(blocks.n_lanes);
    int lane = first;
    for (; n_lanes - lane >= 3 * kByteLanes; lane += 3 * kByteLanes) count_vectors<3>(blocks, test, lane, out + lane);
    if (n_lanes - lane == 2 * kByteLanes) count_vectors<2>(blocks, test, lane, out + lane);
    if (n_lanes - lane == kByteLanes) count_vectors<1>(blocks, test, lane, out + lane);
}

void pack(const RowsToPack& cases, std::uint8_t* into) {
    for (int first = 0; first < cases.n_objects; first += kBlock, into += cases.n_lanes) {
        const int n_here = cases.n_objects - first < kBlock ? cases.n_objects - first : kBlock;
        for (std::size_t lane = 0; lane < cases.n_lanes; lane += kByteLanes) {
            Bytes shown = {};
            for (int i = 0; i < n_here; ++i) {  // one bit to the left, and the new one
                shown += shown + load<Bytes>(cases.rows + cases.objects[first + i] * cases.n_lanes + lane);
            }
            store(shown, into + lane);
        }
    }
}

// What a pair of tests gets right, for many second tests at once: the four cells, class by class, and their sums.
template <typename Vector>
struct Cells {
    MostCommonClass<Vector> one_one, one_zero, zero_one, zero_zero;  // outcomes of the test, of the lane

    template <typename Element>
    [[gnu::always_inline]] void add(Vector both, Element test_ones, Vector lane_ones, Element total) {
        const Vector test_only = test_ones - both, lane_only = lane_ones - both;
        one_one.add(both);
        one_zero.add(test_only);
        zero_one.add(lane_only);
        zero_zero.add(total - (both + test_only) - lane_only);
    }

    [[gnu::always_inline]] Vector after_one() const { return one_one.right() + one_zero.right(); }
    [[gnu::always_inline]] Vector after_zero() const { return zero_one.right() + zero_zero.right(); }
    [[gnu::always_inline]] Vector before_one() const { return one_one.right() + zero_one.right(); }
    [[gnu::always_inline]] Vector before_zero() const { return one_zero.right() + zero_zero.right(); }
};

// All lanes of a mask or none, for as many tests as the vector has lanes.
template <typename Vector>
[[gnu::always_inline]] inline Vector mask_at(const Count* mask) {
    if constexpr (sizeof(Vector) / sizeof(Vector{}[0]) == kWordLanes) {
        return load<Words>(mask);
    } else {
        return __builtin_convertvector(load<Wide>(mask), Bytes);
    }
}

// The best so far of one test, and of the lanes, raised by a vector of pairs.
template <typename Vector, bool Masked, typename Best>
[[gnu::always_inline]] inline void raise_best(const Cells<Vector>& cells, const PairMasks& masks, int lane,
                                              const Best& best, Vector (&of_test)[2]) {
    Vector right[4] = {cells.after_one(), cells.after_zero(), cells.before_one(), cells.before_zero()};
    if constexpr (Masked) {
        right[0] &= mask_at<Vector>(masks.after_one + lane);
        right[1] &= mask_at<Vector>(masks.after_zero + lane);
        right[2] &= mask_at<Vector>(masks.before_one + lane);
        right[3] &= mask_at<Vector>(masks.before_zero + lane);
    }
    of_test[0] = larger(of_test[0], right[0]);
    of_test[1] = larger(of_test[1], right[1]);
    raise(best.one + lane, right[2]);
    raise(best.zero + lane, right[3]);
}

// With the number of classes known, all cells of a pair stay in registers; 0 stands for any number.
template <int Classes, bool Masked>
void score_lanes(const Ones& set, const PairRow& row, const PairMasks& masks, const Following& best) {
    const int n_classes = Classes > 0 ? Classes : set.n_classes, test = row.test;
    Words of_test[2] = {};
    for (int lane = test / kByteLanes * kByteLanes; lane < set.n_lanes; lane += kWordLanes) {
        Cells<Words> cells;
        for (int c = 0; c < n_classes; ++c) {
            const Count* ones = set.ones.of(c);
            const Words both = load<Words>(row.both.of(c) + lane) - load<Words>(row.less.of(c) + lane);
            cells.add(both, ones[test], load<Words>(ones + lane), set.totals[c]);
        }
        raise_best<Words, Masked>(cells, masks, lane, best, of_test);
    }
    raise_one(best.one[test], of_test[0]);
    raise_one(best.zero[test], of_test[1]);
}

template <bool Masked>
void score_small_lanes(const SmallSet& set, int test, const PairMasks& masks, const SmallFollowing& best) {
    Bytes of_test[2] = {};
    for (int lane = test / kByteLanes * kByteLanes; lane < set.n_lanes; lane += kByteLanes) {
        Cells<Bytes> cells;
        for (int c = 0; c < set.n_classes; ++c) {
            const std::uint8_t* row = set.bits + std::size_t(set.class_begins[c]) * set.n_lanes;
            Bytes both = {};
            for (int block = set.class_begins[c]; block < set.class_begins[c + 1]; ++block, row += set.n_lanes) {
                both += ones_in((row[test] - Bytes{}) & load<Bytes>(row + lane));
            }
            const std::uint8_t* ones = set.ones + std::size_t(c) * set.n_lanes;
            cells.add(both, ones[test], load<Bytes>(ones + lane), set.totals[c]);
        }
        raise_best<Bytes, Masked>(cells, masks, lane, best, of_test);
    }
    raise_one(best.one[test], of_test[0]);
    raise_one(best.zero[test], of_test[1]);
}

// Answers whose gains fill the registers one after another; any number is taken in portions of it.
constexpr int kAnswersAtOnce = 4;

void project(const GainTable& table, const Projection& projection) {
    for (int lane = projection.first; lane < projection.n_lanes; lane += kWordLanes) {
        for (int answer = 0; answer < table.n_answers; ++answer) {
            const Count* gains = table.gains + answer * table.n_classes;
            Words sum = {};
            for (int c = 0; c < table.n_classes; ++c) sum += load<Words>(projection.from.of(c) + lane) * gains[c];
            store(sum, projection.to + answer * projection.to_step + lane);
        }
    }
}

// Four answers at a time, counting the set again for each four.
template <bool Masked>
void score_small_gains_lanes(const SmallSet& set, const SmallGains& gains, const PairMasks& masks,
                             const Following& best) {
    const int test = gains.test, n_answers = gains.table.n_answers;
    Words of_test[2] = {};
    for (int lane = test / kByteLanes * kByteLanes; lane < set.n_lanes; lane += kByteLanes) {
        Cells<Words> cells[2];
        for (int first = 0; first < n_answers; first += kAnswersAtOnce) {
            const int n_here = n_answers - first < kAnswersAtOnce ? n_answers - first : kAnswersAtOnce;
            Words both[2][kAnswersAtOnce] = {};
            for (int c = 0; c < set.n_classes; ++c) {
                if (set.class_begins[c] == set.class_begins[c + 1]) continue;
                const std::uint8_t* row = set.bits + std::size_t(set.class_begins[c]) * set.n_lanes;
                Bytes counted = {};
                for (int block = set.class_begins[c]; block < set.class_begins[c + 1]; ++block, row += set.n_lanes) {
                    counted += ones_in((row[test] - Bytes{}) & load<Bytes>(row + lane));
                }
                Count wide[kByteLanes];
                store(__builtin_convertvector(counted, Wide), wide);
                for (int half = 0; half < 2; ++half) {
                    const Words in_class = load<Words>(wide + half * kWordLanes);
                    for (int i = 0; i < n_here; ++i) {
                        both[half][i] += in_class * gains.table.gains[(first + i) * gains.table.n_classes + c];
                    }
                }
            }
            for (int i = 0; i < n_here; ++i) {
                const Count* ones = gains.ones.ones.of(first + i);
                for (int half = 0; half < 2; ++half) {
                    const Words of_lane = load<Words>(ones + lane + half * kWordLanes);
                    cells[half].add(both[half][i], ones[test], of_lane, gains.ones.totals[first + i]);
                }
            }
        }
        for (int half = 0; half < 2; ++half) {
            raise_best<Words, Masked>(cells[half], masks, lane + half * kWordLanes, best, of_test);
        }
    }
    raise_one(best.one[test], of_test[0]);
    raise_one(best.zero[test], of_test[1]);
}

void score_small_gains(const SmallSet& set, const SmallGains& gains, const PairMasks& masks, const Following& best) {
    masks.after_one == nullptr ? score_small_gains_lanes<false>(set, gains, masks, best)
                               : score_small_gains_lanes<true>(set, gains, masks, best);
}

void score_small(const SmallSet& set, int test, const PairMasks& masks, const SmallFollowing& best) {
    masks.after_one == nullptr ? score_small_lanes<false>(set, test, masks, best)
                               : score_small_lanes<true>(set, test, masks, best);
}

void score(const Ones& set, const PairRow& row, const PairMasks& masks, const Following& best) {
    const bool is_masked = masks.after_one != nullptr;
    if (set.n_classes == 2)
        return is_masked ? score_lanes<2, true>(set, row, masks, best) : score_lanes<2, false>(set, row, masks, best);
    if (set.n_classes == 3)
        return is_masked ? score_lanes<3, true>(set, row, masks, best) : score_lanes<3, false>(set, row, masks, best);
    is_masked ? score_lanes<0, true>(set, row, masks, best) : score_lanes<0, false>(set, row, masks, best);
}

}  // namespace

extern const PairKernels kPairKernels;
const PairKernels kPairKernels{pack, count, score, score_small, project, score_small_gains};

}  // namespace budgetree::BUDGETREE_SIMD
