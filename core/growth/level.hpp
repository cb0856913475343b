// A level: many nodes that were counted elsewhere, for each of which the rule chooses a test (choice.hpp).
//
//     counts      node | test 0: outcome 0 [classes] … | test 1: … |      as shards add them up (partition.hpp)
//     states      spent per node and resource | flags per node            of the path to it
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/cost_model.hpp"
#include "growth/choice.hpp"
#include "tables/row_layout.hpp"

namespace budgetree {

struct PathStates {
    std::span<const Units> spent;  // node × resource
    std::span<const Flags> flags;
    int n_resources;

    std::size_t size() const { return flags.size(); }
    PathState operator[](std::size_t node) const {
        PathState state{{}, flags[node]};
        for (int r = 0; r < n_resources; ++r) state.spent[r] = spent[node * n_resources + r];
        return state;
    }
};

// What a tree is grown by, at nodes whose counts come from somewhere else.
class LevelChooser {
public:
    LevelChooser(std::vector<std::int32_t> n_outcomes, int n_classes, CostModel costs, GrowthSettings settings);

    // Not copied: the chooser inside looks at its neighbours here.
    LevelChooser(const LevelChooser&) = delete;
    LevelChooser& operator=(const LevelChooser&) = delete;

    int n_classes() const { return layout_.n_classes(); }
    int n_resources() const { return costs_.n_resources(); }
    std::size_t n_cells() const { return n_cells_; }  // of a node

    // Per node, whether it is a leaf whatever the tests show: pure, forgiven, or unable to pay.
    std::vector<std::uint8_t> stops(std::span<const std::int64_t> class_weights, const PathStates& states) const;

    std::vector<Choice> choose(std::span<const std::int64_t> counts, const PathStates& states, Watch& watch);

private:
    void read(const std::int64_t* cells);

    RowLayout layout_;
    CostModel costs_;
    GrowthSettings settings_;
    std::size_t n_cells_;
    Chooser chooser_;
    NodeCounts<double> counts_;  // exact up to 2^53, where uint32 would end at 4 billion cases
    Facts facts_;
    std::vector<std::int64_t> class_weights_;
};

}  // namespace budgetree
