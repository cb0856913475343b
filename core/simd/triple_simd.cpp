// Compiled once per kind of processor: see vectors.hpp.
#include "simd/triple_simd.hpp"

#include "cost/leaf.hpp"
#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

// What is the same for all lanes, of one class: cases by their outcomes of the two tests, and where the lanes' counts
// are.
struct Fixed {
    Words both, first_only, second_only, neither;
    const Count *all, *first_pairs, *second_pairs, *ones;
};

Fixed fixed_of(const Ones& set, const TripleRow& row, int c) {
    const Count* ones = set.ones.of(c);
    const Count* first_pairs = row.first_pairs.of(c);
    const Count both = first_pairs[row.second], first = ones[row.first], second_only = ones[row.second] - both;
    return {.both = both - Words{},
            .first_only = Count(first - both) - Words{},
            .second_only = second_only - Words{},
            .neither = Count(set.totals[c] - first - second_only) - Words{},
            .all = row.all.of(c),
            .first_pairs = first_pairs,
            .second_pairs = row.second_pairs.of(c),
            .ones = ones};
}

// What three tests get right: the eight cells, class by class, by the outcomes of first, second and lane, ones first.
struct Cells {
    MostCommonClass<Words> cells[8];

    [[gnu::always_inline]] void add(const Fixed& fixed, int lane) {
        const Words all = load<Words>(fixed.all + lane), with_first = load<Words>(fixed.first_pairs + lane);
        const Words first_third = with_first - all, second_third = load<Words>(fixed.second_pairs + lane) - all;
        const Words third_only = load<Words>(fixed.ones + lane) - with_first - second_third;
        cells[0].add(all);
        cells[1].add(fixed.both - all);
        cells[2].add(first_third);
        cells[3].add(fixed.first_only - first_third);
        cells[4].add(second_third);
        cells[5].add(fixed.second_only - second_third);
        cells[6].add(third_only);
        cells[7].add(fixed.neither - third_only);
    }

    [[gnu::always_inline]] Words right(int one, int other) const { return cells[one].right() + cells[other].right(); }
};

// With the number of classes known, all cells stay in registers; 0 stands for any number.
template <int Classes>
void score_lanes(const Ones& set, const TripleRow& row, const FollowingPairs& best) {
    const int n_classes = Classes > 0 ? Classes : set.n_classes, n_lanes = set.n_lanes;
    Fixed fixed[Classes > 0 ? Classes : kMaxTripleClasses];
    for (int c = 0; c < n_classes; ++c) fixed[c] = fixed_of(set, row, c);
    Count *of_first = best.of(row.first), *of_second = best.of(row.second);
    Words of_both[4] = {};
    for (int lane = row.second / kByteLanes * kByteLanes; lane < n_lanes; lane += kWordLanes) {
        Cells cells;
        for (int c = 0; c < n_classes; ++c) cells.add(fixed[c], lane);
        for (int one = 0; one < 2; ++one) {
            for (int other = 0; other < 2; ++other) {
                const int outcomes = 2 * one + other;
                of_both[outcomes] = larger(of_both[outcomes], cells.right(2 * outcomes, 2 * outcomes + 1));
                raise(of_first + outcomes * n_lanes + lane, cells.right(4 * one + other, 4 * one + 2 + other));
                raise(of_second + outcomes * n_lanes + lane, cells.right(outcomes, 4 + outcomes));
            }
        }
    }
    for (int outcomes = 0; outcomes < 4; ++outcomes) {
        raise_one(of_first[outcomes * n_lanes + row.second], of_both[outcomes]);
    }
}

void score(const Ones& set, const TripleRow& row, const FollowingPairs& best) {
    if (set.n_classes == 2) return score_lanes<2>(set, row, best);
    if (set.n_classes == 3) return score_lanes<3>(set, row, best);
    score_lanes<0>(set, row, best);
}

}  // namespace

extern const TripleKernels kTripleKernels;
const TripleKernels kTripleKernels{score};

}  // namespace budgetree::BUDGETREE_SIMD
