#include "tables/row_layout.hpp"

#include <algorithm>
#include <utility>

#include "base/spare_memory.hpp"

namespace budgetree {
namespace {

std::size_t round_up(std::size_t size, std::size_t unit) {
    return (size + unit - 1) / unit * unit;
}

}  // namespace

RowLayout::RowLayout(std::vector<std::int32_t> n_outcomes, int n_classes, bool is_weighted)
    : n_outcomes_(std::move(n_outcomes)), n_classes_(n_classes),
      max_outcomes_(*std::max_element(n_outcomes_.begin(), n_outcomes_.end())),
      is_packed_(max_outcomes_ <= kHalfByteLevels), is_weighted_(is_weighted),
      code_bytes_(is_packed_ ? round_up(n_outcomes_.size(), 32) / 2 : round_up(n_outcomes_.size(), kBlockBytes)) {
    cells_before_.push_back(0);
    for (std::size_t first = 0; first < n_outcomes_.size(); first += kGroup) {
        const auto last = std::min(n_outcomes_.size(), first + kGroup);
        n_levels_.push_back(*std::max_element(n_outcomes_.begin() + first, n_outcomes_.begin() + last));
        cells_before_.push_back(cells_before_.back() + std::size_t(n_levels_.back()) * kGroup);
    }
}

Rows::Rows(std::size_t n_rows, std::size_t row_bytes)
    // A vector that begins in the last row may end behind it.
    : memory_(n_rows * row_bytes + kLine), first_(memory_.data()), row_bytes_(row_bytes) {}

}  // namespace budgetree
