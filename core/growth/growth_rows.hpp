// Moving rows as nodes split: the two buffers, and where the rows of each outcome go.
#pragma once

#include <cstdint>
#include <mutex>

#include "tables/packed_table.hpp"

namespace budgetree {

// The table's own rows are the root's; a node below has its rows in the buffer of its depth, odd or even. A buffer is
// made when something is first moved there: many growths need one, some none.
class RowBuffers {
public:
    explicit RowBuffers(const PackedTable& table) : table_(table) {}

    const Rows& of_depth(int depth) const { return depth == 0 ? table_.rows() : depth % 2 == 1 ? odd_ : even_; }

    const Rows& to_write(int depth) {
        const bool is_odd = depth % 2 == 1;
        Rows& rows = is_odd ? odd_ : even_;
        std::call_once(is_odd ? odd_made_ : even_made_,
                       [&] { rows = Rows(table_.n_rows(), table_.layout().row_bytes()); });
        return rows;
    }

private:
    const PackedTable& table_;
    Rows odd_, even_;
    std::once_flag odd_made_, even_made_;
};

// Where the next row of an outcome goes. Rows that are not needed again all go to one place: their step is 0.
struct Destination {
    std::uint8_t* next;
    std::size_t step;
};

// Rows side by side, and the code by which they are sorted.
struct RowsToMove {
    const std::uint8_t* first;
    std::int64_t n_rows;
    std::size_t row_bytes;
    CodePlace code;
};

// A constant size makes the copy a few moves.
template <std::size_t RowBytes>
void move_rows_of(const RowsToMove& rows, Destination* destinations) {
    const std::size_t row_bytes = RowBytes > 0 ? RowBytes : rows.row_bytes;
    const CodePlace code = rows.code;
    const std::uint8_t* row = rows.first;
    for (std::int64_t left = rows.n_rows; left > 0; --left, row += row_bytes) {
        Destination& to = destinations[code.outcome(row)];
        std::uint8_t* const into = to.next;
        to.next = into + to.step;
        std::memcpy(into, row, row_bytes);
    }
}

inline void move_rows(const RowsToMove& rows, Destination* destinations) {
    switch (rows.row_bytes) {
        case 16:
            return move_rows_of<16>(rows, destinations);
        case 32:
            return move_rows_of<32>(rows, destinations);
        case 48:
            return move_rows_of<48>(rows, destinations);
        case 64:
            return move_rows_of<64>(rows, destinations);
        default:
            return move_rows_of<0>(rows, destinations);
    }
}

}  // namespace budgetree
