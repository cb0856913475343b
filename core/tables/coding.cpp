#include "tables/coding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace budgetree {
namespace {

constexpr double kLargestExact = 0x1p53;

template <typename Cell>
void read_as(const std::byte* cell, std::int64_t stride, std::size_t n, double* into) {
    for (std::size_t i = 0; i < n; ++i, cell += stride) {
        Cell value;
        std::memcpy(&value, cell, sizeof value);
        into[i] = double(value);
    }
}

void read_numbers(const Cells& column, const std::byte* first, std::size_t n, double* into) {
    switch (column.type) {
        case CellType::kFloat64:
            return read_as<double>(first, column.stride, n, into);
        case CellType::kFloat32:
            return read_as<float>(first, column.stride, n, into);
        case CellType::kInt64:
            return read_as<std::int64_t>(first, column.stride, n, into);
        case CellType::kInt32:
            return read_as<std::int32_t>(first, column.stride, n, into);
        case CellType::kInt16:
            return read_as<std::int16_t>(first, column.stride, n, into);
        case CellType::kInt8:
            return read_as<std::int8_t>(first, column.stride, n, into);
        case CellType::kUInt64:
            return read_as<std::uint64_t>(first, column.stride, n, into);
        case CellType::kUInt32:
            return read_as<std::uint32_t>(first, column.stride, n, into);
        case CellType::kUInt16:
            return read_as<std::uint16_t>(first, column.stride, n, into);
        case CellType::kUInt8:
            return read_as<std::uint8_t>(first, column.stride, n, into);
    }
}

}  // namespace

Coder::Coder(std::span<const double> cuts, std::span<const std::uint8_t> codes, std::uint8_t missing)
    : cuts_(cuts.begin(), cuts.end()), codes_(codes.begin(), codes.end()), n_cuts_(std::int32_t(cuts.size())),
      missing_(missing) {
    while ((std::size_t(1) << n_halvings_) <= cuts.size()) ++n_halvings_;
    cuts_.resize(std::size_t(1) << n_halvings_, std::numeric_limits<double>::quiet_NaN());  // at most as large as none
    for (std::size_t position = 0; position < codes_.size(); ++position) is_position_ &= codes_[position] == position;
}

CutsView Coder::view() const {
    return {cuts_.data(), n_cuts_, n_halvings_, codes_.data(), missing_, is_position_};
}

CodedBlock::CodedBlock(std::span<const Cells> columns)
    : columns_(columns), codes_(std::make_unique_for_overwrite<std::uint8_t[]>(columns.size() * kBlockRows)) {}

void CodedBlock::read(std::size_t first_row, std::size_t n_rows) {
    static const CodingFunctions& functions = coding_functions();
    std::array<double, kBlockRows> numbers;
    std::uint8_t* codes = codes_.get();
    for (const Cells& column : columns_) {
        const std::byte* const first = column.first + std::int64_t(first_row) * column.stride;
        if (column.coder == nullptr) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                codes[row] = std::uint8_t(first[std::int64_t(row) * column.stride]);
            }
        } else {
            read_numbers(column, first, n_rows, numbers.data());
            has_large_ = has_large_ || functions.has_large(numbers.data(), std::int64_t(n_rows), kLargestExact);
            functions.code(numbers.data(), std::int64_t(n_rows), column.coder->view(), codes);
        }
        const std::uint8_t last = column.last;
        for (std::size_t row = 0; row < n_rows; ++row) codes[row] = std::min(codes[row], last);
        codes += kBlockRows;
    }
}

}  // namespace budgetree
