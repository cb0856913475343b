// BigUInt: a whole number of up to 1,024 bits, for the few comparisons that floats cannot settle.
//
//     limbs   [ 64 bits | 64 bits | … ]   least first; `size` of them are in use, the last of these is not 0
//
// Fast because nothing is allocated and only the limbs in use are touched: most numbers here have one to three. Nothing
// checks for overflow at run time; the caller of a growth makes sure beforehand that everything fits (the plain
// grower serves where it does not).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace budgetree {

class BigUInt {
public:
    static constexpr int kLimbs = 16;

    BigUInt() = default;
    BigUInt(std::uint64_t value) : size_(value != 0) { limbs_[0] = value; }  // NOLINT: a small number is a number

    // Least byte first, as Python's int.to_bytes(…, "little").
    static BigUInt from_bytes(std::span<const std::uint8_t> bytes) {
        BigUInt number;
        for (std::size_t i = 0; i < bytes.size() && i < kLimbs * 8; ++i) {
            number.limbs_[i / 8] |= std::uint64_t(bytes[i]) << i % 8 * 8;
        }
        number.size_ = kLimbs;
        number.trim();
        return number;
    }

    bool is_zero() const { return size_ == 0; }
    std::span<const std::uint64_t> limbs() const { return {limbs_.data(), std::size_t(size_)}; }

    // The nearest float from below, about; infinite if it is missing.
    double as_double() const {
        double value = 0.0;
        for (int i = size_ - 1; i >= 0; --i) value = value * 0x1p64 + double(limbs_[i]);
        return value;
    }

    BigUInt& operator+=(const BigUInt& other) {
        const int size = size_ > other.size_ ? size_ : other.size_;
        unsigned __int128 carry = 0;
        for (int i = 0; i < size; ++i) {
            carry += (unsigned __int128)limbs_[i] + other.limbs_[i];
            limbs_[i] = std::uint64_t(carry);
            carry >>= 64;
        }
        size_ = size;
        if (carry != 0 && size_ < kLimbs) limbs_[size_++] = std::uint64_t(carry);
        return *this;
    }

    // The other must not be larger.
    BigUInt& operator-=(const BigUInt& other) {
        std::uint64_t borrow = 0;
        for (int i = 0; i < size_; ++i) {
            const unsigned __int128 taken = (unsigned __int128)other.limbs_[i] + borrow;
            borrow = limbs_[i] < taken;
            limbs_[i] -= std::uint64_t(taken);
        }
        trim();
        return *this;
    }

    friend BigUInt operator+(BigUInt a, const BigUInt& b) { return a += b; }
    friend BigUInt operator-(BigUInt a, const BigUInt& b) { return a -= b; }

    friend BigUInt operator*(const BigUInt& a, const BigUInt& b) {
        BigUInt product;
        for (int i = 0; i < a.size_; ++i) {
            unsigned __int128 carry = 0;
            for (int j = 0; i + j < kLimbs && (j < b.size_ || carry != 0); ++j) {
                carry += (unsigned __int128)a.limbs_[i] * (j < b.size_ ? b.limbs_[j] : 0) + product.limbs_[i + j];
                product.limbs_[i + j] = std::uint64_t(carry);
                carry >>= 64;
            }
        }
        product.size_ = kLimbs < a.size_ + b.size_ ? kLimbs : a.size_ + b.size_;
        product.trim();
        return product;
    }

    friend std::strong_ordering operator<=>(const BigUInt& a, const BigUInt& b) {
        if (a.size_ != b.size_) return a.size_ <=> b.size_;
        for (int i = a.size_ - 1; i >= 0; --i) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
        }
        return std::strong_ordering::equal;
    }
    friend bool operator==(const BigUInt& a, const BigUInt& b) { return (a <=> b) == std::strong_ordering::equal; }

private:
    void trim() {
        while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
    }

    std::array<std::uint64_t, kLimbs> limbs_ = {};
    int size_ = 0;
};

// What is left of a after b, or nothing.
inline BigUInt excess(const BigUInt& a, const BigUInt& b) {
    return a > b ? a - b : BigUInt();
}

inline BigUInt power(std::uint64_t base, int exponent) {
    BigUInt result(1);
    const BigUInt factor(base);
    for (int i = 0; i < exponent; ++i) result = result * factor;
    return result;
}

}  // namespace budgetree
