#include "models/coded_rows.hpp"

#include <algorithm>
#include <cmath>

namespace budgetree {

const char* find_fault(const CodedRows& rows) {
    constexpr std::size_t kMaxRows = std::size_t(1) << 30;
    const std::size_t n_rows = rows.n_rows();
    if (n_rows == 0) return "labels: expected at least one row";
    if (n_rows > kMaxRows) return "labels: expected at most 2^30 rows";
    if (rows.codes.size() != n_rows * rows.tests.size()) return "codes: expected test × row";
    if (rows.n_classes < 2 || rows.n_classes > 65'536) return "n_classes: expected 2 to 65536";
    if (std::ranges::any_of(rows.labels, [&](int label) { return label < 0 || label >= rows.n_classes; })) {
        return "labels: expected numbers below n_classes";
    }
    if (!rows.weights.empty() && rows.weights.size() != n_rows) return "weights: expected one per row";
    if (std::ranges::any_of(rows.weights, [](double weight) { return !(weight > 0) || std::isinf(weight); })) {
        return "weights: expected finite numbers above 0";
    }
    for (const CodedTest& test : rows.tests) {
        if (test.n_outcomes < 1 || test.n_outcomes > 256) return "n_outcomes: expected 1 to 256";
        if (test.missing < -1 || test.missing > 255) return "missing: expected a code or -1";
        if (test.missing >= 0 && !test.has_unknown()) return "missing: expected 255 or -1 for a test of 256 outcomes";
    }
    return nullptr;
}

}  // namespace budgetree
