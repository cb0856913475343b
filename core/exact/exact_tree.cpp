// Reading the tree off a search, node by node, breadth first.
#include <utility>

#include "exact/exact.hpp"

namespace budgetree::BUDGETREE_EXACT {

std::optional<FoundTree> Search::tree(const Question& question, const Limits& limits) {
    limits_ = limits;
    work_ = 0;
    FoundTree tree;
    std::vector<PathState> states{question.remaining.state};
    const auto everything = table_.whole.objects;
    tree.nodes.push_back({kNoTest, -1, -1, 0, {everything.begin(), everything.end()}});
    try {
        for (std::size_t number = 0; number < tree.nodes.size(); ++number) {
            const Remaining left{states[number], question.remaining.limits};
            int test = number == 0 ? question.only : kNoTest;
            if (test == kNoTest)
                test = choose_for_tree(table_.set_of(tree.nodes[number].objects), {left}, question.is_canonical);
            tree.nodes[number].test = test;
            if (test == kNoTest) continue;
            const std::size_t first = tree.nodes.size();
            split_apart(tree.nodes[number], tree.nodes, int(number));
            for (std::size_t child = first; child < tree.nodes.size(); ++child) {
                states.push_back(table_.costs.after(left.state, test, tree.nodes[child].outcome));
                tree.nodes[child].paid = states.back().spent[0];
            }
        }
    } catch (Stopped) {
        return std::nullopt;
    }
    return tree;
}

// First what is reached; then, if the tree is to be canonical, the first test of the set's own ranking that does so.
int Search::choose_for_tree(const ObjectSet& set, const Question& question, bool is_canonical) {
    const Answer reached = search(set, question, 1);
    if (!is_canonical || reached.test == kNoTest) return reached.test;
    Question again = question;
    again.cutoff = reached.value + 1;
    again.is_canonical = true;
    return search(set, again, 1).test;
}

void Search::split_apart(const FoundTree::Node& node, std::vector<FoundTree::Node>& nodes, int number) {
    std::vector<std::vector<std::int32_t>> parts(table_.n_outcomes[node.test]);
    for (const std::int32_t object : node.objects) parts[table_.column(node.test)[object]].push_back(object);
    for (std::size_t outcome = 0; outcome < parts.size(); ++outcome) {
        if (!parts[outcome].empty()) nodes.push_back({kNoTest, number, int(outcome), 0, std::move(parts[outcome])});
    }
}

}  // namespace budgetree::BUDGETREE_EXACT
