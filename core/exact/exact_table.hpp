// The table that exact search reads: tests in the order of their prices, cases by class, each with its random key.
//
//     rows      case × lane     a byte per test, filled up to whole vectors; the last lane shows a one on every case
//     columns   test × case     the same bytes by test: splitting a set reads one column
//
// A lane more than there are tests: counting the last one together with another test counts the other test's ones.
#pragma once

#include <vector>

#include "cost/leaf_policy.hpp"
#include "exact/object_set.hpp"
#include "tables/cases.hpp"

namespace budgetree::BUDGETREE_EXACT {

// What the layout in Python has worked out: cases of weight above 0, tests by price.
struct ExactTable {
    ExactTable(const Cases& cases, CostModel prices, LeafPolicy policy, std::vector<Units> unavoidable_losses,
               bool may_count_pairs = true);
    ExactTable(const ExactTable&) = delete;  // `whole` looks into it
    ExactTable& operator=(const ExactTable&) = delete;

    int n_cases, n_tests, n_classes, width, n_lanes;
    bool has_unit_weights;
    bool is_binary;  // at most two outcomes, every case counts one, and counts fit into 16 bits
    bool has_one_price;
    CostModel costs;
    LeafPolicy policy;
    std::vector<std::int32_t> n_outcomes, labels;
    std::vector<std::uint8_t> rows, columns;
    std::vector<Units> weights, unavoidable;
    std::vector<Key> keys;
    ObjectSet whole;
    bool fits_words;    // whatever is added up of losses, while every case counts one: it needs 16 bits
    bool counts_pairs;  // of binary tests: gains fit into 16 bits, and the pairs of all tests into memory

    const std::uint8_t* row(int object) const { return &rows[std::size_t(object) * n_lanes]; }
    const std::uint8_t* column(int test) const { return &columns[std::size_t(test) * n_cases]; }

    // How many numbers of a set describe what its answers gain: per class, or per answer and what there is to lose.
    int n_gains() const { return policy.is_plain() ? n_classes : policy.n_answers() + 1; }

    // Whether the leaves that the test would make of the set have enough cases.
    bool allows(const ObjectSet& set, int test) const;

    // The facts of a set with these objects, which must be sorted by class.
    ObjectSet set_of(std::span<const std::int32_t> objects) const;

private:
    std::vector<std::int32_t> everything_;
};

}  // namespace budgetree::BUDGETREE_EXACT
