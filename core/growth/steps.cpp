#include "growth/steps.hpp"

#include <algorithm>

namespace budgetree {

void Steps::end_tree(const Tree& tree) {
    summaries_.insert(summaries_.end(), {std::int64_t(need_.size()), tree.at_root, tree.at_leaves, tree.max_cost});
}

void Steps::drop_unfinished() {
    const std::size_t end = summaries_.empty() ? 0 : std::size_t(summaries_[summaries_.size() - kSummary]);
    need_.resize(end);
    gain_.resize(end);
}

namespace {

// Where the branches of the next inner node begin.
std::size_t next_branch(const GrownTree& tree, std::size_t node) {
    while (++node < tree.size()) {
        if (tree.first_branch[node] >= 0) return std::size_t(tree.first_branch[node]);
    }
    return tree.branches.size();
}

}  // namespace

void Steps::add_tree(const GrownTree& tree, const LeafPolicy& policy, const CostModel& costs) {
    const std::size_t first = need_.size();
    std::vector<std::size_t> place(tree.size());  // of each inner node among the steps
    std::vector<PathState> states(tree.size());
    std::vector<int> outcome(tree.size());
    Tree summary;
    for (std::size_t node = 0; node < tree.size(); ++node) {
        const std::int64_t wrong = leaf_value(&tree.class_weights[node * policy.n_classes()], policy);
        summary.max_cost = std::max(summary.max_cost, tree.paid[node]);
        std::int64_t reached_at = 0;
        if (node == 0) {
            summary.at_root = wrong;
        } else {
            const std::size_t parent = tree.parent[node];
            gain_[place[parent]] -= wrong;
            reached_at = need_[place[parent]];
            states[node].flags = costs.flags_after(states[parent].flags, tree.test[parent], outcome[node]);
        }
        if (tree.test[node] == kLeaf) continue;
        const std::size_t end = next_branch(tree, node);
        for (std::size_t branch = tree.first_branch[node]; branch < end; ++branch) {
            if (tree.branches[branch] >= 0) outcome[tree.branches[branch]] = int(branch) - int(tree.first_branch[node]);
        }
        place[node] = need_.size();
        add(std::max(tree.paid[node] + costs.most(states[node], tree.test[node])[0], reached_at), wrong);
    }
    summary.at_leaves = summary.at_root;
    for (std::size_t step = first; step < gain_.size(); ++step) summary.at_leaves -= gain_[step];
    end_tree(summary);
}

}  // namespace budgetree
