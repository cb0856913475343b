#include "outcome_splits.hpp"

#include <algorithm>

#include "leaf.hpp"
#include "split_lanes.hpp"
#include "vectors.hpp"

namespace budgetree {

void find_affordable(const Money& money, const std::vector<std::int32_t>& tests, const Remaining& remaining,
                     Affordable& found) {
    found.tests.clear();
    found.beyond = kNever;
    found.budget = remaining.budget;
    for (const std::int32_t test : tests) {
        const Units price = money.most(test, remaining.fees_paid);
        if (price <= remaining.budget) {
            found.tests.push_back(test);
        } else {
            found.beyond = std::min(found.beyond, price);
            if (!money.has_fees()) break;  // the others cost no less
        }
    }
}

OutcomeSplits::OutcomeSplits(const ExactTable& table)
    : table_(table), right_(table.n_tests), lanes_right_(table.n_lanes),
      votes_(std::size_t(table.width) * table.n_classes), starts_(table.width + 1) {
    for (int first = 0; first < table.n_tests; first += kByteLanes) {
        const int last = std::min(first + kByteLanes, table.n_tests);
        block_levels_.push_back(*std::max_element(&table.n_outcomes[first], &table.n_outcomes[first] + (last - first)));
    }
    last_two_level_.parts.resize(table.width);
}

void OutcomeSplits::find_runs(const ObjectSet& set) {
    run_ends_.clear();
    run_classes_.clear();
    for (int at = 0; at < set.size(); ++at) {
        const std::int32_t label = table_.labels[set.objects[at]];
        if (run_classes_.empty() || run_classes_.back() != label) {
            run_classes_.push_back(label);
            run_ends_.push_back(at);
        }
        run_ends_.back() = at + 1;
    }
}

void OutcomeSplits::count_right_in_lanes(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    bool fits_bytes = true;
    for (std::size_t run = 0, begin = 0; run < run_ends_.size(); begin = run_ends_[run++]) {
        fits_bytes &= run_ends_[run] - begin <= 255;
    }
    const ClassRuns runs{table_.rows.data(), std::size_t(table_.n_lanes), set.objects.data(), run_ends_.data(),
                         int(run_ends_.size()), fits_bytes};
    int counted = -1;
    for (const std::int32_t test : tests) {
        const int block = test / kByteLanes;
        if (block != counted) split_lanes().count_right(runs, block, block_levels_[block], &lanes_right_[block * kByteLanes]);
        counted = block;
        right_[test] = lanes_right_[test];
    }
}

// Case by case: a weight that passes its outcome's largest raises what is right by as much.
void OutcomeSplits::count_right(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    const std::size_t width = table_.width;
    cells_.resize(tests.size() * width);
    tops_.assign(tests.size() * width, 0);
    for (std::size_t run = 0, at = 0; run < run_ends_.size(); ++run) {
        std::ranges::fill(cells_, 0);
        for (; at < std::size_t(run_ends_[run]); ++at) {
            const std::int32_t object = set.objects[at];
            const std::uint8_t* row = table_.row(object);
            for (std::size_t i = 0; i < tests.size(); ++i) cells_[i * width + row[tests[i]]] += table_.weights[object];
        }
        for (std::size_t cell = 0; cell < cells_.size(); ++cell) tops_[cell] = std::max(tops_[cell], cells_[cell]);
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
        right_[tests[i]] = 0;
        for (std::size_t outcome = 0; outcome < width; ++outcome) right_[tests[i]] += tops_[i * width + outcome];
    }
}

BestSplit OutcomeSplits::best_split(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    BestSplit best{set.leaf, kNoTest};
    if (tests.empty()) return best;
    if (set.size() == 2) {  // so common that it pays: any test that tells the two apart settles everything
        const std::uint8_t *one = table_.row(set.objects[0]), *other = table_.row(set.objects[1]);
        const auto apart = std::ranges::find_if(tests, [&](std::int32_t test) { return one[test] != other[test]; });
        return apart == tests.end() ? best : BestSplit{set.least, *apart};
    }
    find_runs(set);
    uses_lanes() ? count_right_in_lanes(set, tests) : count_right(set, tests);
    for (const std::int32_t test : tests) {
        const Units wrong = set.total - right_[test];
        if (wrong < best.errors) best = {wrong, test};
    }
    return best;
}

void OutcomeSplits::split(const ObjectSet& set, int test, Level& level) {
    const int n_outcomes = table_.n_outcomes[test];
    const std::uint8_t* column = table_.column(test);
    std::fill_n(starts_.begin(), n_outcomes + 1, 0);
    std::fill_n(votes_.begin(), std::size_t(n_outcomes) * table_.n_classes, 0);
    for (int outcome = 0; outcome < n_outcomes; ++outcome) level.parts[outcome] = Part{};
    for (const std::int32_t object : set.objects) {
        const int outcome = column[object];
        ++starts_[outcome + 1];
        votes_[std::size_t(outcome) * table_.n_classes + table_.labels[object]] += table_.weights[object];
        Part& part = level.parts[outcome];
        part.least += table_.unavoidable[object];
        part.key += table_.keys[object];
    }
    for (int outcome = 0; outcome < n_outcomes; ++outcome) starts_[outcome + 1] += starts_[outcome];
    level.objects.resize(set.size());
    const std::span<const std::int32_t> objects = level.objects;
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        Part& part = level.parts[outcome];
        part.objects = objects.subspan(starts_[outcome], starts_[outcome + 1] - starts_[outcome]);
        MostCommonClass<Units> leaf;
        for (int c = 0; c < table_.n_classes; ++c) {
            const Units in_class = votes_[std::size_t(outcome) * table_.n_classes + c];
            part.total += in_class;
            leaf.add(in_class);
        }
        part.leaf = leaf.errors(part.total);
        part.proven = part.least;
        part.is_settled = part.leaf == part.least;
    }
    for (const std::int32_t object : set.objects) level.objects[starts_[column[object]]++] = object;
}

void OutcomeSplits::sum_keys(const ObjectSet& set, int test, Level& level) const {
    const std::uint8_t* column = table_.column(test);
    for (int outcome = 0; outcome < table_.n_outcomes[test]; ++outcome) level.parts[outcome] = Part{};
    for (const std::int32_t object : set.objects) {
        Part& part = level.parts[column[object]];
        part.least += table_.unavoidable[object];
        part.key += table_.keys[object];
    }
}

Ranking OutcomeSplits::rank(const ObjectSet& set, const Remaining& remaining, const Level& above, Level& level) {
    find_runs(set);
    const std::size_t n_runs = run_ends_.size(), width = table_.width, size = width * n_runs;
    cells_.assign(above.tests.size() * size, 0);
    for (std::size_t run = 0, at = 0; run < n_runs; ++run) {
        for (; at < std::size_t(run_ends_[run]); ++at) {
            const std::int32_t object = set.objects[at];
            const std::uint8_t* row = table_.row(object);
            for (std::size_t i = 0; i < above.tests.size(); ++i) {
                cells_[i * size + row[above.tests[i]] * n_runs + run] += table_.weights[object];
            }
        }
    }
    Ranker ranker(table_.money, remaining, level);
    for (std::size_t i = 0; i < above.tests.size(); ++i) {
        const Units* cell = &cells_[i * size];
        // Pairs of cases of different classes that stay together; of binary tests the unlike share of each part instead,
        // and ones before zeros: the same float as binary_pairs computes.
        double pairs = 0, unlike = 0;
        int n_shown = 0;
        for (int outcome = 0; outcome < table_.n_outcomes[above.tests[i]]; ++outcome, cell += n_runs) {
            double together = 0, squares = 0;
            for (std::size_t run = 0; run < n_runs; ++run) {
                together += double(cell[run]);
                squares += double(cell[run]) * double(cell[run]);
            }
            pairs += together * together - squares;
            if (together > 0) unlike = outcome == 0 ? squares / together : -squares / together - unlike;
            n_shown += together > 0;
        }
        if (n_shown >= 2) ranker.add(above.tests[i], table_.is_binary ? unlike : pairs);
    }
    return ranker.finish();
}

// So many classes are right at most as the next test has outcomes.
Units OutcomeSplits::bound_by_classes(int n_outcomes, int max_outcomes) {
    Units wrong = 0;
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        Part& part = last_two_level_.parts[outcome];
        if (table_.n_classes > max_outcomes && !part.is_settled) {
            const auto votes = votes_.begin() + std::size_t(outcome) * table_.n_classes;
            std::nth_element(votes, votes + max_outcomes, votes + table_.n_classes, std::greater<>());
            Units rest = part.total;
            for (auto vote = votes; vote < votes + max_outcomes; ++vote) rest -= *vote;
            part.proven = std::max(part.proven, rest);
        }
        wrong += part.proven;
    }
    return wrong;
}

int OutcomeSplits::most_mixed(int n_outcomes) const {
    Units most = 0;
    int found = -1;
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        if (last_two_level_.parts[outcome].mixed() > most) {
            most = last_two_level_.parts[outcome].mixed();
            found = outcome;
        }
    }
    return found;
}

}  // namespace budgetree
