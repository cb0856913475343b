#include "exact/packed_bits.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

constexpr int kBlock = 8;  // cases to a byte

}  // namespace

int OnesOfSet::of_test(int test) const {
    int n_ones = 0;
    for (std::size_t c = 0; c < totals.size(); ++c) n_ones += ones[c * lanes + test];
    return n_ones;
}

Ones OnesOfSet::view() const {
    return {{ones.data(), std::size_t(lanes)}, totals.data(), int(totals.size()), lanes};
}

PackedBits::PackedBits(const ExactTable& table)
    : table_(table), bytes_(std::size_t(table.n_cases / kBlock + table.n_classes + 1) * table.n_lanes),
      class_begins_(table.n_classes + 1) {
    const LeafPolicy& policy = table.policy;
    if (policy.is_plain()) return;
    for (int answer = 0; answer < policy.n_answers(); ++answer) {
        for (int c = 0; c < table.n_classes; ++c) gain_table_.push_back(Count(policy.gain(c, answer)));
    }
    for (int c = 0; c < table.n_classes; ++c) gain_table_.push_back(Count(policy.largest(c)));
    row_.resize(std::size_t(table.n_classes) * table.n_lanes);
}

void PackedBits::pack(std::span<const std::int32_t> objects) {
    std::uint8_t* into = bytes_.data();
    int block = 0;
    std::size_t at = 0;
    for (int c = 0; c < table_.n_classes; ++c) {
        class_begins_[c] = block;
        std::size_t end = at;
        while (end < objects.size() && table_.labels[objects[end]] == c) ++end;
        const int n_here = int(end - at);
        pair_kernels().pack({table_.rows.data(), std::size_t(table_.n_lanes), objects.data() + at, n_here}, into);
        block += (n_here + kBlock - 1) / kBlock;
        into = bytes_.data() + std::size_t(block) * table_.n_lanes;
        at = end;
    }
    class_begins_[table_.n_classes] = block;
}

void PackedBits::count_row(int test, int first_lane, Count* out, std::size_t step) const {
    const std::size_t n_lanes = table_.n_lanes;
    for (int c = 0; c < table_.n_classes; ++c) {
        const int begin = class_begins_[c], end = class_begins_[c + 1];
        pair_kernels().count({bytes_.data() + begin * n_lanes, n_lanes, end - begin}, test, first_lane, out + c * step);
    }
}

void PackedBits::count_ones(OnesOfSet& ones) const {
    const int always = table_.n_lanes - 1;  // the lane that shows a one on every case
    count_row(always, 0, ones.ones.data(), table_.n_lanes);
    for (int c = 0; c < table_.n_classes; ++c) ones.totals[c] = ones.ones[std::size_t(c) * table_.n_lanes + always];
}

void PackedBits::count_gains(int test, int first_lane, Count* out, std::size_t step) {
    if (table_.policy.is_plain()) return count_row(test, first_lane, out, step);
    const std::size_t n_lanes = table_.n_lanes;
    count_row(test, first_lane, row_.data(), n_lanes);
    pair_kernels().project(gain_table(), {{row_.data(), n_lanes}, out, step, first_lane, table_.n_lanes});
}

void PackedBits::project(const OnesOfSet& ones, OnesOfSet& gains) const {
    const std::size_t n_lanes = table_.n_lanes;
    pair_kernels().project(gain_table(), {{ones.ones.data(), n_lanes}, gains.ones.data(), n_lanes, 0, table_.n_lanes});
    for (std::size_t row = 0; row < gains.totals.size(); ++row) {
        gains.totals[row] = gains.ones[(row + 1) * n_lanes - 1];  // the lane that shows a one on every case
    }
}

}  // namespace budgetree::BUDGETREE_EXACT
