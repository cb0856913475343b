#include "base/spare_memory.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace budgetree {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kSmall = 1 << 20;       // below, the system's own free lists do
constexpr std::size_t kMaxSpare = 128 << 20;  // bytes

struct Block {
    std::uint8_t* data;
    std::size_t bytes;
};

void release(std::uint8_t* data) {
    ::operator delete(data, std::align_val_t(kLine));
}

class Spare {
public:
    // The smallest that is large enough, unless most of it would lie idle.
    Block take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        auto best = blocks_.end();
        for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
            const bool fits = block->bytes >= bytes && block->bytes / 4 <= bytes;
            if (fits && (best == blocks_.end() || block->bytes < best->bytes)) best = block;
        }
        if (best == blocks_.end()) return {nullptr, 0};
        const Block taken = *best;
        blocks_.erase(best);
        held_ -= taken.bytes;
        return taken;
    }

    // The oldest make room for it.
    void put(const Block& given) {
        const std::lock_guard lock(mutex_);
        while (!blocks_.empty() && held_ + given.bytes > kMaxSpare) {
            held_ -= blocks_.front().bytes;
            release(blocks_.front().data);
            blocks_.erase(blocks_.begin());
        }
        if (given.bytes > kMaxSpare) return release(given.data);
        blocks_.push_back(given);
        held_ += given.bytes;
    }

private:
    std::mutex mutex_;
    std::vector<Block> blocks_;
    std::size_t held_ = 0;
};

Spare& spare() {
    // Never destroyed: Python may give back a table after static objects are gone.
    static Spare* const only = std::make_unique<Spare>().release();
    return *only;
}

}  // namespace

Memory::Memory(std::size_t bytes) {
    const Block known = bytes < kSmall ? Block{nullptr, 0} : spare().take(bytes);
    data_ = known.data;
    bytes_ = known.bytes;
    if (data_ == nullptr) {
        data_ = static_cast<std::uint8_t*>(::operator new(bytes, std::align_val_t(kLine)));
        bytes_ = bytes;
    }
}

Memory::~Memory() {
    if (data_ == nullptr) return;
    bytes_ < kSmall ? release(data_) : spare().put({data_, bytes_});
}

}  // namespace budgetree
