// A shard: some of many cases, of which other shards hold the rest. Each case is at a place, a node of a growing tree.
//
//     places   per case         where it is; -1 where its path has ended
//     slots    per place        where its counts go; -1 where they are not wanted
//     counts   slot | test 0: outcome 0 [classes] outcome 1 [classes] … | test 1: … |
//
// Only sums leave a shard, and sums do not depend on who adds them. Fast because the cases of a slot and a class are
// brought together first: the cells of one slot stay in the nearest cache, and cases that count once are counted by
// strips, many tests at a time (counting.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "tables/cases.hpp"

namespace budgetree {

inline constexpr std::int32_t kNowhere = -1;

// Where cases go: per place the test that is done there, and per place × outcome the next place.
struct Moves {
    std::span<const std::int32_t> test;
    std::span<const std::int32_t> below;
    std::size_t width = 0;  // outcomes of a row of `below`
};

// The new place of each case; what the clock left undone is nowhere.
std::vector<std::int32_t> move_cases(const Cases& cases, std::span<const std::int32_t> places, const Moves& moves,
                                     Watch& watch);

struct Slots {
    std::span<const std::int32_t> of_place;
    std::size_t n_slots = 0;
};

// How many cells a slot has: outcomes of all tests × classes.
std::size_t cells_of(const Cases& cases);

// Slot × test and outcome × class, in weight units: int64 for any cases, uint32 where each counts once.
template <typename Count>
std::vector<Count> count_places(const Cases& cases, std::span<const std::int32_t> places, const Slots& slots,
                                Watch& watch);

}  // namespace budgetree
