#include "tables/partition.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "simd/processor.hpp"
#include "tables/counting.hpp"
#include "tables/row_layout.hpp"

namespace budgetree {
namespace {

constexpr std::size_t kBetweenLooks = 4096;  // cases; after that many the clock is asked
constexpr std::int64_t kWorthAStrip = 24;    // cases of one slot and class that are counted faster together
constexpr std::size_t kFetchAhead = 12;      // cases whose codes are on their way while others are read
constexpr int kReadAhead = 32;               // bytes that a packing function may read beyond a case

std::vector<std::size_t> first_cells(const Cases& cases) {
    std::vector<std::size_t> first(cases.n_tests() + 1);
    for (int test = 0; test < cases.n_tests(); ++test) {
        first[test + 1] = first[test] + std::size_t(cases.n_outcomes[test]) * cases.n_classes;
    }
    return first;
}

// The cases that are counted, those of one slot and class together.
struct Sorted {
    std::vector<std::uint32_t> order;  // numbers of cases
    std::vector<std::size_t> end;      // per slot × class, where its cases end in the order
};

Sorted sort_by_slot(const Cases& cases, std::span<const std::int32_t> places, const Slots& slots) {
    const std::size_t n_classes = cases.n_classes;
    std::vector<std::size_t> next(slots.n_slots * n_classes + 1);
    const auto bucket_of = [&](std::size_t number) {
        const std::int32_t place = places[number];
        const std::int32_t slot = place < 0 ? kNowhere : slots.of_place[place];
        return slot < 0 ? -1 : std::ptrdiff_t(slot * n_classes + cases.labels[number]);
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (const auto bucket = bucket_of(i); bucket >= 0) ++next[bucket + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(next.back());
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (const auto bucket = bucket_of(i); bucket >= 0) order[next[bucket]++] = std::uint32_t(i);
    }
    next.pop_back();  // each has moved on to where its bucket ends
    return {std::move(order), std::move(next)};
}

template <typename Count>
class SlotCounter {
public:
    explicit SlotCounter(const Cases& cases)
        : cases_(cases), layout_(cases.n_outcomes, cases.n_classes, false), first_(first_cells(cases)),
          together_(kMaxStrip * cases.n_tests() + kReadAhead), labels_(kMaxStrip),
          packed_(kMaxStrip, layout_.row_bytes()), cells_(layout_.n_cells()) {}

    // Adds the cases of one class to a slot's cells.
    void add(std::span<const std::uint32_t> numbers, int c, Count* counts) {
        if (!cases_.weights.empty() || std::int64_t(numbers.size()) < kWorthAStrip) return add_each(numbers, c, counts);
        bool is_first = true;
        for (std::size_t begin = 0; begin < numbers.size(); begin += kMaxStrip) {
            const auto strip = numbers.subspan(begin, std::min(std::size_t(kMaxStrip), numbers.size() - begin));
            gather(strip);
            count_strip(layout_, {packed_.row(0), layout_.row_bytes(), int(strip.size()), is_first}, cells_.data());
            is_first = false;
        }
        for (int test = 0; test < layout_.n_tests(); ++test) {
            Count* into = counts + first_[test] + c;
            for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome, into += cases_.n_classes) {
                *into += cells_[layout_.cell(test, outcome)];
            }
        }
    }

private:
    // Cases of one slot lie far apart, and memory is slow to answer.
    void fetch_ahead(std::span<const std::uint32_t> numbers, std::size_t i) const {
        if (i + kFetchAhead >= numbers.size()) return;
        const std::uint8_t* row = cases_.row(numbers[i + kFetchAhead]);
        for (int byte = 0; byte < cases_.n_tests(); byte += 64) __builtin_prefetch(row + byte);
        __builtin_prefetch(row + cases_.n_tests() - 1);
    }

    void add_each(std::span<const std::uint32_t> numbers, int c, Count* counts) const {
        const std::size_t n_classes = cases_.n_classes;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            fetch_ahead(numbers, i);
            const std::uint32_t number = numbers[i];
            const std::uint8_t* row = cases_.row(number);
            const auto weight = Count(cases_.weight(number));
            for (int test = 0; test < cases_.n_tests(); ++test)
                counts[first_[test] + row[test] * n_classes + c] += weight;
        }
    }

    void gather(std::span<const std::uint32_t> numbers) {
        const std::size_t n_tests = cases_.n_tests(), row_bytes = layout_.row_bytes();
        if (!layout_.is_packed()) {
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                fetch_ahead(numbers, i);
                std::uint8_t* into = packed_.row(i);
                std::memcpy(into, cases_.row(numbers[i]), n_tests);
                std::memset(into + n_tests, 0, row_bytes - n_tests);
            }
            return;
        }
        std::uint8_t* into = together_.data();
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            fetch_ahead(numbers, i);
            into = std::copy_n(cases_.row(numbers[i]), n_tests, into);
        }
        std::uint8_t* next = packed_.row(0);  // all labels are 0: one class
        packing_functions().pack(
            {together_.data(), int(n_tests), labels_.data(), std::int64_t(numbers.size()), row_bytes}, &next);
    }

    const Cases& cases_;
    RowLayout layout_;
    std::vector<std::size_t> first_;
    std::vector<std::uint8_t> together_;
    std::vector<std::int32_t> labels_;
    Rows packed_;
    std::vector<std::uint32_t> cells_;
};

}  // namespace

std::vector<std::int32_t> move_cases(const Cases& cases, std::span<const std::int32_t> places, const Moves& moves,
                                     Watch& watch) {
    std::vector<std::int32_t> moved(places.size(), kNowhere);
    for (std::size_t begin = 0; begin < places.size(); begin += kBetweenLooks) {
        const std::size_t end = std::min(begin + kBetweenLooks, places.size());
        for (std::size_t i = begin; i < end; ++i) {
            const std::int32_t place = places[i], test = place < 0 ? kNowhere : moves.test[place];
            if (test >= 0) moved[i] = moves.below[place * moves.width + cases.row(i)[test]];
        }
        if (watch.is_over(kBetweenLooks * 4)) break;
    }
    return moved;
}

std::size_t cells_of(const Cases& cases) {
    return first_cells(cases).back();
}

template <typename Count>
std::vector<Count> count_places(const Cases& cases, std::span<const std::int32_t> places, const Slots& slots,
                                Watch& watch) {
    const std::size_t n_cells = cells_of(cases);
    std::vector<Count> counts(slots.n_slots * n_cells);
    const Sorted sorted = sort_by_slot(cases, places, slots);
    SlotCounter<Count> counter(cases);
    std::size_t begin = 0;
    for (std::size_t bucket = 0; bucket < sorted.end.size(); ++bucket) {
        const std::size_t end = sorted.end[bucket];
        const std::size_t slot = bucket / cases.n_classes;
        const int c = int(bucket % cases.n_classes);
        for (; begin < end; begin = std::min(begin + kBetweenLooks * kMaxStrip, end)) {
            const std::size_t n_here = std::min(kBetweenLooks * kMaxStrip, end - begin);
            counter.add(std::span(sorted.order).subspan(begin, n_here), c, counts.data() + slot * n_cells);
            if (watch.is_over(std::int64_t(n_here) * cases.n_tests())) return counts;
        }
    }
    return counts;
}

template std::vector<std::uint32_t> count_places(const Cases&, std::span<const std::int32_t>, const Slots&, Watch&);
template std::vector<std::int64_t> count_places(const Cases&, std::span<const std::int32_t>, const Slots&, Watch&);

}  // namespace budgetree
