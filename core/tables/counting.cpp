#include "tables/counting.hpp"

#include <algorithm>

#include "simd/processor.hpp"

namespace budgetree {
namespace {

// Adds rows one cell at a time, each with its weight.
void add_weighted(const RowLayout& layout, const Strip& strip, double* cells) {
    if (strip.is_first) std::fill_n(cells, layout.n_cells(), 0.0);
    const std::uint8_t* row = strip.first;
    for (int i = 0; i < strip.n_rows; ++i, row += strip.row_bytes) {
        const double weight = layout.weight(row);
        for (int test = 0; test < layout.n_tests(); ++test) {
            cells[layout.cell(test, int(layout.outcome(row, test)))] += weight;
        }
    }
}

}  // namespace

void count_strip(const RowLayout& layout, const Strip& strip, std::uint32_t* cells) {
    static const auto count = counting_functions().count_strip;
    count(strip, layout.shape(), cells);
}

void count_strip(const RowLayout& layout, const Strip& strip, double* cells) {
    add_weighted(layout, strip, cells);
}

std::int64_t work_of_rows(const RowLayout& layout, std::int64_t n_rows) {
    return n_rows * std::int64_t(layout.is_weighted() ? layout.n_tests() : layout.code_bytes() / 4 + 1);
}

template <typename Count>
void count_gathered(const RowLayout& layout, GatheredStrip& gathered, const std::uint8_t* end, std::int64_t least,
                    Count* cells) {
    const std::size_t row_bytes = layout.row_bytes();
    auto n_rows = std::int64_t(end - gathered.next) / std::int64_t(row_bytes);
    if (n_rows < least) return;
    while (n_rows > 0) {
        const int n_here = int(std::min(kMaxStrip, n_rows));
        count_strip(layout, {gathered.next, row_bytes, n_here, gathered.is_first}, cells);
        gathered = {gathered.next + n_here * row_bytes, false};
        n_rows -= n_here;
    }
}

template <typename Count>
void NodeCounts<Count>::subtract(const NodeCounts& part, const ClassList& classes_of_part) {
    for (const int c : classes_of_part) {
        Count* left = of(c);
        const Count* taken = part.of(c);
        for (std::size_t cell = 0; cell < class_cells_; ++cell) left[cell] -= taken[cell];
    }
}

template <typename Count>
bool count_rows(const RowLayout& layout, const SortedRows& rows, NodeCounts<Count>& counts, Watch& watch) {
    const std::uint8_t* row = rows.first;
    for (int c = 0; c < layout.n_classes(); ++c) {
        for (std::int64_t done = 0; done < rows.class_sizes[c]; done += kMaxStrip) {
            const int n_rows = int(std::min(kMaxStrip, rows.class_sizes[c] - done));
            count_strip(layout, {row, layout.row_bytes(), n_rows, done == 0}, counts.of(c));
            row += n_rows * layout.row_bytes();
            if (watch.is_over(work_of_rows(layout, n_rows))) return false;
        }
    }
    return true;
}

std::vector<std::int64_t> count_classes(const Cases& cases, std::span<const std::int32_t> numbers, Watch& watch) {
    const int width = *std::max_element(cases.n_outcomes.begin(), cases.n_outcomes.end());
    const std::size_t n_classes = cases.n_classes, test_cells = width * n_classes;
    std::vector<std::int64_t> counts(test_cells * cases.n_tests());
    for (const std::int32_t number : numbers) {
        const std::uint8_t* row = cases.row(number);
        const std::int64_t weight = cases.weight(number);
        std::int64_t* cells = counts.data() + cases.labels[number];
        for (int test = 0; test < cases.n_tests(); ++test, cells += test_cells) cells[row[test] * n_classes] += weight;
        if (watch.is_over(cases.n_tests())) break;
    }
    return counts;
}

template class NodeCounts<std::uint32_t>;
template class NodeCounts<double>;
template bool count_rows(const RowLayout&, const SortedRows&, NodeCounts<std::uint32_t>&, Watch&);
template bool count_rows(const RowLayout&, const SortedRows&, NodeCounts<double>&, Watch&);
template void count_gathered(const RowLayout&, GatheredStrip&, const std::uint8_t*, std::int64_t, std::uint32_t*);
template void count_gathered(const RowLayout&, GatheredStrip&, const std::uint8_t*, std::int64_t, double*);

}  // namespace budgetree
