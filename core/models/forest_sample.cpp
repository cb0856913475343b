#include "models/forest_sample.hpp"

#include <algorithm>

namespace budgetree {
namespace {

constexpr std::uint64_t kGroupStride = 0xd1342543de82ef95;

}  // namespace

ForestSample::ForestSample(const ForestRequest& request)
    : rows(request.rows), n_rows(request.n_rows), settings(request.settings), order(n_rows), labels(n_rows),
      prior(std::size_t(rows.n_classes), 0.0), parts(std::size_t(settings.n_groups()) * n_rows) {
    std::vector<std::int32_t> next(prior.size() + 1, 0);
    for (std::size_t row = 0; row < n_rows; ++row) ++next[rows.labels[row] + 1];
    for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
    for (std::size_t row = 0; row < n_rows; ++row) order[next[rows.labels[row]]++] = std::int32_t(row);
    double total = 0.0;
    for (std::size_t i = 0; i < n_rows; ++i) {
        labels[i] = rows.labels[order[i]];
        if (!rows.weights.empty()) weights.push_back(rows.weights[order[i]]);
        prior[labels[i]] += rows.weight(order[i]);
        total += rows.weight(order[i]);
    }
    for (double& share : prior) share /= total;
    for (std::size_t group = 0; group < std::size_t(settings.n_groups()); ++group) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::uint64_t hash =
                mix(std::uint64_t(rows.group(order[i])) * kHashStride + group * kGroupStride + settings.salt);
            parts[group * n_rows + i] = std::uint8_t(draw(hash, std::uint32_t(settings.n_parts)));
        }
    }
}

Records::Records(const ForestSample& sample, const TestSet& tests)
    : tests(tests), stride(tests.size() <= kHalf ? kHalf : (tests.size() + kLanes - 1) / kLanes * kLanes),
      codes(sample.n_rows * stride, 0), unknown(std::max(stride, kLanes), 0) {
    for (std::size_t lane = 0; lane < tests.size(); ++lane) {
        const CodedTest& test = sample.rows.tests[tests[lane]];
        const std::uint8_t* from = sample.rows.codes_of(tests[lane]);
        std::uint8_t* to = codes.data() + lane;
        bool has_unknown_here = false;
        for (std::size_t i = 0; i < sample.n_rows; ++i) {
            const std::uint8_t code = from[sample.order[i]];
            const bool is_known = test.is_known(code);
            to[i * stride] = is_known ? code : kUnknown;
            has_unknown_here |= !is_known;
        }
        is_ordered.push_back(test.is_ordered);
        unknown[lane] = has_unknown_here;
        has_unknown |= has_unknown_here;
    }
    if (is_narrow()) std::copy_n(unknown.begin(), kHalf, unknown.begin() + kHalf);
}

}  // namespace budgetree
