// Steps: what each budget buys of grown trees, several in a row. The reference implementation is
// budgetree/learn/greedy/steps.py.
//
//     need        tree 0: per inner node | tree 1: … |     the least budget whose cut does its test
//     gain        tree 0: per inner node | tree 1: … |     what doing it saves
//     summaries   tree × 4                                 where its inner nodes end, what the root as a leaf gets
//     wrong,
//                                                          what the whole tree gets wrong, its costliest path
#pragma once

#include <cstdint>
#include <vector>

#include "cost/cost_model.hpp"
#include "cost/leaf_policy.hpp"
#include "growth/grown.hpp"

namespace budgetree {

class Steps {
public:
    static constexpr int kSummary = 4;

    struct Tree {
        std::int64_t at_root = 0, at_leaves = 0, max_cost = 0;
    };

    void add(std::int64_t need, std::int64_t gain) {
        need_.push_back(need);
        gain_.push_back(gain);
    }
    void end_tree(const Tree& tree);
    // Forgets what was added since the last tree ended.
    void drop_unfinished();
    void add_tree(const GrownTree& tree, const LeafPolicy& policy, const CostModel& costs);

    std::size_t n_trees() const { return summaries_.size() / kSummary; }
    Tree tree(std::size_t number) const {
        const std::int64_t* summary = &summaries_[number * kSummary];
        return {summary[1], summary[2], summary[3]};
    }
    std::vector<std::int64_t> take_need() { return std::move(need_); }
    std::vector<std::int64_t> take_gain() { return std::move(gain_); }
    std::vector<std::int64_t> take_summaries() { return std::move(summaries_); }

private:
    std::vector<std::int64_t> need_, gain_, summaries_;
};

}  // namespace budgetree
