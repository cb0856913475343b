#include "growth/grower.hpp"

#include <algorithm>
#include <numeric>

#include "growth/growth.hpp"

namespace budgetree {
namespace {

constexpr std::size_t kKeptBytes = 64 << 20;   // of counts that wait with their nodes, per thread
constexpr std::size_t kNearBytes = 1 << 18;    // of rows: fewer are still in a near cache when they are counted
constexpr std::int64_t kSubtractedRows = 400;  // below, counting is cheaper than subtracting
constexpr std::int64_t kFewRows = 8;           // up to here a test that separates all classes is likely enough
constexpr std::int64_t kGathered = 200;        // rows that are worth counting before there are more
constexpr std::size_t kStripRows = 512;        // room for what gathers, and what comes in between two looks

}  // namespace

template <typename Count>
Grower<Count>::Grower(SharedGrowth<Count>& shared, Watch watch)
    : shared_(shared), layout_(shared.table.layout()), costs_(shared.costs), watch_(watch),
      chooser_(layout_, shared.costs), facts_(layout_), unused_row_(1, layout_.row_bytes()) {
    chooser_.use(shared.settings);
    Amounts cheapest = costs_.cheapest(0), costliest = costs_.costliest(0);
    for (const Amounts& amounts : costs_.cheapest()) cheapest = cheapest.min(amounts);
    for (const Amounts& amounts : costs_.costliest()) costliest = costliest.min(amounts);
    last_step_ = cheapest[0] + costliest[0];
}

template <typename Count>
GrowthNode* Grower<Count>::plant(GrowthTask<Count>& task) {
    const PackedTable& table = shared_.table;
    GrowthNode* root = make_node({});
    std::ranges::copy(table.class_weights(), root->class_weights);
    if (chooser_.stops(table.class_weights(), root->state)) return root;
    task.node = root;
    task.class_sizes = table.class_sizes().data();
    task.n_rows = std::int64_t(table.n_rows());
    task.counts = table.template counts<Count>();
    return root;
}

template <typename Count>
void Grower<Count>::grow_subtree(GrowthTask<Count> root) {
    waiting_.clear();
    kept_bytes_ = root.counts.bytes();
    waiting_.push_back(std::move(root));
    while (!waiting_.empty()) {
        GrowthTask<Count> task = std::move(waiting_.back());
        waiting_.pop_back();
        kept_bytes_ -= task.counts.bytes();
        if (watch_.is_over(500)) return;
        grow_node(std::move(task));
    }
}

template <typename Count>
void Grower<Count>::grow_node(GrowthTask<Count> task) {
    GrowthNode& node = *task.node;
    if (split_purely(task)) return;
    if (task.counts.is_empty()) {
        task.counts = new_counts();
        if (!count_rows(layout_, {rows_of(task), sizes_of(task)}, task.counts, watch_)) return;
    }
    const ClassList classes = classes_of(weights_of(node));
    chooser_.find_facts(task.counts, classes, facts_);
    const Choice choice = chooser_.choose<Count>({weights_of(node), classes, task.counts, facts_, node.state}, watch_);
    node.test = choice.test;
    node.is_fallback = choice.is_fallback;
    if (node.test == kLeaf) return give_back(std::move(task.counts));
    split(std::move(task), classes);
}

// A few rows may have a cheapest test after which every child is a pure leaf.
template <typename Count>
bool Grower<Count>::split_purely(const GrowthTask<Count>& task) {
    if (task.n_rows > kFewRows || !task.counts.is_empty() || !chooser_.takes_pure_splits()) return false;
    GrowthNode& node = *task.node;
    if (chooser_.cheapest(node.state) > double(chooser_.settings().budget - node.state.spent[0])) return false;
    const int test = find_pure_split(layout_, few_rows(task), chooser_, node.state);
    if (test == kLeaf) return false;
    node.test = test;
    node.children = arena_.make<GrowthNode*>(layout_.n_outcomes(test));
    std::fill_n(node.children, layout_.n_outcomes(test), nullptr);
    const std::uint8_t* row = rows_of(task);
    for (int c = 0; c < layout_.n_classes(); ++c) {
        for (std::int64_t i = 0; i < task.class_sizes[c]; ++i, row += layout_.row_bytes()) {
            GrowthNode*& child = node.children[layout_.outcome(row, test)];
            if (child == nullptr) child = make_child(node, int(layout_.outcome(row, test)));
            child->class_weights[c] += std::int64_t(layout_.weight(row));
        }
    }
    return true;
}

template <typename Count>
void Grower<Count>::split(GrowthTask<Count> task, const ClassList& classes) {
    make_children(*task.node, task.counts, classes);
    const std::int64_t n_going_on = find_children(task);
    if (children_.empty()) return give_back(std::move(task.counts));
    // The largest child has what the others leave of the node's counts, if none of the others is a leaf.
    const bool all_go_on = n_going_on == task.n_rows && children_.size() > 1;
    const std::size_t bytes = kept_bytes_ + task.counts.bytes() * children_.size();
    const std::size_t strip_bytes = kStripRows * layout_.max_outcomes() * layout_.row_bytes();
    if (bytes_of(task) > kNearBytes && bytes + strip_bytes <= kKeptBytes) {
        if (!move_and_count(task, all_go_on)) return;
        all_go_on ? derive_largest(std::move(task.counts)) : give_back(std::move(task.counts));
    } else {
        if (!move(task)) return;
        // The cells are touched once for each child: that must be less than the largest child's rows.
        const auto cost = std::int64_t(task.counts.bytes() * children_.size() / layout_.row_bytes() / 2);
        const bool pays = largest_child().task.n_rows >= std::max(kSubtractedRows, cost) && bytes <= kKeptBytes;
        if (all_go_on && pays) {
            if (!count_others()) return;
            derive_largest(std::move(task.counts));
        } else {
            give_back(std::move(task.counts));
        }
    }
    for (Child& child : children_) hand_on(std::move(child.task));
}

template <typename Count>
void Grower<Count>::make_children(GrowthNode& node, const NodeCounts<Count>& counts, const ClassList& classes) {
    const int n_outcomes = layout_.n_outcomes(node.test);
    node.children = arena_.make<GrowthNode*>(n_outcomes);
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        const std::size_t cell = layout_.cell(node.test, outcome);
        const bool is_shown = std::ranges::any_of(classes, [&](int c) { return counts.of(c)[cell] > 0; });
        node.children[outcome] = is_shown ? make_child(node, outcome) : nullptr;
        if (!is_shown) continue;
        for (const int c : classes) node.children[outcome]->class_weights[c] = std::int64_t(counts.of(c)[cell]);
    }
}

// A child without any weight yet.
template <typename Count>
GrowthNode* Grower<Count>::make_child(const GrowthNode& node, int outcome) {
    GrowthNode* child = make_node(costs_.after(node.state, node.test, outcome));
    std::fill_n(child->class_weights, layout_.n_classes(), 0);
    return child;
}

template <typename Count>
GrowthNode* Grower<Count>::make_node(const PathState& state) {
    GrowthNode* node = arena_.make<GrowthNode>(1);
    *node = {arena_.make<std::int64_t>(layout_.n_classes()), nullptr, state, kLeaf, false};
    return node;
}

// The children that go on; returns how many rows they have together.
template <typename Count>
std::int64_t Grower<Count>::find_children(const GrowthTask<Count>& task) {
    const GrowthNode& node = *task.node;
    const int n_outcomes = layout_.n_outcomes(node.test);
    destinations_.assign(n_outcomes, {unused_row_.row(0), 0});
    children_.clear();
    std::int64_t n_going_on = 0;
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        GrowthNode* below = node.children[outcome];
        if (below == nullptr || chooser_.stops(weights_of(*below), below->state)) continue;
        Child child = {};
        child.outcome = outcome;
        child.is_last = below->state.spent[0] + last_step_ > chooser_.settings().budget;
        child.task.node = below;
        child.task.class_sizes = below->class_weights;
        if (layout_.is_weighted()) {
            if (children_.empty()) count_rows_of_outcomes(task);  // not before: a last node has no rows
            child.sizes = arena_.make<std::int64_t>(layout_.n_classes());
            std::fill_n(child.sizes, layout_.n_classes(), 0);
            child.task.class_sizes = child.sizes;
            child.task.n_rows = rows_of_outcome_[outcome];
        } else {
            child.task.n_rows =
                std::accumulate(below->class_weights, below->class_weights + layout_.n_classes(), std::int64_t(0));
        }
        child.task.first = task.first + std::size_t(n_going_on);
        child.task.depth = task.depth + 1;
        n_going_on += child.task.n_rows;
        children_.push_back(std::move(child));
    }
    return n_going_on;
}

// Where cases have weights, class weights do not say how many rows there are.
template <typename Count>
void Grower<Count>::count_rows_of_outcomes(const GrowthTask<Count>& task) {
    rows_of_outcome_.assign(layout_.n_outcomes(task.node->test), 0);
    const CodePlace code = layout_.place(task.node->test);
    const std::uint8_t* row = rows_of(task);
    for (std::int64_t i = 0; i < task.n_rows; ++i, row += layout_.row_bytes()) ++rows_of_outcome_[code.outcome(row)];
}

template <typename Count>
bool Grower<Count>::move(const GrowthTask<Count>& task) {
    const Rows& into = shared_.buffers.to_write(task.depth + 1);
    for (Child& child : children_) {
        child.is_counted_now = false;
        destinations_[child.outcome] = {into.row(child.task.first), into.row_bytes()};
    }
    return move_classes(task);
}

// Rows are counted as they arrive, while they are near. Those of a last child are not kept beyond that.
template <typename Count>
bool Grower<Count>::move_and_count(const GrowthTask<Count>& task, bool derives_largest) {
    if (strips_.is_empty()) strips_ = Rows(kStripRows * layout_.max_outcomes(), layout_.row_bytes());
    const Child* derived = derives_largest ? &largest_child() : nullptr;
    for (Child& child : children_) {
        child.is_counted_now = &child != derived;
        if (child.is_counted_now) child.task.counts = new_counts();
        if (child.is_last && !child.is_counted_now) continue;
        std::uint8_t* to = child.is_last ? strips_.row(kStripRows * child.outcome)
                                         : shared_.buffers.to_write(task.depth + 1).row(child.task.first);
        destinations_[child.outcome] = {to, layout_.row_bytes()};
    }
    return move_classes(task);
}

template <typename Count>
bool Grower<Count>::move_classes(const GrowthTask<Count>& task) {
    const std::uint8_t* row = rows_of(task);
    for (int c = 0; c < layout_.n_classes(); ++c) {
        if (task.class_sizes[c] > 0 && !move_class(task, c, row)) return false;
        row += task.class_sizes[c] * layout_.row_bytes();
    }
    return true;
}

template <typename Count>
bool Grower<Count>::move_class(const GrowthTask<Count>& task, int c, const std::uint8_t* row) {
    for (Child& child : children_) {
        child.class_first = destinations_[child.outcome].next;
        child.gathered = {child.class_first, true};
    }
    const CodePlace code = layout_.place(task.node->test);
    for (std::int64_t left = task.class_sizes[c]; left > 0; left -= kMaxStrip) {
        const std::int64_t n_rows = std::min(left, kMaxStrip);
        move_rows({row, n_rows, layout_.row_bytes(), code}, destinations_.data());
        row += n_rows * layout_.row_bytes();
        for (Child& child : children_) {
            if (!child.is_counted_now) continue;
            Destination& to = destinations_[child.outcome];
            count_gathered(layout_, child.gathered, to.next, left <= kMaxStrip ? 1 : kGathered,
                           child.task.counts.of(c));
            if (child.is_last && child.gathered.next == to.next) {
                to.next = child.class_first;
                child.gathered.next = child.class_first;
            }
        }
        if (watch_.is_over(n_rows * std::int64_t(layout_.row_bytes() / 4))) return false;
    }
    for (Child& child : children_) {
        if (child.sizes == nullptr) continue;
        child.sizes[c] = (destinations_[child.outcome].next - child.class_first) / std::int64_t(layout_.row_bytes());
    }
    return true;
}

// All but the largest, from rows that were just moved.
template <typename Count>
bool Grower<Count>::count_others() {
    const Child* largest = &largest_child();
    for (Child& child : children_) {
        if (&child == largest) continue;
        child.task.counts = new_counts();
        if (!count_rows(layout_, {rows_of(child.task), sizes_of(child.task)}, child.task.counts, watch_)) return false;
    }
    return true;
}

template <typename Count>
void Grower<Count>::derive_largest(NodeCounts<Count> left) {
    Child& largest = largest_child();
    for (const Child& child : children_) {
        if (&child != &largest) left.subtract(child.task.counts, classes_of(weights_of(*child.task.node)));
    }
    largest.task.counts = std::move(left);
}

template <typename Count>
void Grower<Count>::hand_on(GrowthTask<Count> task) {
    if (shared_.n_threads > 1 && bytes_of(task) >= kSharedBytes) return shared_.tasks.add(std::move(task));
    kept_bytes_ += task.counts.bytes();
    waiting_.push_back(std::move(task));
}

template <typename Count>
typename Grower<Count>::Child& Grower<Count>::largest_child() {
    return *std::ranges::max_element(children_, {}, [](const Child& child) { return child.task.n_rows; });
}

template <typename Count>
FewRows Grower<Count>::few_rows(const GrowthTask<Count>& task) const {
    FewRows few = {};
    const std::uint8_t* row = rows_of(task);
    for (int c = 0; c < layout_.n_classes(); ++c) {
        const int end = few.n_rows + int(task.class_sizes[c]);
        for (; few.n_rows < end; ++few.n_rows, row += layout_.row_bytes()) {
            few.rows[few.n_rows] = row;
            few.class_end[few.n_rows] = end;
        }
    }
    return few;
}

template <typename Count>
const std::uint8_t* Grower<Count>::rows_of(const GrowthTask<Count>& task) const {
    return shared_.buffers.of_depth(task.depth).row(task.first);
}

template <typename Count>
ClassWeights Grower<Count>::sizes_of(const GrowthTask<Count>& task) const {
    return {task.class_sizes, std::size_t(layout_.n_classes())};
}

template <typename Count>
ClassWeights Grower<Count>::weights_of(const GrowthNode& node) const {
    return {node.class_weights, std::size_t(layout_.n_classes())};
}

template <typename Count>
std::size_t Grower<Count>::bytes_of(const GrowthTask<Count>& task) const {
    return std::size_t(task.n_rows) * layout_.row_bytes();
}

template <typename Count>
NodeCounts<Count> Grower<Count>::new_counts() {
    if (spare_.empty()) return NodeCounts<Count>(layout_);
    NodeCounts<Count> counts = std::move(spare_.back());
    spare_.pop_back();
    return counts;
}

template <typename Count>
void Grower<Count>::give_back(NodeCounts<Count> counts) {
    if (spare_.size() < 4) spare_.push_back(std::move(counts));
}

template class Grower<std::uint32_t>;
template class Grower<double>;

}  // namespace budgetree
