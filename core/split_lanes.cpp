// Compiled once per kind of processor: see vectors.hpp.
#include "split_lanes.hpp"

#include "leaf.hpp"
#include "vectors.hpp"

namespace budgetree::BUDGETREE_LANES {
namespace {

constexpr int kLevelsAtOnce = 4;  // counters and largest counts of so many outcomes stay in registers
constexpr int kMaxRows = 255;     // that a byte can count
using Wide [[gnu::vector_size(64)]] = std::uint16_t;

[[gnu::always_inline]] inline Wide widen(Bytes bytes) { return __builtin_convertvector(bytes, Wide); }

// The counts of a class in the same vectors that hold the largest: bytes where they suffice.
template <typename Counts>
[[gnu::always_inline]] inline Counts as(Bytes bytes) {
    if constexpr (sizeof(Counts) == sizeof(Bytes)) {
        return bytes;
    } else {
        return widen(bytes);
    }
}

template <typename Counts>
Wide count_levels(const ClassRuns& set, int block, int first_level) {
    const std::uint8_t* rows = set.rows + block * kByteLanes;
    MostCommonClass<Counts> most[kLevelsAtOnce];
    for (int run = 0, at = 0; run < set.n_runs; ++run) {
        Counts in_class[kLevelsAtOnce] = {};
        while (at < set.ends[run]) {
            const int end = at + kMaxRows < set.ends[run] ? at + kMaxRows : set.ends[run];
            Bytes counted[kLevelsAtOnce] = {};
            for (; at < end; ++at) {
                const Bytes shown = load<Bytes>(rows + set.objects[at] * set.n_lanes);
                for (int v = 0; v < kLevelsAtOnce; ++v) counted[v] -= (Bytes)(shown == (std::uint8_t)(first_level + v));
            }
            for (int v = 0; v < kLevelsAtOnce; ++v) in_class[v] += as<Counts>(counted[v]);
        }
        for (int v = 0; v < kLevelsAtOnce; ++v) most[v].add(in_class[v]);
    }
    Wide right = {};
    for (int v = 0; v < kLevelsAtOnce; ++v) {
        if constexpr (sizeof(Counts) == sizeof(Bytes)) {
            right += widen(most[v].right());
        } else {
            right += most[v].right();
        }
    }
    return right;
}

void count_right(const ClassRuns& set, int block, int n_levels, std::uint16_t* right) {
    Wide sum = {};
    for (int level = 0; level < n_levels; level += kLevelsAtOnce) {
        sum += set.fits_bytes ? count_levels<Bytes>(set, block, level) : count_levels<Wide>(set, block, level);
    }
    store(sum, right);
}

}  // namespace

extern const SplitLanes kSplitLanes;
const SplitLanes kSplitLanes{count_right};

}  // namespace budgetree::BUDGETREE_LANES
