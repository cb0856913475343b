#include "counting.hpp"

#include <algorithm>

#include "processor.hpp"

namespace budgetree {
namespace {

constexpr std::int64_t kStrip = 255;  // rows that byte counters can take

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

void count_strip(const RowLayout& layout, const Strip& strip, std::uint32_t* cells) {
    static const auto count = counting_functions().count_strip;
    count(strip, layout.shape(), cells);
}

void count_strip(const RowLayout& layout, const Strip& strip, double* cells) { add_weighted(layout, strip, cells); }

std::int64_t work_of(const RowLayout& layout, int n_rows) {
    return n_rows * std::int64_t(layout.is_weighted() ? layout.n_tests() : layout.code_bytes() / 4 + 1);
}

}  // namespace

const CountingFunctions& counting_functions() {
#if defined(BUDGETREE_HAS_AVX2)
    return variant(baseline::counting, &avx2::counting);
#else
    return variant<CountingFunctions>(baseline::counting, nullptr);
#endif
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
        for (std::int64_t done = 0; done < rows.class_sizes[c]; done += kStrip) {
            const int n_rows = int(std::min(kStrip, rows.class_sizes[c] - done));
            count_strip(layout, {row, layout.row_bytes(), n_rows, done == 0}, counts.of(c));
            row += n_rows * layout.row_bytes();
            if (watch.is_over(work_of(layout, n_rows))) return false;
        }
    }
    return true;
}

template <typename Count>
bool count_numbered(const Table& table, std::span<const std::int32_t> numbers, NodeCounts<Count>& counts,
                    Watch& watch) {
    const RowLayout& layout = table.layout();
    const std::size_t row_bytes = layout.row_bytes();
    // Strips are brought together in a buffer that stays in the nearest cache, so that one loop counts everything.
    const Rows gathered(std::min<std::size_t>(kStrip, numbers.size()), row_bytes);
    std::int64_t class_end = 0;
    std::size_t place = 0;
    for (int c = 0; c < layout.n_classes(); ++c) {
        class_end += table.class_sizes()[c];
        for (bool is_first = true; place < numbers.size() && numbers[place] < class_end; is_first = false) {
            int n_rows = 0;
            for (; n_rows < kStrip && place < numbers.size() && numbers[place] < class_end; ++n_rows, ++place) {
                std::memcpy(gathered.row(n_rows), table.rows().row(numbers[place]), row_bytes);
            }
            count_strip(layout, {gathered.row(0), row_bytes, n_rows, is_first}, counts.of(c));
            if (watch.is_over(work_of(layout, n_rows))) return false;
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
template bool count_numbered(const Table&, std::span<const std::int32_t>, NodeCounts<std::uint32_t>&, Watch&);
template bool count_numbered(const Table&, std::span<const std::int32_t>, NodeCounts<double>&, Watch&);

}  // namespace budgetree
