#include "exact/cache.hpp"

#include <algorithm>
#include <bit>

namespace budgetree::BUDGETREE_EXACT {
namespace {

constexpr std::size_t kFirstEntries = 1 << 12;

}  // namespace

Cache::Cache(std::size_t max_bytes)
    : max_entries_(kWays * std::bit_floor(std::max<std::size_t>(max_bytes / sizeof(Known) / kWays, 1))),
      entries_(std::min(kFirstEntries, max_entries_)) {}

const Known* Cache::look_up(const Key& key) const {
    const Known* first = &entries_[bucket(key)];
    for (const Known* known = first; known < first + kWays; ++known) {
        if (known->key == key && known->effort > 0) return known;
    }
    return nullptr;
}

Known& Cache::claim(const Key& key, std::int64_t effort) {
    if (n_filled_ > entries_.size() / 4 && entries_.size() < max_entries_) grow();
    Known* const first = &entries_[bucket(key)];
    Known* given_up = first;
    for (Known* known = first; known < first + kWays; ++known) {
        if (known->key == key && known->effort > 0) {
            known->effort = std::max(known->effort, effort);
            return *known;
        }
        if (known->effort < given_up->effort) given_up = known;
    }
    n_filled_ += given_up->effort == 0;
    *given_up = Known{.key = key, .effort = std::max<std::int64_t>(effort, 1)};
    return *given_up;
}

void Cache::grow() {
    std::vector<Known> old(std::min(4 * entries_.size(), max_entries_));
    old.swap(entries_);
    n_filled_ = 0;
    for (const Known& known : old) {
        if (known.effort > 0) claim(known.key, known.effort) = known;
    }
}

}  // namespace budgetree::BUDGETREE_EXACT
