// Memory for rows: large blocks that begin at a cache line and are used again.
//
// Fast because a page that the system hands out for the first time costs more than growth reads from it: the largest
// block given back lately is kept for the next request, up to kMaxSpare bytes in the whole process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace budgetree {

class Memory {
public:
    Memory() = default;
    explicit Memory(std::size_t bytes);
    Memory(Memory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Memory& operator=(Memory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Memory();

    std::uint8_t* data() const { return data_; }

private:
    std::uint8_t* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace budgetree
