// Binary tests on cases that count once: everything from counts of ones and of pairs of ones.
//
//     ones    class × lane           cases of a class that show a one
//     pairs   class × test × lane    cases that show a one in both; kept per depth, from the test's own vector on
//
// Where two tests are left, all pairs of a set are counted and scored at once (pair_lanes.hpp). Of a test's two parts
// only the smaller is counted: the larger has what is left of the whole. And pair counts say how many cases the parts
// of two tests share, so what is proven of one test's parts bounds another's: without d of its cases a set has at most
// d errors less, or as many losses less as they have at worst.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "exact/cache.hpp"
#include "exact/packed_bits.hpp"
#include "exact/search_level.hpp"

namespace budgetree::BUDGETREE_EXACT {

// Which binary test may follow which on a path; while less than `changes` is left there are no others.
struct AllowedPairs {
    Remaining remaining;
    Amounts changes;
    std::vector<Count> masks;  // four kinds × test × lane
};

class BinaryPairs {
public:
    // Told between two tests how many nanoseconds of a long count have passed; it may throw.
    using Spend = std::function<void(std::int64_t)>;

    BinaryPairs(const ExactTable& table, Spend spend);

    // About how many nanoseconds counting and scoring all pairs of a set takes.
    std::int64_t work_of_pairs(int n_objects, int n_tests) const;
    std::int64_t work_of_ranking(const ObjectSet& set, int n_tests) const;

    // Fills the level's tests and their ranking, and counts the set's pairs. What is remembered of parts at this depth
    // is forgotten unless it is of this very set.
    Ranking rank(const ObjectSet& set, const Remaining& remaining, const Level& above, int depth, Level& level);

    // The answer where two tests are left; exact, whatever the cutoff.
    Answer last_two(const ObjectSet& set, const Remaining& remaining, const Level& above);

    // What is proven of the test's parts before they are made, by similarity; their sum.
    Units bound_parts(int test, const std::array<Remaining, 2>& remaining, int depth, Level& level) const;
    void split(const ObjectSet& set, int test, int depth, Level& level);
    // Settles both parts at once where two tests are left to each; which ones, as bits. found[] are their first tests.
    int settle_parts(const std::array<Remaining, 2>& remaining, int depth, Level& level, std::array<int, 2>& found);
    void remember_parts(int test, const std::array<Flags, 2>& flags, int depth, const Level& level);

private:
    struct Tried {
        std::int32_t test;
        std::array<Flags, 2> flags;
        std::array<Units, 2> proven;
        std::array<Amounts, 2> up_to;
    };
    struct Counted {  // of the set that is being searched at a depth
        explicit Counted(const ExactTable& table)
            : ones(table.n_classes, table.n_lanes), gains(table.n_gains(), table.n_lanes), n_ones(table.n_tests),
              worth_of_ones(table.n_tests) {}

        OnesOfSet ones, gains;                            // gains only with losses
        std::vector<Count> pairs;                         // by class, or with losses gains by answer
        std::vector<std::int32_t> n_ones, worth_of_ones;  // per test: cases, and what they may lose
        int n_cases = 0;
        Units worth = 0;  // of all its cases
        Key key;
        bool is_complete = false;  // the pairs, too
        std::vector<Tried> tried;
    };

    Counted& counted_at(int depth);
    void count_ones(std::span<const std::int32_t> objects, OnesOfSet& ones);
    Units together(const Counted& counted, int one, int other) const;
    // The one in use is not given up for it.
    const AllowedPairs* allowed(const Remaining& remaining, const AllowedPairs* in_use = nullptr);
    PairMasks masks_of(const AllowedPairs* allowed, int test) const;
    void score(std::span<const std::int32_t> objects, const std::vector<std::int32_t>& tests, const Counted* whole,
               const std::array<const AllowedPairs*, 2>& allowed);
    // following_ of a set that bytes can count, as the counted set or as the rest.
    void score_small(const ObjectSet& set, const std::vector<std::int32_t>& tests, const AllowedPairs* allowed,
                     bool is_rest);
    struct TestsToScore {
        const std::vector<std::int32_t>& tests;
        std::int64_t work;  // to tell of each
    };
    void score_small_gains(const SmallSet& small, const TestsToScore& to_score, const AllowedPairs* allowed,
                           bool is_rest);
    Answer best_pair(bool is_rest, const ObjectSet& set, const Remaining& remaining,
                     const std::vector<std::int32_t>& tests) const;
    bool is_plain() const { return table_.policy.is_plain(); }
    // What answers gain of a part: of its classes' counts without losses.
    Ones gains_view(int part) const;
    // What to tell after each of so many tests; 0 where all of them take only a moment.
    std::int64_t work_per_test(int n_objects, std::size_t n_tests) const;

    const ExactTable& table_;
    Spend spend_;
    PackedBits packed_;
    std::vector<Counted> counted_;
    std::vector<Count> row_, nothing_;
    std::array<OnesOfSet, 2> part_ones_;           // of the set that is counted, and of the rest
    std::array<OnesOfSet, 2> part_gains_;          // the same as gains; only with losses
    std::array<std::vector<Count>, 4> following_;  // after its ones and zeros, and the rest's
    std::vector<std::uint8_t> small_ones_, small_totals_;
    std::array<std::vector<std::uint8_t>, 2> small_following_;
    std::array<LeafLoss, 2> leaves_;
    std::vector<AllowedPairs> allowed_;
    std::size_t next_allowed_ = 0, max_allowed_;  // masks are kept for so many budgets and flags
};

}  // namespace budgetree::BUDGETREE_EXACT
