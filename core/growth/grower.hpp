// Grower: one thread's part in growing a tree. growth.hpp says how rows lie and why it is fast.
//
//     task       a node that may go on, where its rows are, and its counts if they are known already
//     waiting    this thread's tasks, last in first out; large ones go to the tasks that all threads share
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "growth/choice.hpp"
#include "growth/grown.hpp"
#include "growth/growth_rows.hpp"
#include "growth/growth_tasks.hpp"
#include "tables/packed_table.hpp"

namespace budgetree {

template <typename Count>
struct GrowthTask {
    GrowthNode* node = nullptr;
    const std::int64_t* class_sizes = nullptr;  // rows per class
    std::size_t first = 0;
    std::int64_t n_rows = 0;
    int depth = 0;
    NodeCounts<Count> counts;
};

// What the threads of a growth share.
template <typename Count>
struct SharedGrowth {
    const PackedTable& table;
    const CostModel& costs;
    const GrowthSettings& settings;
    RowBuffers buffers;
    SharedTasks<GrowthTask<Count>> tasks;
    int n_threads;
};

inline constexpr std::size_t kSharedBytes = 1 << 19;  // of rows: the subtrees of smaller nodes stay with their thread

template <typename Count>
class Grower {
public:
    Grower(SharedGrowth<Count>& shared, Watch watch);

    // The root of a tree; its task is empty where it is a leaf.
    GrowthNode* plant(GrowthTask<Count>& task);

    // Everything below a node, except large subtrees, which go to idle threads.
    void grow_subtree(GrowthTask<Count> task);

    Watch& watch() { return watch_; }

private:
    struct Child {
        GrowthTask<Count> task;
        int outcome;
        bool is_last;  // whatever its test, its children are leaves: its rows are counted, then not needed again
        bool is_counted_now;
        std::int64_t* sizes;        // rows per class, to be filled in; null where they are the class weights
        std::uint8_t* class_first;  // where the rows of the class at hand begin
        GatheredStrip gathered;
    };

    void grow_node(GrowthTask<Count> task);
    bool split_purely(const GrowthTask<Count>& task);
    void split(GrowthTask<Count> task, const ClassList& classes);
    void make_children(GrowthNode& node, const NodeCounts<Count>& counts, const ClassList& classes);
    GrowthNode* make_child(const GrowthNode& node, int outcome);
    GrowthNode* make_node(const PathState& state);
    std::int64_t find_children(const GrowthTask<Count>& task);
    void count_rows_of_outcomes(const GrowthTask<Count>& task);

    bool move(const GrowthTask<Count>& task);
    bool move_and_count(const GrowthTask<Count>& task, bool derives_largest);
    bool move_classes(const GrowthTask<Count>& task);
    bool move_class(const GrowthTask<Count>& task, int c, const std::uint8_t* row);
    void derive_largest(NodeCounts<Count> left);
    bool count_others();
    void hand_on(GrowthTask<Count> task);

    Child& largest_child();
    FewRows few_rows(const GrowthTask<Count>& task) const;
    const std::uint8_t* rows_of(const GrowthTask<Count>& task) const;
    ClassWeights sizes_of(const GrowthTask<Count>& task) const;
    ClassWeights weights_of(const GrowthNode& node) const;
    std::size_t bytes_of(const GrowthTask<Count>& task) const;
    NodeCounts<Count> new_counts();
    void give_back(NodeCounts<Count> counts);

    SharedGrowth<Count>& shared_;
    const RowLayout& layout_;
    const CostModel& costs_;
    Watch watch_;
    Chooser chooser_;
    Facts facts_;
    Arena arena_;
    Units last_step_;  // the least that a test and another one after it cost
    Rows unused_row_, strips_;
    std::vector<Destination> destinations_;
    std::vector<std::int64_t> rows_of_outcome_;
    std::vector<Child> children_;
    std::vector<GrowthTask<Count>> waiting_;
    std::vector<NodeCounts<Count>> spare_;
    std::size_t kept_bytes_ = 0;  // of counts that wait with their nodes
};

extern template class Grower<std::uint32_t>;
extern template class Grower<double>;

}  // namespace budgetree
