// Pairs of binary tests: how many cases of a class show a one in both, and what two tests get right. Eight cases are
// one byte, 32 tests one vector.
//
//     PackedBits    block × lane       a byte per eight cases of one class and test; bit i is what case i shows
//     counts        class × lane       16 bits each
//
//     byte of test s   ──AND──►  bytes of 32 neighbouring tests  ──ones in each──►  32 byte counters
//
// After 31 blocks a byte may be full, and the counters are widened to 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/processor.hpp"

namespace budgetree {

using Count = std::uint16_t;

// Blocks of one class: `n_blocks` rows of `n_lanes` bytes.
struct BitBlocks {
    const std::uint8_t* bytes;
    std::size_t n_lanes;
    int n_blocks;
};

// The rows to pack: case numbers and the table's rows.
struct RowsToPack {
    const std::uint8_t* rows;
    std::size_t n_lanes;
    const std::int32_t* objects;
    int n_objects;
};

// Counts per class and lane, `step` apart from class to class.
struct ClassCounts {
    const Count* counts;
    std::size_t step;

    const Count* of(int c) const { return counts + c * step; }
};

// What each class gains with each answer, for losses: see leaf_policy.hpp.
struct GainTable {
    const Count* gains;  // answer × class
    int n_classes, n_answers;
};

// Counts of lanes from `first` on, by class; the same projected to gains, by answer.
struct Projection {
    ClassCounts from;
    Count* to;
    std::size_t to_step;
    int first, n_lanes;
};

// Ones per test of a set, by class, and how many cases each class has. With losses answers take the place of classes,
// and what they gain that of cases.
struct Ones {
    ClassCounts ones;
    const Count* totals;
    int n_classes, n_lanes;
};

// Which tests may follow which, one row per kind: all bits or none per lane; null where everything is allowed.
//   the lane after the test's one, after its zero; the test after the lane's one, after its zero
struct PairMasks {
    const Count* after_one;
    const Count* after_zero;
    const Count* before_one;
    const Count* before_zero;
};

// For one test and all lanes from its own vector on: how many cases of each class show a one in both, as a difference.
struct PairRow {
    int test;
    ClassCounts both, less;  // what is in common is both − less
};

// The most that is right of the cases with each outcome of each test when the best second test follows.
struct Following {
    Count* one;
    Count* zero;
};

// A set so small that bytes can count it, packed: then counting and scoring are one step, 32 tests at a time.
struct SmallSet {
    const std::uint8_t* bits;    // blocks of all classes, one after the other
    const int* class_begins;     // in blocks; one more than there are classes
    const std::uint8_t* ones;    // class × lane
    const std::uint8_t* totals;  // per class
    int n_classes, n_lanes;
};

struct SmallGains {
    int test;
    GainTable table;
    Ones ones;
};

struct SmallFollowing {
    std::uint8_t* one;
    std::uint8_t* zero;
};

inline constexpr int kSmallSet = 255;  // cases

struct PairKernels {
    // Packs cases of one class, eight to a block.
    void (*pack)(const RowsToPack& cases, std::uint8_t* into);
    // out[lane]: cases with a one in `test` and in the lane, for the lanes from `first` on.
    void (*count)(const BitBlocks& blocks, int test, int first, Count* out);
    // Raises `best` by all pairs of the row's test with a lane.
    void (*score)(const Ones& set, const PairRow& row, const PairMasks& masks, const Following& best);
    // The same for a small set, counted on the way.
    void (*score_small)(const SmallSet& set, int test, const PairMasks& masks, const SmallFollowing& best);
    // Counts by class to gains by answer.
    void (*project)(const GainTable& gains, const Projection& projection);
    // A small set with losses: its cases counted in bytes, their gains in 16 bits, as `ones` has them by answer.
    void (*score_small_gains)(const SmallSet& set, const SmallGains& gains, const PairMasks& masks,
                              const Following& best);
};

const PairKernels& pair_kernels();

}  // namespace budgetree
