// Counting many tests at a time. Compiled once per kind of processor; see counting.hpp for the idea.
#include "simd/counting_simd.hpp"

#include "simd/vectors.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace budgetree::BUDGETREE_SIMD {
namespace {

using Narrow [[gnu::vector_size(16)]] = std::uint8_t;  // a block; Bytes is two neighbouring ones

constexpr int kRowsPerHalfByte = 15;
constexpr int kManyLevels = 60;  // above this, comparing with each costs more than counting cell by cell
constexpr int kFewRows = 1;      // up to this, setting up the vectors costs more

#if defined(__AVX2__)
constexpr bool kLooksUp = true;
[[gnu::always_inline]] inline Narrow look_up(Narrow table, Narrow codes) {
    return (Narrow)_mm_shuffle_epi8((__m128i)table, (__m128i)codes);
}
[[gnu::always_inline]] inline Bytes look_up(Bytes table, Bytes codes) {
    return (Bytes)_mm256_shuffle_epi8((__m256i)table, (__m256i)codes);
}
#elif defined(__aarch64__)
constexpr bool kLooksUp = true;
[[gnu::always_inline]] inline Narrow look_up(Narrow table, Narrow codes) {
    return (Narrow)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)codes);
}
[[gnu::always_inline]] inline Bytes look_up(Bytes table, Bytes codes) {
    Narrow halves[4];
    std::memcpy(&halves[0], &table, sizeof table);
    std::memcpy(&halves[2], &codes, sizeof codes);
    halves[0] = look_up(halves[0], halves[2]);
    halves[1] = look_up(halves[1], halves[3]);
    std::memcpy(&table, &halves[0], sizeof table);
    return table;
}
#else
constexpr bool kLooksUp = false;
template <typename Vector>
Vector look_up(Vector, Vector codes) {
    return codes;
}
#endif

enum class Part { kLowHalf, kHighHalf, kByte };

// The tests that a vector of codes belongs to: one group per 16 lanes.
template <typename Vector>
struct Target {
    static constexpr int kGroups = sizeof(Vector) / kGroup;
    std::uint32_t* cells[kGroups];
    int n_levels[kGroups];
    bool is_first;

    int max_levels() const {
        return kGroups == 2 && n_levels[kGroups - 1] > n_levels[0] ? n_levels[kGroups - 1] : n_levels[0];
    }

    [[gnu::always_inline]] void add(const Vector& counted, int level) const {
        std::uint8_t lanes[sizeof(Vector)];
        store(counted, lanes);
        for (int group = 0; group < kGroups; ++group) {
            if (level >= n_levels[group]) continue;
            std::uint32_t* to = cells[group] + level * kGroup;
            const std::uint8_t* from = lanes + group * kGroup;
            if (is_first) {
                for (int lane = 0; lane < kGroup; ++lane) to[lane] = from[lane];
            } else {
                for (int lane = 0; lane < kGroup; ++lane) to[lane] += from[lane];
            }
        }
    }
};

template <typename Vector, Part part>
[[gnu::always_inline]] inline Vector codes_at(const std::uint8_t* block) {
    const Vector codes = load<Vector>(block);
    if constexpr (part == Part::kLowHalf) return codes & 15;
    if constexpr (part == Part::kHighHalf) return codes >> 4;
    return codes;
}

// Codes 0 and 1 are added up as they are, those of both halves in one go; what is not a one is a zero.
template <typename Vector>
void count_binary(const Strip& strip, const Target<Vector>& low, const Target<Vector>& high) {
    Vector low_ones = {}, high_ones = {};
    const std::uint8_t* row = strip.first;
    for (int done = 0; done < strip.n_rows;) {
        const int end = done + kRowsPerHalfByte < strip.n_rows ? done + kRowsPerHalfByte : strip.n_rows;
        Vector ones = {};
        for (; done < end; ++done, row += strip.row_bytes) ones += load<Vector>(row);
        low_ones += ones & 15;
        high_ones += ones >> 4;
    }
    const Vector all = Vector{} + std::uint8_t(strip.n_rows);
    low.add(all - low_ones, 0);
    low.add(low_ones, 1);
    high.add(all - high_ones, 0);
    high.add(high_ones, 1);
}

// Two outcomes per look-up: one counts in the low, the other in the high half of a byte.
template <typename Vector, Part part, int Pairs>
void count_by_look_up(const Strip& strip, const Target<Vector>& target) {
    Vector increment[Pairs];
    for (int p = 0; p < Pairs; ++p) {
        std::uint8_t table[sizeof(Vector)] = {};
        for (unsigned i = 0; i < sizeof(Vector); i += 16) table[i + 2 * p] = 1, table[i + 2 * p + 1] = 16;
        increment[p] = load<Vector>(table);
    }
    Vector first[Pairs] = {}, second[Pairs] = {};
    const std::uint8_t* row = strip.first;
    for (int done = 0; done < strip.n_rows;) {
        const int end = done + kRowsPerHalfByte < strip.n_rows ? done + kRowsPerHalfByte : strip.n_rows;
        Vector counted[Pairs] = {};
        for (; done < end; ++done, row += strip.row_bytes) {
            const Vector codes = codes_at<Vector, part>(row);
            for (int p = 0; p < Pairs; ++p) counted[p] += look_up(increment[p], codes);
        }
        for (int p = 0; p < Pairs; ++p) {
            first[p] += counted[p] & 15;
            second[p] += counted[p] >> 4;
        }
    }
    for (int p = 0; p < Pairs; ++p) {
        target.add(first[p], 2 * p);
        target.add(second[p], 2 * p + 1);
    }
}

template <typename Vector, Part part, int Pairs = 1>
void count_pairs(const Strip& strip, const Target<Vector>& target, int n_pairs) {
    if constexpr (Pairs < kHalfByteLevels / 2) {
        if (n_pairs > Pairs) return count_pairs<Vector, part, Pairs + 1>(strip, target, n_pairs);
    }
    count_by_look_up<Vector, part, Pairs>(strip, target);
}

// A match is −1 in every bit, so subtracting it counts one.
template <typename Vector, Part part, int Levels>
void count_by_comparing(const Strip& strip, const Target<Vector>& target, int first_level) {
    Vector counted[Levels] = {};
    const std::uint8_t* row = strip.first;
    for (int done = 0; done < strip.n_rows; ++done, row += strip.row_bytes) {
        const Vector codes = codes_at<Vector, part>(row);
        for (int v = 0; v < Levels; ++v) counted[v] -= (Vector)(codes == std::uint8_t(first_level + v));
    }
    for (int v = 0; v < Levels; ++v) target.add(counted[v], first_level + v);
}

template <typename Vector, Part part>
void count_part(const Strip& strip, const Target<Vector>& target) {
    const int n_levels = target.max_levels();
    if (kLooksUp && n_levels <= kHalfByteLevels) {
        if (n_levels > 0) count_pairs<Vector, part>(strip, target, (n_levels + 1) / 2);
        return;
    }
    int level = 0;
    for (; level + 2 < n_levels; level += 6) count_by_comparing<Vector, part, 6>(strip, target, level);
    for (; level < n_levels; level += 2) count_by_comparing<Vector, part, 2>(strip, target, level);
}

// `every` is how many groups lie between those of neighbouring blocks: packed blocks hold two each.
template <typename Vector>
Target<Vector> target_at(const Strip& strip, const RowShape& shape, std::uint32_t* cells, int group, int every) {
    Target<Vector> target;
    target.is_first = strip.is_first;
    for (int i = 0; i < Target<Vector>::kGroups; ++i, group += every) {
        const bool exists = group < shape.n_groups;
        target.n_levels[i] = exists ? shape.n_levels[group] : 0;
        target.cells[i] = exists ? cells + shape.cells_before[group] : nullptr;
    }
    return target;
}

template <typename Vector>
void count_packed(const Strip& strip, const RowShape& shape, int block, std::uint32_t* cells) {
    const Strip here = {strip.first + block * kBlockBytes, strip.row_bytes, strip.n_rows, strip.is_first};
    const auto low = target_at<Vector>(strip, shape, cells, 2 * block, 2);
    const auto high = target_at<Vector>(strip, shape, cells, 2 * block + 1, 2);
    if (low.max_levels() <= 2 && high.max_levels() <= 2) return count_binary(here, low, high);
    count_part<Vector, Part::kLowHalf>(here, low);
    count_part<Vector, Part::kHighHalf>(here, high);
}

void count_cells(const Strip& strip, const RowShape& shape, int group, std::uint32_t* cells) {
    std::uint32_t* to = cells + shape.cells_before[group];
    if (strip.is_first) {
        for (int i = 0; i < shape.n_levels[group] * kGroup; ++i) to[i] = 0;
    }
    const int place = (shape.is_packed ? group / 2 : group) * kBlockBytes;
    const int shift = shape.is_packed && group % 2 == 1 ? 4 : 0;
    const int mask = shape.is_packed ? 15 : 255;
    const std::uint8_t* row = strip.first + place;
    for (int done = 0; done < strip.n_rows; ++done, row += strip.row_bytes) {
        for (int lane = 0; lane < kGroup; ++lane) ++to[(row[lane] >> shift & mask) * kGroup + lane];
    }
}

template <typename Vector>
void count_bytes(const Strip& strip, const RowShape& shape, int block, std::uint32_t* cells) {
    const auto target = target_at<Vector>(strip, shape, cells, block, 1);
    if (target.max_levels() > kManyLevels) {
        for (int i = 0; i < Target<Vector>::kGroups; ++i) count_cells(strip, shape, block + i, cells);
        return;
    }
    const Strip here = {strip.first + block * kBlockBytes, strip.row_bytes, strip.n_rows, strip.is_first};
    count_part<Vector, Part::kByte>(here, target);
}

void count_strip(const Strip& strip, const RowShape& shape, std::uint32_t* cells) {
    if (strip.n_rows <= kFewRows) {
        for (int group = 0; group < shape.n_groups; ++group) count_cells(strip, shape, group, cells);
        return;
    }
    const int n_blocks = shape.n_blocks();
    for (int block = 0; block < n_blocks; block += 2) {
        const bool has_two = block + 1 < n_blocks;
        if (shape.is_packed) {
            has_two ? count_packed<Bytes>(strip, shape, block, cells)
                    : count_packed<Narrow>(strip, shape, block, cells);
        } else {
            has_two ? count_bytes<Bytes>(strip, shape, block, cells) : count_bytes<Narrow>(strip, shape, block, cells);
        }
    }
}

void find_agreeing(const FewRows& few, const RowShape& shape, std::uint8_t* agree) {
    for (int block = 0; block < shape.n_blocks(); ++block) {
        Narrow found = {};
        for (int i = 0; i < few.n_rows; ++i) {
            const Narrow one = load<Narrow>(few.rows[i] + block * kBlockBytes);
            for (int j = few.class_end[i]; j < few.n_rows; ++j) {
                const Narrow differ = one ^ load<Narrow>(few.rows[j] + block * kBlockBytes);
                if (shape.is_packed) {
                    found |= (Narrow)((differ & 15) == 0) & 15;
                    found |= (Narrow)((differ & 240) == 0) & 240;
                } else {
                    found |= (Narrow)(differ == 0);
                }
            }
        }
        store(found, agree + block * kBlockBytes);
    }
}

}  // namespace

extern const CountingFunctions counting;
const CountingFunctions counting = {&count_strip, &find_agreeing};

}  // namespace budgetree::BUDGETREE_SIMD
