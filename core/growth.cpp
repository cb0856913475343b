#include "growth.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <thread>

#include "growth_tasks.hpp"

namespace budgetree {
namespace {

constexpr std::size_t kSharedBytes = 1 << 19;      // of rows: the subtrees of smaller nodes stay with their thread
constexpr std::size_t kKeptBytes = 32 << 20;       // of counts that wait with their nodes, per thread
constexpr std::int64_t kSubtractedRows = 400;      // below, counting is cheaper than subtracting
constexpr std::int64_t kFewRows = 8;               // up to here a test that separates all is likely enough
constexpr std::int64_t kRowsBetweenLooks = 4096;

// A node that may go on: where its rows are, and its counts if they are known already.
template <typename Count>
struct Task {
    GrowthNode* node = nullptr;
    const std::int64_t* class_sizes = nullptr;  // rows per class
    std::size_t first = 0;
    std::int64_t n_rows = 0;
    int depth = 0;
    NodeCounts<Count> counts;
};

// The table's own rows, then a buffer for odd and one for even depths below.
struct Buffers {
    const Rows* of_depth(int depth) const { return depth == 0 ? table : depth % 2 == 1 ? &odd : &even; }

    const Rows* table;
    Rows odd, even;
};

// Where rows of an outcome go. Those of a leaf are not needed again: they all go to one place.
struct Destination {
    std::uint8_t* next;
    std::size_t step;
};

// A constant size makes the copy a few moves.
template <std::size_t RowBytes>
void move_rows(const RowLayout& layout, const std::uint8_t* row, std::int64_t n_rows, int test,
               Destination* destinations) {
    const std::size_t row_bytes = RowBytes > 0 ? RowBytes : layout.row_bytes();
    for (std::int64_t i = 0; i < n_rows; ++i, row += row_bytes) {
        Destination& to = destinations[layout.outcome(row, test)];
        std::memcpy(to.next, row, row_bytes);
        to.next += to.step;
    }
}

void move_rows(const RowLayout& layout, const std::uint8_t* row, std::int64_t n_rows, int test,
               Destination* destinations) {
    switch (layout.row_bytes()) {
        case 16: return move_rows<16>(layout, row, n_rows, test, destinations);
        case 32: return move_rows<32>(layout, row, n_rows, test, destinations);
        case 48: return move_rows<48>(layout, row, n_rows, test, destinations);
        case 64: return move_rows<64>(layout, row, n_rows, test, destinations);
        default: return move_rows<0>(layout, row, n_rows, test, destinations);
    }
}

// One thread's tools.
template <typename Count>
class Grower {
public:
    using Tasks = SharedTasks<Task<Count>>;

    Grower(const Table& table, const Money& money, const GrowthSettings& settings, const Buffers& buffers,
           Tasks* shared, Watch watch)
        : table_(table), layout_(table.layout()), buffers_(buffers), shared_(shared), watch_(watch),
          chooser_(layout_, money), facts_(layout_), unused_rows_(1, layout_.row_bytes()) {
        chooser_.use(settings);
    }

    Chooser& chooser() { return chooser_; }
    Watch& watch() { return watch_; }

    GrowthNode* make_node(const Path& path) {
        GrowthNode* node = arena_.make<GrowthNode>(1);
        *node = {arena_.make<std::int64_t>(layout_.n_classes()), nullptr, path, kLeaf, false};
        return node;
    }

    // Everything below a node, except large subtrees, which go to whoever is idle.
    void grow_subtree(Task<Count> root) {
        waiting_.clear();
        waiting_.push_back(std::move(root));
        while (!waiting_.empty()) {
            Task<Count> task = std::move(waiting_.back());
            waiting_.pop_back();
            kept_bytes_ -= task.counts.bytes();
            if (watch_.is_over(500)) return;
            grow_node(std::move(task));
        }
    }

private:
    void grow_node(Task<Count> task) {
        GrowthNode& node = *task.node;
        if (task.n_rows <= kFewRows && task.counts.is_empty() && chooser_.takes_pure_splits()) {
            const bool can_pay = chooser_.cheapest(node.path) <= double(chooser_.settings().budget - node.path.paid);
            const int test = can_pay ? find_pure_split(layout_, few_rows(task), chooser_, node.path) : kLeaf;
            if (test != kLeaf) return split_purely(task, test);
        }
        if (task.counts.is_empty()) {
            task.counts = new_counts();
            const std::uint8_t* first = buffers_.of_depth(task.depth)->row(task.first);
            if (!count_rows(layout_, {first, sizes_of(task)}, task.counts, watch_)) return;
        }
        const ClassWeights weights(node.class_weights, layout_.n_classes());
        const ClassList classes = classes_of(weights);
        chooser_.find_facts(task.counts, classes, facts_);
        const Choice choice = chooser_.choose(ChoiceNode<Count>{weights, classes, task.counts, facts_, node.path});
        watch_.is_over(std::int64_t(layout_.n_cells() * classes.size()));
        node.test = choice.test;
        node.is_fallback = choice.is_fallback;
        if (node.test != kLeaf) split(std::move(task), classes);
        else give_back(std::move(task.counts));
    }

    void split(Task<Count> task, const ClassList& classes) {
        GrowthNode& node = *task.node;
        make_children(node, task.counts, classes);
        const int n_outcomes = layout_.n_outcomes(node.test);
        destinations_.resize(n_outcomes);
        children_.clear();
        std::size_t first = task.first;
        const Rows& into = *buffers_.of_depth(task.depth + 1);
        std::int64_t n_going_on = 0;
        for (int outcome = 0; outcome < n_outcomes; ++outcome) {
            GrowthNode* child = node.children[outcome];
            destinations_[outcome] = {unused_rows_.row(0), 0};
            if (child == nullptr) continue;
            const ClassWeights weights(child->class_weights, layout_.n_classes());
            if (chooser_.stops(weights, child->path)) continue;
            Task<Count> below;
            below.node = child;
            below.first = first;
            below.depth = task.depth + 1;
            below.n_rows = rows_of_outcome(task, outcome);
            destinations_[outcome] = {into.row(first), into.row_bytes()};
            outcome_of_child_.resize(children_.size() + 1);
            outcome_of_child_.back() = outcome;
            first += below.n_rows;
            n_going_on += below.n_rows;
            children_.push_back(std::move(below));
        }
        if (children_.empty() || !move_all(task)) return give_back(std::move(task.counts));
        if (n_going_on == task.n_rows && children_.size() > 1) derive_largest(std::move(task.counts));
        else give_back(std::move(task.counts));
        for (Task<Count>& below : children_) hand_on(std::move(below));
    }

    void make_children(GrowthNode& node, const NodeCounts<Count>& counts, const ClassList& classes) {
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
    GrowthNode* make_child(const GrowthNode& node, int outcome) {
        const Money& money = chooser_.money();
        GrowthNode* child = make_node({node.path.paid + money.fees_due(node.test, node.path.fees_paid) +
                                           money.own(node.test, outcome),
                                       node.path.fees_paid | money.fee_mask(node.test)});
        std::fill_n(child->class_weights, layout_.n_classes(), 0);
        return child;
    }

    // Where each case counts once, weights are rows; else the rows of the outcome are counted.
    std::int64_t rows_of_outcome(const Task<Count>& task, int outcome) const {
        const GrowthNode& node = *task.node;
        if (!layout_.is_weighted()) {
            const std::int64_t* weights = node.children[outcome]->class_weights;
            return std::accumulate(weights, weights + layout_.n_classes(), std::int64_t(0));
        }
        const std::uint8_t* row = buffers_.of_depth(task.depth)->row(task.first);
        std::int64_t n_rows = 0;
        for (std::int64_t i = 0; i < task.n_rows; ++i, row += layout_.row_bytes()) {
            n_rows += int(layout_.outcome(row, node.test)) == outcome;
        }
        return n_rows;
    }

    // Moves the rows of the children that go on, class by class, and notes how many rows of each class they get.
    bool move_all(const Task<Count>& task) {
        const std::span<const std::int64_t> sizes = sizes_of(task);
        const std::uint8_t* row = buffers_.of_depth(task.depth)->row(task.first);
        for (Task<Count>& child : children_) {
            child.class_sizes = child.node->class_weights;
            if (layout_.is_weighted()) {
                child.class_sizes = arena_.make<std::int64_t>(layout_.n_classes());
                std::fill_n(const_cast<std::int64_t*>(child.class_sizes), layout_.n_classes(), 0);
            }
        }
        for (int c = 0; c < layout_.n_classes(); ++c) {
            for (std::int64_t done = 0; done < sizes[c]; done += kRowsBetweenLooks) {
                const std::int64_t n_rows = std::min(kRowsBetweenLooks, sizes[c] - done);
                move_rows(layout_, row, n_rows, task.node->test, destinations_.data());
                row += n_rows * layout_.row_bytes();
                if (watch_.is_over(n_rows * std::int64_t(layout_.row_bytes() / 8))) return false;
            }
            if (layout_.is_weighted() && sizes[c] > 0) note_sizes(c);
        }
        return true;
    }

    void note_sizes(int c) {
        for (std::size_t i = 0; i < children_.size(); ++i) {
            Task<Count>& child = children_[i];
            const Rows& rows = *buffers_.of_depth(child.depth);
            const auto moved = destinations_[outcome_of_child_[i]].next - rows.row(child.first);
            auto* sizes = const_cast<std::int64_t*>(child.class_sizes);
            sizes[c] = moved / std::int64_t(rows.row_bytes()) - std::accumulate(sizes, sizes + c, std::int64_t(0));
        }
    }

    // The largest child has what the others leave of the node's counts.
    void derive_largest(NodeCounts<Count> left) {
        const auto largest = std::ranges::max_element(children_, {}, &Task<Count>::n_rows);
        const std::size_t bytes = left.bytes() * children_.size();
        // The cells are touched once for each child: only where its rows are more than that.
        const std::int64_t worth = std::int64_t(left.bytes() * children_.size() / layout_.row_bytes() / 2);
        if (largest->n_rows < std::max(kSubtractedRows, worth) || kept_bytes_ + bytes > kKeptBytes) {
            return give_back(std::move(left));
        }
        for (auto child = children_.begin(); child != children_.end(); ++child) {
            if (child == largest) continue;
            child->counts = new_counts();
            const std::uint8_t* first = buffers_.of_depth(child->depth)->row(child->first);
            if (!count_rows(layout_, {first, sizes_of(*child)}, child->counts, watch_)) return;
            left.subtract(child->counts, classes_of({child->node->class_weights, std::size_t(layout_.n_classes())}));
        }
        largest->counts = std::move(left);
    }

    void hand_on(Task<Count> task) {
        if (shared_ != nullptr && task.n_rows * layout_.row_bytes() >= kSharedBytes) {
            shared_->add(std::move(task));
            return;
        }
        kept_bytes_ += task.counts.bytes();
        waiting_.push_back(std::move(task));
    }

    FewRows few_rows(const Task<Count>& task) const {
        FewRows few = {};
        for (int c = 0; c < layout_.n_classes(); ++c) {
            const int end = few.n_rows + int(task.class_sizes[c]);
            for (; few.n_rows < end; ++few.n_rows) {
                few.rows[few.n_rows] = buffers_.of_depth(task.depth)->row(task.first + few.n_rows);
                few.class_end[few.n_rows] = end;
            }
        }
        return few;
    }

    // Every child is a pure leaf.
    void split_purely(const Task<Count>& task, int test) {
        GrowthNode& node = *task.node;
        node.test = test;
        node.children = arena_.make<GrowthNode*>(layout_.n_outcomes(test));
        std::fill_n(node.children, layout_.n_outcomes(test), nullptr);
        const std::uint8_t* row = buffers_.of_depth(task.depth)->row(task.first);
        for (int c = 0; c < layout_.n_classes(); ++c) {
            for (std::int64_t i = 0; i < task.class_sizes[c]; ++i, row += layout_.row_bytes()) {
                GrowthNode*& child = node.children[layout_.outcome(row, test)];
                if (child == nullptr) child = make_child(node, int(layout_.outcome(row, test)));
                child->class_weights[c] += std::int64_t(layout_.weight(row));
            }
        }
    }

    std::span<const std::int64_t> sizes_of(const Task<Count>& task) const {
        return {task.class_sizes, std::size_t(layout_.n_classes())};
    }

    NodeCounts<Count> new_counts() {
        if (spare_.empty()) return NodeCounts<Count>(layout_);
        NodeCounts<Count> counts = std::move(spare_.back());
        spare_.pop_back();
        return counts;
    }

    void give_back(NodeCounts<Count> counts) {
        if (spare_.size() < 4) spare_.push_back(std::move(counts));
    }

    const Table& table_;
    const RowLayout& layout_;
    const Buffers& buffers_;
    Tasks* shared_;
    Watch watch_;
    Chooser chooser_;
    Facts facts_;
    Arena arena_;
    Rows unused_rows_;
    std::vector<Destination> destinations_;
    std::vector<Task<Count>> children_, waiting_;
    std::vector<int> outcome_of_child_;
    std::vector<NodeCounts<Count>> spare_;
    std::size_t kept_bytes_ = 0;
};

template <typename Count>
std::optional<GrownTree> grow_counted(const Table& table, const Money& money, const GrowthSettings& settings,
                                      int n_threads, Clock& clock) {
    const RowLayout& layout = table.layout();
    const std::size_t bytes = table.n_rows() * layout.row_bytes();
    n_threads = std::clamp<int>(n_threads, 1, int(1 + bytes / (2 * kSharedBytes)));
    Buffers buffers = {&table.rows(), {}, {}};
    SharedTasks<Task<Count>> shared(n_threads);
    auto* const tasks = n_threads > 1 ? &shared : nullptr;
    std::vector<std::unique_ptr<Grower<Count>>> growers;
    for (int thread = 0; thread < n_threads; ++thread) {
        const Watch watch(clock, thread == 0 ? Watch::Thread::kCalling : Watch::Thread::kOther);
        growers.push_back(std::make_unique<Grower<Count>>(table, money, settings, buffers, tasks, watch));
    }
    Grower<Count>& first = *growers.front();
    GrowthNode* root = first.make_node({});
    std::ranges::copy(table.class_weights(), root->class_weights);
    if (!first.chooser().stops(table.class_weights(), root->path)) {
        buffers.odd = Rows(table.n_rows(), layout.row_bytes());
        buffers.even = Rows(table.n_rows(), layout.row_bytes());
        Task<Count> task;
        task.node = root;
        task.class_sizes = table.class_sizes().data();
        task.n_rows = std::int64_t(table.n_rows());
        if (n_threads == 1) {
            first.grow_subtree(std::move(task));
        } else {
            shared.add(std::move(task));
            std::exception_ptr failure;
            std::mutex failing;
            const auto work = [&](int thread) {
                try {
                    Task<Count> taken;
                    while (shared.take(taken, growers[thread]->watch())) growers[thread]->grow_subtree(std::move(taken));
                } catch (...) {  // memory may be short; no exception crosses threads
                    const std::lock_guard lock(failing);
                    if (!failure) failure = std::current_exception();
                    clock.stop();
                }
            };
            {
                std::vector<std::jthread> threads;
                for (int thread = 1; thread < n_threads; ++thread) threads.emplace_back(work, thread);
                work(0);
            }
            if (failure) std::rethrow_exception(failure);
        }
    }
    if (clock.is_stopped()) return std::nullopt;
    return number_breadth_first(*root, layout);
}

}  // namespace

int find_pure_split(const RowLayout& layout, const FewRows& few, Chooser& chooser, const Path& path) {
    static const auto find_agreeing = counting_functions().find_agreeing;
    const double cheapest = chooser.cheapest(path);
    thread_local std::vector<std::uint8_t> agree;
    agree.resize(layout.code_bytes());
    find_agreeing(few, layout.shape(), agree.data());
    const std::span<const double> costs = chooser.costs(path);
    for (int test = 0; test < layout.n_tests(); ++test) {
        if (costs[test] == cheapest && layout.outcome(agree.data(), test) == 0) return test;
    }
    return kLeaf;
}

std::optional<GrownTree> grow(const Table& table, const Money& money, const GrowthSettings& settings, int n_threads,
                              Clock& clock) {
    if (table.layout().is_weighted()) return grow_counted<double>(table, money, settings, n_threads, clock);
    return grow_counted<std::uint32_t>(table, money, settings, n_threads, clock);
}

}  // namespace budgetree
