// Codes as bins: of an ordered test at most 64 of about equally many rows, of a nominal one a bin per code.
//
//     bins         row × test     a byte each; unknown results have the bin after the last
//     histogram    test × bin     the bins of all tests one after another, with that of unknown results
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/coded_rows.hpp"

namespace budgetree {

struct BinnedTest {
    std::size_t first;   // in a histogram
    std::size_t n_bins;  // of known results
    bool is_ordered;
    std::vector<std::uint8_t> last_code;  // per bin, and of unknown results the missing one or kUnknown
};

struct BinnedRows {
    BinnedRows(const CodedRows& rows, const TestSet& set, int max_bins);

    std::vector<BinnedTest> tests;
    std::vector<std::uint8_t> bins;
    std::size_t n_bins = 0;  // of all tests, with those of unknown results

    std::size_t n_tests() const { return tests.size(); }
};

}  // namespace budgetree
