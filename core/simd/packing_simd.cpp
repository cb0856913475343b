// Packing: 32 codes become 16 bytes. Compiled once per kind of processor.
#include "simd/packing_simd.hpp"

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

using Half [[gnu::vector_size(16)]] = std::uint8_t;

// All ones in the first `n` lanes: what lies behind a row's last test is another row's.
alignas(16) constexpr std::uint8_t kOnesThenZeros[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                         255, 255, 255, 255, 255, 255, 255, 255};

[[gnu::always_inline]] inline Half first_lanes(const std::uint8_t* from, int n) {
    if (n >= 16) return load<Half>(from);
    return n <= 0 ? Half{} : load<Half>(from) & load<Half>(kOnesThenZeros + 16 - n);
}

[[gnu::always_inline]] inline void pack_row(const std::uint8_t* from, int n_tests, std::uint8_t* into) {
    for (; n_tests > 0; n_tests -= 32, from += 32, into += kBlockBytes) {
        store(Half(first_lanes(from, n_tests) | first_lanes(from + 16, n_tests - 16) << 4), into);
    }
}

void pack(const CasesToPack& cases, std::uint8_t** next_of_class) {
    const CasesToPack here = cases;  // a copy, which writing bytes cannot change
    const std::uint8_t* from = here.codes;
    for (std::int64_t i = 0; i < here.n_cases; ++i, from += here.n_tests) {
        std::uint8_t*& next = next_of_class[here.labels[i]];
        std::uint8_t* const into = next;
        next = into + here.row_bytes;
        pack_row(from, here.n_tests, into);
    }
}

}  // namespace

extern const PackingFunctions packing;
const PackingFunctions packing = {&pack};

}  // namespace budgetree::BUDGETREE_SIMD
