#include "table.hpp"

#include <algorithm>

#include "processor.hpp"

namespace budgetree {
namespace {

constexpr int kReadAhead = 32;      // bytes that a packing function may read beyond a case
constexpr int kBetweenLooks = 256;  // cases

const PackingFunctions& packing() {
#if defined(BUDGETREE_HAS_AVX2)
    return variant(baseline::packing, &avx2::packing);
#else
    return variant<PackingFunctions>(baseline::packing, nullptr);
#endif
}

bool counts_differ(const Cases& cases) {
    return std::ranges::any_of(cases.weights, [](std::int64_t weight) { return weight > 1; });
}

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

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

Rows::Rows(std::size_t n_rows, std::size_t row_bytes) : row_bytes_(row_bytes) {
    constexpr std::size_t kLine = 64;
    // A vector that begins in the last row may end behind it.
    std::size_t space = n_rows * row_bytes + 2 * kLine;
    memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(space);
    void* first = memory_.get();
    first_ = static_cast<std::uint8_t*>(std::align(kLine, space - kLine, first, space));
}

Table::Table(const Cases& cases, Clock& clock)
    : layout_(cases.n_outcomes, cases.n_classes, counts_differ(cases)), class_sizes_(cases.n_classes),
      class_weights_(cases.n_classes) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::int64_t weight = cases.weight(i);
        class_sizes_[cases.labels[i]] += weight > 0;
        class_weights_[cases.labels[i]] += weight;
    }
    for (int c = 0; c < cases.n_classes; ++c) {
        n_rows_ += class_sizes_[c];
        total_weight_ += class_weights_[c];
    }
    rows_ = Rows(n_rows_, layout_.row_bytes());
    Watch watch(clock);
    pack(cases, watch);
}

void Table::pack(const Cases& cases, Watch& watch) {
    std::vector<std::uint8_t*> next(cases.n_classes);
    std::size_t row = 0;
    for (int c = 0; c < cases.n_classes; ++c) {
        next[c] = rows_.row(row);
        row += class_sizes_[c];
    }
    const auto pack_row = packing().pack_row;
    const int n_tests = layout_.n_tests();
    const std::size_t code_bytes = layout_.code_bytes(), row_bytes = layout_.row_bytes();
    // The last cases are packed from a copy, behind which there is something to read.
    const std::size_t n_safe = cases.codes.size() < kReadAhead ? 0 : (cases.codes.size() - kReadAhead) / n_tests;
    std::vector<std::uint8_t> copy(n_tests + 2 * kReadAhead);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (i % kBetweenLooks == 0 && watch.is_over(kBetweenLooks * std::int64_t(code_bytes))) return;
        const std::int64_t weight = cases.weight(i);
        if (weight == 0) continue;
        std::uint8_t* into = next[cases.labels[i]];
        next[cases.labels[i]] += row_bytes;
        if (layout_.is_packed()) {
            const std::uint8_t* from = cases.row(i);
            if (i >= n_safe) {
                std::memcpy(copy.data(), from, n_tests);
                from = copy.data();
            }
            pack_row(from, n_tests, into);
        } else {
            std::memcpy(into, cases.row(i), n_tests);
            std::memset(into + n_tests, 0, code_bytes - n_tests);
        }
        if (layout_.is_weighted()) {
            const double units = double(weight);
            std::memset(into + code_bytes, 0, kBlockBytes);
            std::memcpy(into + code_bytes, &units, sizeof units);
        }
    }
}

}  // namespace budgetree
