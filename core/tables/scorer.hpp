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
// the last to the first, between the ends that its children have chosen, a byte per row, many rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// Codes of tests and rows, in either order.
struct CodeView {
    const std::uint8_t* codes;
    std::size_t per_test, per_row;

    std::uint8_t at(std::size_t test, std::size_t row) const { return codes[test * per_test + row * per_row]; }
};

class Scorer {
public:
    // Throws std::invalid_argument where the parts do not fit each other.
    Scorer(std::vector<std::int32_t> tests, std::vector<std::vector<std::int32_t>> points,
           std::vector<std::int64_t> intercept, const Ensemble& trees);

    std::size_t n_columns() const { return intercept_.size(); }
    std::span<const std::int32_t> tests() const { return tests_; }
    // Of the test at this position among the scorer's.
    std::int32_t n_outcomes(std::size_t test) const { return n_outcomes_[test]; }
    std::int64_t nanoseconds_per_row() const;  // about

private:
    friend class ScoreSheet;

    // Between the ends of two children, which are lanes: below kMaxEnds of a single end, from there on of a choice.
    struct Choice {
        std::uint16_t test, left, right, result;
        std::uint8_t low, span, missing;  // low ≤ code ≤ low + span goes left
        bool default_left;
    };
    struct Tree {
        std::uint32_t first_choice, n_choices, first_value;
    };

    void add_tree(const Ensemble& trees, std::size_t begin, std::size_t end);

    std::vector<std::int32_t> tests_;
    std::vector<std::int32_t> n_outcomes_;
    std::vector<std::vector<std::int32_t>> points_;  // per test: outcome and one more × column
    std::vector<std::int64_t> intercept_;            // per column
    std::vector<Choice> choices_;                    // tree by tree, those further down first
    std::vector<Tree> trees_;
    std::vector<std::int32_t> values_;  // of ends, end × column
};

// What a thread adds up with.
class ScoreSheet {
public:
    ScoreSheet();

    // Of some rows, row × column.
    void add_up(const Scorer& scorer, const CodeView& codes, std::span<const std::uint32_t> rows, std::int64_t* totals);

private:
    void add_up_block(const Scorer& scorer, const CodeView& codes, std::span<const std::uint32_t> rows,
                      std::int64_t* totals);
    std::uint8_t* lane(std::size_t number);

    std::vector<std::uint8_t> results_;  // test × row of a block
    std::vector<std::uint8_t> lanes_;    // end or choice × row of a block
};

}  // namespace budgetree
