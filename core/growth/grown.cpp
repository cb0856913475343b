#include "growth/grown.hpp"

namespace budgetree {

GrownTree number_breadth_first(const GrowthNode& root, const RowLayout& layout) {
    GrownTree tree;
    std::vector<const GrowthNode*> nodes = {&root};
    tree.parent.push_back(-1);
    for (std::size_t number = 0; number < nodes.size(); ++number) {
        const GrowthNode& node = *nodes[number];
        tree.test.push_back(node.test);
        tree.paid.push_back(node.state.spent[0]);
        tree.fallback.push_back(node.is_fallback);
        tree.first_branch.push_back(node.test == kLeaf ? -1 : std::int64_t(tree.branches.size()));
        if (node.test == kLeaf) continue;
        for (int outcome = 0; outcome < layout.n_outcomes(node.test); ++outcome) {
            const GrowthNode* child = node.children[outcome];
            tree.branches.push_back(child == nullptr ? -1 : std::int32_t(nodes.size()));
            if (child == nullptr) continue;
            nodes.push_back(child);
            tree.parent.push_back(std::int32_t(number));
        }
    }
    tree.class_weights.reserve(nodes.size() * layout.n_classes());
    for (const GrowthNode* node : nodes) {
        tree.class_weights.insert(tree.class_weights.end(), node->class_weights,
                                  node->class_weights + layout.n_classes());
    }
    return tree;
}

}  // namespace budgetree
