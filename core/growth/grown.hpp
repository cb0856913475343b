// A tree while it grows, and the arrays that it becomes.
//
//     GrowthNode ── class_weights [n_classes]
//                └─ children [n_outcomes of its test] ── GrowthNode, or null where no case shows the outcome
//
// Each thread makes nodes in an Arena of its own: a node is a few writes into memory that is already there, and the
// whole tree is given back at once. At the end the nodes are numbered breadth first, so that the arrays do not depend
// on who grew what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "growth/choice.hpp"

namespace budgetree {

struct GrowthNode {
    std::int64_t* class_weights;
    GrowthNode** children;  // by outcome; null for a leaf
    PathState state;
    int test;
    bool is_fallback;
};

class Arena {
public:
    template <typename T>
    T* make(std::size_t n) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
        const std::size_t bytes = (n * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        if (used_ + bytes > size_) add_block(bytes);
        T* made = reinterpret_cast<T*>(blocks_.back().get() + used_);
        used_ += bytes;
        return made;
    }

private:
    static constexpr std::size_t kAlignment = 16, kBlock = 1 << 16;

    void add_block(std::size_t bytes) {
        size_ = bytes > kBlock ? bytes : kBlock;
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));
        used_ = 0;
    }

    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::size_t size_ = 0, used_ = 0;
};

// As budgetree.tree.Nodes has them.
struct GrownTree {
    std::vector<std::int32_t> test, parent;
    std::vector<std::int64_t> class_weights;  // node × class
    std::vector<std::int64_t> paid, first_branch;
    std::vector<std::int32_t> branches;
    std::vector<std::uint8_t> fallback;

    std::size_t size() const { return test.size(); }
};

GrownTree number_breadth_first(const GrowthNode& root, const RowLayout& layout);

}  // namespace budgetree
