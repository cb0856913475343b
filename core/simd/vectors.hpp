// Vectors of bytes and of counts, in the compilers' own notation: GCC and Clang turn them into what the processor has.
//
//     Bytes   32 × 8 bits     one test per lane
//     Words   16 × 16 bits    one count per lane
//
// A file whose name ends in _simd.cpp is compiled once per kind of processor (CMakeLists.txt), each time into a
// namespace of its own: BUDGETREE_SIMD. Such a file uses nothing of the standard library but integer types and memcpy:
// a template instantiated in both would be merged by the linker, and the wrong one might survive.
#pragma once

#include <cstdint>
#include <cstring>

namespace budgetree {

inline constexpr int kByteLanes = 32;
inline constexpr int kWordLanes = 16;

using Bytes [[gnu::vector_size(32)]] = std::uint8_t;
using Words [[gnu::vector_size(32)]] = std::uint16_t;

static_assert(sizeof(Bytes) == kByteLanes);
static_assert(sizeof(Words) == kWordLanes * sizeof(std::uint16_t));

template <typename Vector, typename Element>
[[gnu::always_inline]] inline Vector load(const Element* from) {
    Vector loaded;
    std::memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

template <typename Vector, typename Element>
[[gnu::always_inline]] inline void store(const Vector& vector, Element* to) {
    std::memcpy(to, &vector, sizeof vector);
}

template <typename Vector>
[[gnu::always_inline]] inline Vector larger(Vector a, Vector b) {
    return a > b ? a : b;
}

template <typename Vector, typename Element>
[[gnu::always_inline]] inline void raise(Element* to, Vector by) {
    store(larger(load<Vector>(to), by), to);
}

// By the largest of all lanes: half of them against the other half, as long as halves are vectors.
template <typename Vector, typename Element>
[[gnu::always_inline]] inline void raise_one(Element& to, Vector by) {
    Element lanes[sizeof(Vector) / sizeof(Element)];
    store(by, lanes);
    if constexpr (sizeof(Vector) > 8) {
        using Half [[gnu::vector_size(sizeof(Vector) / 2)]] = Element;
        raise_one(to, larger(load<Half>(lanes), load<Half>(lanes + sizeof(Half) / sizeof(Element))));
    } else {
        for (const Element lane : lanes) to = lane > to ? lane : to;
    }
}

}  // namespace budgetree
