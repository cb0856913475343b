// HashIndex: small numbers found by a hash of what they stand for.
//
//     places   [ – | 7 | – | – | 2 | 5 | … ]     a power of two, at most half full; 2 and 5 wanted the same place
//
// Fast because looking is one or two steps through neighbouring memory; what a number stands for is the caller's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace budgetree {

class HashIndex {
public:
    static constexpr std::int32_t kEmpty = -1;

    explicit HashIndex(std::size_t size = 1024) : places_(size, kEmpty) {}

    template <typename IsIt>
    std::int32_t find(std::uint64_t hash, IsIt is_it) const {
        for (std::size_t place = hash & mask(); places_[place] != kEmpty; place = (place + 1) & mask()) {
            if (is_it(places_[place])) return places_[place];
        }
        return kEmpty;
    }

    template <typename HashOf>
    void add(std::int32_t number, HashOf hash_of) {
        if (2 * ++size_ > places_.size()) {
            std::vector<std::int32_t> old(2 * places_.size(), kEmpty);
            old.swap(places_);
            for (const std::int32_t known : old) {
                if (known != kEmpty) put(known, hash_of(known));
            }
        }
        put(number, hash_of(number));
    }

    void clear() {
        std::ranges::fill(places_, kEmpty);
        size_ = 0;
    }
    std::size_t bytes() const { return places_.size() * sizeof(std::int32_t); }

private:
    std::size_t mask() const { return places_.size() - 1; }
    void put(std::int32_t number, std::uint64_t hash) {
        std::size_t place = hash & mask();
        while (places_[place] != kEmpty) place = (place + 1) & mask();
        places_[place] = number;
    }

    std::vector<std::int32_t> places_;  // a power of two
    std::size_t size_ = 0;
};

}  // namespace budgetree
