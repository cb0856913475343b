// What each test alone gets right of a set, 32 tests at once: for tests of a few outcomes on cases that count once.
//
//     row of a case     │ 2 0 1 3 … │     a byte per test, 32 to a vector
//     compare with v    │ 0 0 1 0 … │     −1 where the test shows outcome v
//
// The cases come class by class: a byte counts the matches within a class, and of all classes the largest count of an
// outcome is what a leaf there gets right. Counting case by case and test by test takes four to five times as long.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/processor.hpp"

namespace budgetree {

struct ClassRuns {
    const std::uint8_t* rows;  // of the whole table
    std::size_t n_lanes;
    const std::int32_t* objects;  // sorted by class
    const std::int32_t* ends;     // where each class that is present ends
    int n_runs;
    bool fits_bytes;  // no class has more than 255 cases
};

// With losses: what a case of each class present gains with most answers, and how much more with some, in 16 bits,
// which are enough for the gains of the whole set. Less is more by 2¹⁶ − less.
struct RunGains {
    struct More {
        int place;  // of the answer, among those that several classes have something unusual for
        std::uint16_t gain;
    };
    ClassRuns runs;
    const std::uint16_t* usual;  // per run
    const std::uint16_t* own;    // per run: the most that an answer gains more of this class alone; 0 where none does
    const More* more;            // of one run after another
    const std::int32_t* ends;    // where each run's end
    int n_places;                // at most kMaxAnswers
    bool has_usual;              // whether an answer gains what is usual, or more, of every class
};

inline constexpr int kMaxAnswers = 64;

// Of the cases that show each outcome of each test: how many, and how many ordered pairs of one class (level × 32
// lanes).
struct LevelCounts {
    std::uint32_t* totals;
    std::uint32_t* squares;
};

// All for the 32 tests of a block, each of which shows outcomes below n_levels; fewer than 2¹⁶ cases.
struct SplitKernels {
    // right[lane]: what the test alone gets right.
    void (*count_right)(const ClassRuns& set, int block, int n_levels, std::uint16_t* right);
    // The same with losses, for at most kMaxAnswers answers.
    void (*count_gains)(const RunGains& set, int block, int n_levels, std::uint16_t* right);
    // The room for levels is a multiple of four.
    void (*count_pairs)(const ClassRuns& set, int block, int n_levels, const LevelCounts& counts);
};

inline constexpr int kLevelsAtOnce = 4;

const SplitKernels& split_kernels();

}  // namespace budgetree
