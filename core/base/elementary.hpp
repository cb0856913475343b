// Exponential and logarithm from basic operations alone: every processor and every library gives the same bits.
//
// Without branches, calls or divisions in a row, so that the compiler can compute two or four at once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace budgetree {

// Added to a number of at most 2^51, it leaves the nearest whole number in the last bits.
inline constexpr double kRounding = 0x1.8p52;

// e^x for x ≤ 0: x = k ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of e^r.
inline double exponential(double x) {
    constexpr double kLog2High = 0x1.62e42fee00000p-1, kLog2Low = 0x1.a39ef35793c76p-33;
    constexpr std::array<double, 14> kSeries = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
    const double shifted = x * 0x1.71547652b82fep+0 + kRounding, k = shifted - kRounding;
    const double r = (x - k * kLog2High) - k * kLog2Low;
    double sum = 0.0;
    for (const double factor : kSeries) sum = sum * r + factor;
    // The last bits of `shifted` are k: 2^k has it in its exponent.
    const auto power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + 0x3ff0000000000000);
    return x < -700 ? 0.0 : sum * power;
}

// ln x for x ≥ 1: x = 2^k m with m from √½ to √2, and the series of 2 artanh((m - 1) / (m + 1)).
inline double logarithm(double x) {
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kExponent = 0xfff0000000000000;
    constexpr double kLog2 = 0x1.62e42fefa39efp-1;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x), above = bits - kRootHalf;
    const auto m = std::bit_cast<double>(bits - (above & kExponent));
    const double t = (m - 1) / (m + 1), square = t * t;
    double sum = 0.0;
    for (int n = 21; n > 0; n -= 2) sum = sum * square + 2.0 / n;
    return double(above >> 52) * kLog2 + sum * t;
}

}  // namespace budgetree
