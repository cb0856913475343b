// PackedTable: the known cases as growth reads and moves them, packed (row_layout.hpp) and sorted by class.
//
//     rows     all of class 0, then all of class 1, …; a class in the order of the cases
//     counts   of all rows, which is what every tree's root needs
//
// Fast because the rows are counted while they are packed, a strip at a time, when they are in the nearest cache
// anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "tables/cases.hpp"
#include "tables/counting.hpp"
#include "tables/row_layout.hpp"

namespace budgetree {

class PackedTable {
public:
    // Cases of weight 0 are not in it. The caller asks the clock whether it was finished.
    PackedTable(const Cases& cases, Clock& clock);

    const RowLayout& layout() const { return layout_; }
    const Rows& rows() const { return rows_; }
    std::size_t n_rows() const { return n_rows_; }
    std::span<const std::int64_t> class_sizes() const { return class_sizes_; }      // rows
    std::span<const std::int64_t> class_weights() const { return class_weights_; }  // units

    template <typename Count>
    const NodeCounts<Count>& counts() const;

    // Counts some rows by their numbers, which ascend. False when the clock stopped it.
    template <typename Count>
    bool count(std::span<const std::int32_t> numbers, NodeCounts<Count>& counts, Watch& watch) const;

private:
    template <typename Count>
    void pack(const Cases& cases, NodeCounts<Count>& counts, Watch& watch);
    void pack_some(const Cases& cases, std::size_t begin, std::size_t end, std::uint8_t** next) const;

    RowLayout layout_;
    Rows rows_;
    std::size_t n_rows_ = 0;
    std::vector<std::int64_t> class_sizes_, class_weights_;
    NodeCounts<std::uint32_t> counts_;  // where each case counts once
    NodeCounts<double> weighted_counts_;
};

}  // namespace budgetree
