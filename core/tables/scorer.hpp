// Scorer: whole points per test and result, and small trees, that add up to totals. They are whole numbers, so a total
// does not depend on the order of addition:
//
//     total[column] = intercept[column] + Σ over tests of points[result][column] + Σ over trees of value[end][column]
//
// The trees are flat, one after the other, each with its left subtree before its right one:
//
//     node          0    1    2    3    4  │  5    6    7
//     test          2   -1    0   -1   -1  │  1   -1   -1       -1: an end
//     right         2   -1    4   -1   -1  │  7   -1   -1       the left child is the next node
//     start         0                         5
//
// A result goes left where it is at most the cut, or equal to it; one that is not listed, or is `missing`, goes the
// default way. A scorer does not follow one row from node to node: for a block of rows it chooses at every node, from
// the last to the first, between the ends that its children have chosen, a byte per row, many rows at a time. It reads
// the codes of a block where they were coded (coding.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tables/coding.hpp"

namespace budgetree {

constexpr std::size_t kMaxEnds = 256;  // of a tree: an end is a byte

struct Ensemble {
    std::vector<std::int32_t> start;  // per tree, its first node
    std::vector<std::int32_t> test;   // per node: that of a scorer, or -1
    std::vector<std::uint8_t> cut;
    std::vector<std::uint8_t> by_equal;
    std::vector<std::uint8_t> default_left;
    std::vector<std::int16_t> missing;  // -1: none
    std::vector<std::int32_t> right;
    std::vector<std::int32_t> value;  // node × column
};

// The nodes of all trees, each with its left subtree before its right one.
struct Preorder {
    std::vector<std::int32_t> nodes;
    const char* fault = nullptr;  // why there is no such order
};
Preorder find_preorder(std::span<const std::int32_t> start, std::span<const std::int32_t> left,
                       std::span<const std::int32_t> right);

// The codes of a block, column by column, none beyond the outcomes and one more; and per test of a scorer its column.
struct BlockView {
    const std::uint8_t* codes;
    std::span<const std::int32_t> columns;

    const std::uint8_t* of(std::size_t test) const { return codes + std::size_t(columns[test]) * kBlockRows; }
};

class Scorer {
public:
    // Points are per test: outcome and one more × column. Throws std::invalid_argument where parts do not fit each
    // other.
    Scorer(std::vector<std::int32_t> tests, std::span<const std::span<const std::int32_t>> points,
           std::vector<std::int64_t> intercept, const Ensemble& trees);

    std::size_t n_columns() const { return intercept_.size(); }
    std::span<const std::int32_t> tests() const { return tests_; }
    // Of the test at this position among the scorer's.
    std::int32_t n_outcomes(std::size_t test) const { return n_outcomes_[test]; }
    std::int64_t nanoseconds_per_row() const;  // about

private:
    friend class ScoreSheet;

    // Points of a test, unless all of them are 0.
    struct Table {
        std::size_t test, first;
    };
    // Between the ends of two children, which are lanes: below kMaxEnds of a single end, from there on of a choice.
    struct Choice {
        std::uint16_t test, left, right, result;    // test: its position among tree_tests_
        std::uint8_t low, span, missing, unlisted;  // low ≤ code ≤ low + span goes left
        bool default_left;
    };
    struct Tree {
        std::uint32_t first_choice, n_choices, first_value;
    };

    void add_points(std::span<const std::span<const std::int32_t>> points);
    void add_tree(const Ensemble& trees, std::size_t begin, std::size_t end);
    std::uint16_t tree_test(std::size_t test);

    std::vector<std::int32_t> tests_;
    std::vector<std::int32_t> n_outcomes_;
    std::vector<Table> tables_;
    std::vector<std::int32_t> points_;     // of all tables
    std::vector<std::int64_t> intercept_;  // per column
    std::vector<std::size_t> tree_tests_;  // that trees read
    std::vector<Choice> choices_;          // tree by tree, those further down first
    std::vector<Tree> trees_;
    std::vector<std::int32_t> values_;  // of ends, end × column
    std::size_t most_ends_ = 0;         // of a tree
};

// What a thread adds up with.
class ScoreSheet {
public:
    // Of some rows of a block, row × column.
    void add_up(const Scorer& scorer, const BlockView& codes, std::span<const std::uint16_t> rows,
                std::int64_t* totals);

private:
    template <std::size_t N>
    void add_up_columns(const Scorer& scorer, const BlockView& codes, std::span<const std::uint16_t> rows,
                        std::int64_t* totals);
    template <std::size_t N>
    void add_trees(const Scorer& scorer, const BlockView& codes, std::span<const std::uint16_t> rows,
                   std::int64_t* totals);
    void prepare_lanes(std::size_t n_ends, std::size_t n_tests);
    std::uint8_t* lane(std::size_t number);

    std::vector<std::uint8_t> results_;      // test that trees read × row
    std::unique_ptr<std::uint8_t[]> lanes_;  // end or choice × row
    std::size_t n_filled_ = 0;               // lanes of ends
};

}  // namespace budgetree
