#include "tables/packed_table.hpp"

#include <algorithm>

#include "simd/processor.hpp"

namespace budgetree {
namespace {

constexpr int kReadAhead = 32;           // bytes that a packing function may read beyond a case
constexpr int kBetweenCounts = 128;      // cases; after that many, what has gathered in a class is counted
constexpr std::int64_t kGathered = 127;  // rows that are worth counting before there are more

bool counts_differ(const Cases& cases) {
    return std::ranges::any_of(cases.weights, [](std::int64_t weight) { return weight > 1; });
}

}  // namespace

PackedTable::PackedTable(const Cases& cases, Clock& clock)
    : layout_(cases.n_outcomes, cases.n_classes, counts_differ(cases)), class_sizes_(cases.n_classes),
      class_weights_(cases.n_classes) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::int64_t weight = cases.weight(i);
        class_sizes_[cases.labels[i]] += weight > 0;
        class_weights_[cases.labels[i]] += weight;
    }
    for (const std::int64_t size : class_sizes_) n_rows_ += std::size_t(size);
    rows_ = Rows(n_rows_, layout_.row_bytes());
    Watch watch(clock);
    layout_.is_weighted() ? pack(cases, weighted_counts_, watch) : pack(cases, counts_, watch);
}

template <typename Count>
void PackedTable::pack(const Cases& cases, NodeCounts<Count>& counts, Watch& watch) {
    counts = NodeCounts<Count>(layout_);
    std::vector<std::uint8_t*> next(cases.n_classes);
    std::size_t row = 0;
    for (int c = 0; c < cases.n_classes; ++c) {
        next[c] = rows_.row(row);
        row += std::size_t(class_sizes_[c]);
    }
    std::vector<GatheredStrip> gathered;
    for (std::uint8_t* first : next) gathered.push_back({first, true});
    for (std::size_t begin = 0; begin < cases.size(); begin += kBetweenCounts) {
        const std::size_t end = std::min(begin + kBetweenCounts, cases.size());
        pack_some(cases, begin, end, next.data());
        const std::int64_t least = end == cases.size() ? 1 : kGathered;
        for (int c = 0; c < cases.n_classes; ++c) count_gathered(layout_, gathered[c], next[c], least, counts.of(c));
        if (watch.is_over(kBetweenCounts * std::int64_t(layout_.code_bytes()))) return;
    }
}

void PackedTable::pack_some(const Cases& cases, std::size_t begin, std::size_t end, std::uint8_t** next) const {
    const std::size_t n_tests = cases.n_outcomes.size(), code_bytes = layout_.code_bytes();
    const bool can_read_on = end * n_tests + kReadAhead <= cases.codes.size();
    if (layout_.is_packed() && cases.weights.empty() && can_read_on) {
        packing_functions().pack(
            {cases.row(begin), int(n_tests), &cases.labels[begin], std::int64_t(end - begin), layout_.row_bytes()},
            next);
        return;
    }
    std::vector<std::uint8_t> copy(n_tests + kReadAhead);  // behind which there is something to read
    for (std::size_t i = begin; i < end; ++i) {
        const double units = double(cases.weight(i));
        if (units == 0.0) continue;
        std::uint8_t* into = next[cases.labels[i]];
        std::memcpy(copy.data(), cases.row(i), n_tests);
        if (layout_.is_packed()) {
            packing_functions().pack({copy.data(), int(n_tests), &cases.labels[i], 1, layout_.row_bytes()}, next);
        } else {
            std::memcpy(into, copy.data(), n_tests);
            std::memset(into + n_tests, 0, code_bytes - n_tests);
            next[cases.labels[i]] += layout_.row_bytes();
        }
        if (!layout_.is_weighted()) continue;
        std::memset(into + code_bytes, 0, kBlockBytes);
        std::memcpy(into + code_bytes, &units, sizeof units);
    }
}

template <>
const NodeCounts<std::uint32_t>& PackedTable::counts() const {
    return counts_;
}

template <>
const NodeCounts<double>& PackedTable::counts() const {
    return weighted_counts_;
}

template <typename Count>
bool PackedTable::count(std::span<const std::int32_t> numbers, NodeCounts<Count>& counts, Watch& watch) const {
    const std::size_t row_bytes = layout_.row_bytes();
    // Strips are brought together in a buffer that stays in the nearest cache, so that one loop counts everything.
    const Rows together(std::min<std::size_t>(kMaxStrip, numbers.size()), row_bytes);
    std::int64_t class_end = 0;
    std::size_t place = 0;
    for (int c = 0; c < layout_.n_classes(); ++c) {
        class_end += class_sizes_[c];
        for (bool is_first = true; place < numbers.size() && numbers[place] < class_end; is_first = false) {
            int n_rows = 0;
            for (; n_rows < kMaxStrip && place < numbers.size() && numbers[place] < class_end; ++n_rows, ++place) {
                std::memcpy(together.row(n_rows), rows_.row(numbers[place]), row_bytes);
            }
            count_strip(layout_, {together.row(0), row_bytes, n_rows, is_first}, counts.of(c));
            if (watch.is_over(work_of_rows(layout_, n_rows))) return false;
        }
    }
    return true;
}

template bool PackedTable::count(std::span<const std::int32_t>, NodeCounts<std::uint32_t>&, Watch&) const;
template bool PackedTable::count(std::span<const std::int32_t>, NodeCounts<double>&, Watch&) const;

}  // namespace budgetree
