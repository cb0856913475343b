// Compiled once per kind of processor: see vectors.hpp.
#include "simd/split_simd.hpp"

#include "cost/leaf.hpp"
#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

constexpr int kMaxRows = 255;  // that a byte can count
using Wide [[gnu::vector_size(64)]] = std::uint16_t;
using Widest [[gnu::vector_size(128)]] = std::uint32_t;

[[gnu::always_inline]] inline Wide widen(Bytes bytes) {
    return __builtin_convertvector(bytes, Wide);
}

// The counts of a class in the same vectors that hold the largest: bytes where they suffice.
template <typename Counts>
[[gnu::always_inline]] inline Counts as(Bytes bytes) {
    if constexpr (sizeof(Counts) == sizeof(Bytes)) {
        return bytes;
    } else {
        return widen(bytes);
    }
}

// Calls use(counts of four levels) for one class after another.
template <typename Counts, typename Use>
[[gnu::always_inline]] inline void count_classes(const ClassRuns& set, int block, int first_level, Use use) {
    const std::uint8_t* rows = set.rows + block * kByteLanes;
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
        use(in_class);
    }
}

template <typename Counts>
Wide count_levels(const ClassRuns& set, int block, int first_level) {
    MostCommonClass<Counts> most[kLevelsAtOnce];
    count_classes<Counts>(set, block, first_level, [&](const Counts* in_class) {
        for (int v = 0; v < kLevelsAtOnce; ++v) most[v].add(in_class[v]);
    });
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

Wide gains_of_levels(const RunGains& set, int block, int first_level) {
    Wide usual[kLevelsAtOnce] = {}, more[kLevelsAtOnce][kMaxAnswers];
    MostCommonClass<Wide> own[kLevelsAtOnce];
    for (int place = 0; place < set.n_places; ++place) {
        for (auto& of_level : more) of_level[place] = Wide{};
    }
    int run = 0, next = 0;
    count_classes<Wide>(set.runs, block, first_level, [&](const Wide* in_class) {
        if (set.usual[run] > 0) {
            for (int v = 0; v < kLevelsAtOnce; ++v) usual[v] += in_class[v] * set.usual[run];
        }
        for (int v = 0; v < kLevelsAtOnce; ++v) own[v].add(in_class[v] * set.own[run]);
        for (; next < set.ends[run]; ++next) {
            const RunGains::More& entry = set.more[next];
            for (int v = 0; v < kLevelsAtOnce; ++v) more[v][entry.place] += in_class[v] * entry.gain;
        }
        ++run;
    });
    Wide right = {};
    for (int v = 0; v < kLevelsAtOnce; ++v) {
        MostCommonClass<Wide> most;
        if (set.has_usual) most.add(usual[v] + own[v].right());
        for (int place = 0; place < set.n_places; ++place) most.add(usual[v] + more[v][place]);
        right += most.right();
    }
    return right;
}

void count_gains(const RunGains& set, int block, int n_levels, std::uint16_t* right) {
    Wide sum = {};
    for (int level = 0; level < n_levels; level += kLevelsAtOnce) sum += gains_of_levels(set, block, level);
    store(sum, right);
}

// In a class a count fits into Counts, and the sum of all classes' squares into Squares.
template <typename Counts, typename Squares>
void count_pairs_of_levels(const ClassRuns& set, int block, int level, const LevelCounts& counts) {
    Squares totals[kLevelsAtOnce] = {}, squares[kLevelsAtOnce] = {};
    count_classes<Counts>(set, block, level, [&](const Counts* in_class) {
        for (int v = 0; v < kLevelsAtOnce; ++v) {
            const Squares count = __builtin_convertvector(in_class[v], Squares);
            totals[v] += count;
            squares[v] += count * count;
        }
    });
    for (int v = 0; v < kLevelsAtOnce; ++v) {
        store(__builtin_convertvector(totals[v], Widest), counts.totals + (level + v) * kByteLanes);
        store(__builtin_convertvector(squares[v], Widest), counts.squares + (level + v) * kByteLanes);
    }
}

void count_pairs(const ClassRuns& set, int block, int n_levels, const LevelCounts& counts) {
    const bool is_small = set.n_runs > 0 && set.ends[set.n_runs - 1] <= 255;  // 255² fits into 16 bits
    for (int level = 0; level < n_levels; level += kLevelsAtOnce) {
        is_small ? count_pairs_of_levels<Bytes, Wide>(set, block, level, counts)
                 : count_pairs_of_levels<Wide, Widest>(set, block, level, counts);
    }
}

}  // namespace

extern const SplitKernels kSplitKernels;
const SplitKernels kSplitKernels{count_right, count_gains, count_pairs};

}  // namespace budgetree::BUDGETREE_SIMD
