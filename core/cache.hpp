// The cache of object sets: what exact search has learned about a set, whatever path led to it.
//
//     bucket   │ Known │ Known │ Known │ Known │     four ways; a Known is 64 bytes, one line of the processor's cache
//
// A lower bound holds for every budget up to its own, a tree found for every budget from its own. Of a full bucket the
// entry that took the least work is given up: losing one only costs time. The table grows as it fills, so a small
// question never touches much memory.
#pragma once

#include <cstddef>
#include <vector>

#include "object_set.hpp"

namespace budgetree {

struct alignas(64) Known {
    Key key;
    Units bound = 0;
    Units bound_up_to = -1;  // inclusive; −1: nothing is proven
    Units found = kNever;
    Units found_from = 0;
    std::int32_t found_test = kNoTest;
    std::uint32_t found_in = 0;  // the narrow pass that found it: the same pass would find it again
    std::int64_t effort = 0;     // 0: the entry is free
};
static_assert(sizeof(Known) == 64);

class Cache {
public:
    explicit Cache(std::size_t max_bytes);

    const Known* look_up(const Key& key) const;
    // The set's own entry, a free one, or that of the least effort, made empty for it.
    Known& claim(const Key& key, std::int64_t effort);

private:
    static constexpr std::size_t kWays = 4;

    std::size_t bucket(const Key& key) const { return (key.first & (entries_.size() / kWays - 1)) * kWays; }
    void grow();

    std::size_t max_entries_, n_filled_ = 0;
    std::vector<Known> entries_;
};

}  // namespace budgetree
