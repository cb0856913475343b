// Moving rows as nodes split: the two buffers, and where the rows of each outcome go.
#pragma once

#include <cstdint>
#include <mutex>

#include "table.hpp"

namespace budgetree {

// The table's own rows are the root's; a node below has its rows in the buffer of its depth, odd or even. A buffer is
// made when something is first moved there: many growths need one, some none.
class RowBuffers {
public:
    explicit RowBuffers(const Table& table) : table_(table) {}

    const Rows& of_depth(int depth) const { return depth == 0 ? table_.rows() : depth % 2 == 1 ? odd_ : even_; }

    const Rows& to_write(int depth) {
        const bool is_odd = depth % 2 == 1;
        Rows& rows = is_odd ? odd_ : even_;
        std::call_once(is_odd ? odd_made_ : even_made_,
                       [&] { rows = Rows(table_.n_rows(), table_.layout().row_bytes()); });
        return rows;
    }

private:
    const Table& table_;
    Rows odd_, even_;
    std::once_flag odd_made_, even_made_;
};

// Where the next row of an outcome goes. Rows that nobody needs again all go to one place: their step is 0.
struct Destination {
    std::uint8_t* next;
    std::size_t step;
};

// A constant size makes the copy a few moves.
template <std::size_t RowBytes>
void move_rows_of(const RowLayout& layout, const std::uint8_t* row, std::int64_t n_rows, int test,
                  Destination* destinations) {
    const std::size_t row_bytes = RowBytes > 0 ? RowBytes : layout.row_bytes();
    for (std::int64_t i = 0; i < n_rows; ++i, row += row_bytes) {
        Destination& to = destinations[layout.outcome(row, test)];
        std::memcpy(to.next, row, row_bytes);
        to.next += to.step;
    }
}

inline void move_rows(const RowLayout& layout, const std::uint8_t* row, std::int64_t n_rows, int test,
                      Destination* destinations) {
    switch (layout.row_bytes()) {
        case 16: return move_rows_of<16>(layout, row, n_rows, test, destinations);
        case 32: return move_rows_of<32>(layout, row, n_rows, test, destinations);
        case 48: return move_rows_of<48>(layout, row, n_rows, test, destinations);
        case 64: return move_rows_of<64>(layout, row, n_rows, test, destinations);
        default: return move_rows_of<0>(layout, row, n_rows, test, destinations);
    }
}

}  // namespace budgetree
