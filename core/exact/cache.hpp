// The cache of object sets: what exact search has learned about a set, whatever path led to it.
//
//     bucket   │ Known │ Known │ Known │ Known │     four ways; a Known is one or two lines of the processor's cache
//
// A lower bound holds in a box: while less than its amounts are left. A tree found holds from its own amounts on. Both
// are of the very flags that the path has: better ones would serve trees, worse ones bounds, but would have to be
// found. Of a full bucket the entry that took the least work is given up: losing one only costs time. The table grows
// as it fills, so a small question never touches much memory.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/object_set.hpp"

namespace budgetree::BUDGETREE_EXACT {

struct alignas(64) Known {
    Key key;
    Units bound = 0;
    Amounts bound_below = {};  // nothing is proven where this is nothing
    Units found = kNever;
    Amounts found_from = {};
    std::int32_t found_test = kNoTest;
    std::uint32_t found_in = 0;  // the narrow pass that found it: the same pass would find it again
    std::int64_t effort = 0;     // 0: the entry is free
};
static_assert(sizeof(Known) == (kResources == 1 ? 64 : 128));

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

// What a search remembers of sets, asked and told in the search's own terms. A set is remembered together with the
// flags of the path to it: with others its answer may be another.
class Memory {
public:
    explicit Memory(std::size_t max_bytes) : cache_(max_bytes) {}

    const Known* look_up(const ObjectSet& set, Flags flags) const { return cache_.look_up(key_of(set, flags)); }

    // Raises what is proven of a part to what is known; an exact answer settles it.
    void recall(Part& part, const Remaining& remaining) const {
        const Known* known = look_up(part, remaining.state.flags);
        if (known == nullptr || !remaining.left().is_below(known->bound_below) || known->bound < part.proven) return;
        part.proven = known->bound;
        part.up_to = known->bound_below;
        if (known->found == known->bound && known->found_from.fits(remaining.left())) {
            part.settle(known->bound, part.up_to, known->found_from);
        }
    }

    // No tree has fewer errors while less than answer.changes is left. The box that is known is kept only where it
    // contains this one and says as much.
    void remember_bound(const ObjectSet& set, Flags flags, const Answer& answer, std::int64_t effort) {
        Known& known = cache_.claim(key_of(set, flags), effort);
        if (!answer.changes.fits(known.bound_below) || known.bound < answer.value) {
            known.bound = answer.value;
            known.bound_below = answer.changes;
        }
    }

    // A tree with these errors that answer.need buys; `pass` names the narrow pass that found it, 0 the full search.
    void remember_tree(const ObjectSet& set, Flags flags, const Answer& answer, std::int64_t effort,
                       std::uint32_t pass) {
        Known& known = cache_.claim(key_of(set, flags), effort);
        known.found = answer.value;
        known.found_from = answer.need;
        known.found_test = answer.test;
        known.found_in = pass;
    }

private:
    static constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;  // spreads flags over the key

    static Key key_of(const ObjectSet& set, Flags flags) {
        return {set.key.first + flags * kMix, set.key.second + (flags ^ kMix) * kMix};
    }

    Cache cache_;
};

}  // namespace budgetree::BUDGETREE_EXACT
