#include "models/boosting_bins.hpp"

#include <algorithm>
#include <array>

namespace budgetree {
namespace {

// Per code its bin. With more codes than bins, a code's bin is by the share of rows below it.
std::vector<std::size_t> bin_codes(const CodedRows& rows, int number, int max_bins) {
    const CodedTest& test = rows.tests[number];
    std::vector<std::size_t> bin_of(std::size_t(std::min(test.n_outcomes, test.has_unknown() ? 255 : 256)));
    for (std::size_t code = 0; code < bin_of.size(); ++code) bin_of[code] = code;
    if (!test.is_ordered || bin_of.size() <= std::size_t(max_bins)) return bin_of;
    std::array<std::uint64_t, 256> count{};
    std::uint64_t total = 0, below = 0;
    const std::uint8_t* codes = rows.codes_of(number);
    for (std::size_t row = 0; row < rows.n_rows(); ++row) count[codes[row]] += test.is_known(codes[row]);
    for (const std::uint64_t n : count) total += n;
    std::size_t share = 0, bin = 0;
    for (std::size_t code = 0; code < bin_of.size(); ++code) {
        const auto last = std::size_t(max_bins - 1);
        const std::size_t now = total == 0 ? 0 : std::min<std::size_t>(below * std::uint64_t(max_bins) / total, last);
        bin += now > share;
        share = now;
        bin_of[code] = bin;
        below += count[code];
    }
    return bin_of;
}

}  // namespace

BinnedRows::BinnedRows(const CodedRows& rows, const TestSet& set, int max_bins) : bins(rows.n_rows() * set.size()) {
    for (std::size_t index = 0; index < set.size(); ++index) {
        const CodedTest& test = rows.tests[set[index]];
        const std::vector<std::size_t> bin_of = bin_codes(rows, set[index], max_bins);
        BinnedTest binned{n_bins, bin_of.back() + 1, test.is_ordered, {}};
        binned.last_code.resize(binned.n_bins + 1, test.missing < 0 ? kUnknown : std::uint8_t(test.missing));
        std::array<std::uint8_t, 256> bin_of_byte{};
        for (std::size_t code = 0; code < 256; ++code) {
            const bool is_known = test.is_known(std::uint8_t(code));
            bin_of_byte[code] = std::uint8_t(is_known ? bin_of[code] : binned.n_bins);
            if (code < bin_of.size()) binned.last_code[bin_of[code]] = std::uint8_t(code);
        }
        const std::uint8_t* codes = rows.codes_of(set[index]);
        for (std::size_t row = 0; row < rows.n_rows(); ++row) bins[row * set.size() + index] = bin_of_byte[codes[row]];
        n_bins += binned.n_bins + 1;
        tests.push_back(std::move(binned));
    }
}

}  // namespace budgetree
