// Coding: numbers, as they lie in someone's memory, become outcome codes.
//
//     cuts          0.5     7     20          ascending
//     codes       0      1     2     3        one more: from a cut on, and below the next
//     missing     of NaN
//
// A table's column is read where it is, whatever the type of its cells and the distance between them. Blocks of rows
// are coded just before something is done with the codes, which then are in a near cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simd/coding_simd.hpp"

namespace budgetree {

enum class CellType : std::uint8_t {
    kFloat64,
    kFloat32,
    kInt64,
    kInt32,
    kInt16,
    kInt8,
    kUInt64,
    kUInt32,
    kUInt16,
    kUInt8,
};

class Coder {
public:
    // Ascending cuts without NaN, and a code more than cuts.
    Coder(std::span<const double> cuts, std::span<const std::uint8_t> codes, std::uint8_t missing);

    CutsView view() const;

private:
    std::vector<double> cuts_;
    std::vector<std::uint8_t> codes_;
    std::int32_t n_cuts_, n_halvings_ = 0;
    std::uint8_t missing_;
    bool is_position_ = true;
};

// A column of a table. Without a coder its cells are codes, and bytes.
struct Cells {
    const std::byte* first = nullptr;
    std::int64_t stride = 0;  // bytes from one cell to the next
    CellType type = CellType::kUInt8;
    const Coder* coder = nullptr;
    std::uint8_t last = 255;  // code; those beyond become it
};

inline constexpr std::size_t kBlockRows = 1024;  // whose codes stay in a near cache

// The codes of a block of rows, column by column.
class CodedBlock {
public:
    explicit CodedBlock(std::span<const Cells> columns);

    // At most kBlockRows of them.
    void read(std::size_t first_row, std::size_t n_rows);

    // Column by column, kBlockRows of each.
    const std::uint8_t* codes() const { return codes_.get(); }

    // Whether some number was so large that whole numbers around it are not all floats.
    bool has_large() const { return has_large_; }

private:
    std::span<const Cells> columns_;
    std::unique_ptr<std::uint8_t[]> codes_;  // one row takes no longer for a block's worth of memory
    bool has_large_ = false;
};

}  // namespace budgetree
