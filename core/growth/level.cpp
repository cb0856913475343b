#include "growth/level.hpp"

#include <algorithm>
#include <numeric>

namespace budgetree {

LevelChooser::LevelChooser(std::vector<std::int32_t> n_outcomes, int n_classes, CostModel costs,
                           GrowthSettings settings)
    : layout_(n_outcomes, n_classes, true), costs_(std::move(costs)), settings_(std::move(settings)),
      n_cells_(std::size_t(std::accumulate(n_outcomes.begin(), n_outcomes.end(), 0)) * n_classes),
      chooser_(layout_, costs_), counts_(layout_), facts_(layout_), class_weights_(n_classes) {
    chooser_.use(settings_);
}

std::vector<std::uint8_t> LevelChooser::stops(std::span<const std::int64_t> class_weights,
                                              const PathStates& states) const {
    std::vector<std::uint8_t> stopped(states.size());
    for (std::size_t node = 0; node < stopped.size(); ++node) {
        stopped[node] = chooser_.stops(class_weights.subspan(node * n_classes(), n_classes()), states[node]);
    }
    return stopped;
}

// The cells of a node as the chooser reads them, and the weight of each class: what any one test shows.
void LevelChooser::read(const std::int64_t* cells) {
    std::fill(class_weights_.begin(), class_weights_.end(), 0);
    for (int test = 0; test < layout_.n_tests(); ++test) {
        for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
            for (int c = 0; c < n_classes(); ++c, ++cells) {
                counts_.of(c)[layout_.cell(test, outcome)] = double(*cells);
                if (test == 0) class_weights_[c] += *cells;
            }
        }
    }
}

std::vector<Choice> LevelChooser::choose(std::span<const std::int64_t> counts, const PathStates& states, Watch& watch) {
    std::vector<Choice> choices(states.size());
    for (std::size_t node = 0; node < choices.size(); ++node) {
        read(counts.data() + node * n_cells_);
        if (chooser_.stops(class_weights_, states[node])) continue;
        const ClassList classes = classes_of(class_weights_);
        chooser_.find_facts(counts_, classes, facts_);
        choices[node] = chooser_.choose<double>({class_weights_, classes, counts_, facts_, states[node]}, watch);
        if (watch.is_over(std::int64_t(n_cells_))) break;
    }
    return choices;
}

}  // namespace budgetree
