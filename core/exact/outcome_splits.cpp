#include "exact/outcome_splits.hpp"

#include <functional>
#include <iterator>

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_EXACT {

void find_affordable(const CostModel& costs, const std::vector<std::int32_t>& tests, const Remaining& remaining,
                     Affordable& found) {
    found.tests.clear();
    found.changes = kUnlimited;
    found.made_for = remaining;
    const Amounts left = remaining.left();
    for (const std::int32_t test : tests) {
        if (!costs.is_allowed(remaining.state.flags, test)) continue;
        const Amounts price = costs.most(remaining.state, test);
        if (price.fits(left)) {
            found.tests.push_back(test);
        } else {
            found.changes.cut(left, price);
            if (kResources == 1 && !costs.depends_on_path()) break;  // the others cost no less
        }
    }
}

OutcomeSplits::OutcomeSplits(const ExactTable& table)
    : table_(table), right_(table.n_tests), lanes_right_(table.n_lanes),
      gain_votes_(table.policy.is_plain() ? 0 : std::size_t(table.width) * table.policy.n_answers()),
      starts_(table.width + 1) {
    for (int first = 0; first < table.n_tests; first += kByteLanes) {
        const int last = std::min(first + kByteLanes, table.n_tests);
        block_levels_.push_back(*std::max_element(&table.n_outcomes[first], &table.n_outcomes[first] + (last - first)));
    }
    const int n_levels = (table.width + kLevelsAtOnce - 1) / kLevelsAtOnce * kLevelsAtOnce;
    lanes_totals_.resize(std::size_t(n_levels) * kByteLanes);
    lanes_squares_.resize(lanes_totals_.size());
    totals_.resize(table.width);
    squares_.resize(table.width);
    last_two_level_.parts.resize(table.width);
}

void OutcomeSplits::find_runs(const ObjectSet& set, Runs& runs) const {
    runs.clear();
    std::int32_t last = -1;
    for (int at = 0; at < set.size(); ++at) {
        const std::int32_t label = table_.labels[set.objects[at]];
        if (label != last && at > 0) runs.push_back(at);
        last = label;
    }
    runs.push_back(set.size());
}

ClassRuns OutcomeSplits::by_simd(const ObjectSet& set, const Runs& runs) const {
    bool fits_bytes = true;
    for (std::size_t run = 0, begin = 0; run < runs.size(); begin = runs[run++]) fits_bytes &= runs[run] - begin <= 255;
    return {table_.rows.data(), std::size_t(table_.n_lanes), set.objects.data(), runs.data(), int(runs.size()),
            fits_bytes};
}

void OutcomeSplits::count_right_by_simd(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    const ClassRuns runs = by_simd(set, runs_);
    RunGains gains = {};
    if (!table_.policy.is_plain()) gains = gains_by_simd(set);
    int counted = -1;
    for (const std::int32_t test : tests) {
        const int block = test / kByteLanes;
        std::uint16_t* right = &lanes_right_[block * kByteLanes];
        if (block != counted && table_.policy.is_plain()) {
            split_kernels().count_right(runs, block, block_levels_[block], right);
        } else if (block != counted) {
            split_kernels().count_gains(gains, block, block_levels_[block], right);
        }
        counted = block;
        right_[test] = lanes_right_[test];
    }
}

void OutcomeSplits::find_gains(const ObjectSet& set, const Runs& runs, SetGains& gains) {
    const LeafPolicy& policy = table_.policy;
    if (policy.is_plain()) return;
    gains.largest.clear();
    gains.usual.clear();
    gains.more.clear();
    gains.ends.clear();
    gains.n_places = 0;
    place_of_answer_.assign(policy.n_answers(), -1);
    for (const std::int32_t end : runs) {
        const int label = table_.labels[set.objects[end - 1]];
        gains.largest.push_back(policy.largest(label));
        gains.usual.push_back(policy.usual(label));
        for (const Unusual& unusual : policy.unusual(label)) {
            std::int32_t& place = place_of_answer_[unusual.answer];
            if (place < 0) place = gains.n_places++;
            gains.more.push_back({place, unusual.more});
        }
        gains.ends.push_back(std::int32_t(gains.more.size()));
    }
    gains.has_usual_answer = gains.n_places < policy.n_answers();
}

RunGains OutcomeSplits::gains_by_simd(const ObjectSet& set) {
    find_gains(set, runs_, gains_);
    constexpr std::int32_t kNone = -1, kOnce = -2;
    std::vector<std::int32_t>& place_of = place_of_answer_;  // by place: a new one where several classes have it
    place_of.assign(gains_.n_places, kNone);
    int n_places = 0;
    for (const SetGains::More& more : gains_.more) {
        std::int32_t& place = place_of[more.place];
        if (place == kNone && more.gain > 0) {
            place = kOnce;
        } else if (place < 0) {
            place = n_places++;
        }
    }
    lane_usual_.assign(gains_.usual.begin(), gains_.usual.end());
    lane_own_.assign(runs_.size(), 0);
    lane_more_.clear();
    lane_ends_.clear();
    std::size_t next = 0;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
        for (; next < std::size_t(gains_.ends[run]); ++next) {
            const SetGains::More& more = gains_.more[next];
            const auto gain = std::uint16_t(more.gain);
            if (place_of[more.place] == kOnce) {
                lane_own_[run] = std::max(lane_own_[run], gain);
            } else {
                lane_more_.push_back({place_of[more.place], gain});
            }
        }
        lane_ends_.push_back(std::int32_t(lane_more_.size()));
    }
    const bool has_usual = gains_.has_usual_answer || n_places < gains_.n_places;
    return {by_simd(set, runs_), lane_usual_.data(), lane_own_.data(), lane_more_.data(),
            lane_ends_.data(),   n_places,           has_usual};
}

// Case by case and class by class: the largest weight of each outcome is right.
void OutcomeSplits::count_right(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    const std::size_t width = table_.width;
    cells_.resize(tests.size() * width);
    tops_.assign(tests.size() * width, 0);
    std::size_t at = 0;
    for (const std::int32_t end : runs_) {
        std::ranges::fill(cells_, 0);
        for (; at < std::size_t(end); ++at) {
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

// The same with losses: what the best answer to each outcome gains.
void OutcomeSplits::count_gains(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    const std::size_t width = table_.width, n_answers = table_.policy.n_answers();
    cells_.assign(tests.size() * width * (n_answers + 1), 0);
    for (const std::int32_t object : set.objects) {
        const std::uint8_t* row = table_.row(object);
        const int label = table_.labels[object];
        const Units weight = table_.weights[object], usual = weight * table_.policy.usual(label);
        for (std::size_t i = 0; i < tests.size(); ++i) {
            Units* cell = &cells_[(i * width + row[tests[i]]) * (n_answers + 1)];
            cell[n_answers] += usual;
            for (const Unusual& unusual : table_.policy.unusual(label)) cell[unusual.answer] += weight * unusual.more;
        }
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
        right_[tests[i]] = 0;
        for (std::size_t outcome = 0; outcome < width; ++outcome) {
            const Units* cell = &cells_[(i * width + outcome) * (n_answers + 1)];
            right_[tests[i]] += cell[n_answers] + *std::max_element(cell, cell + n_answers);
        }
    }
}

BestSplit OutcomeSplits::best_split(const ObjectSet& set, const std::vector<std::int32_t>& tests) {
    BestSplit best{set.leaf, kNoTest};
    if (tests.empty()) return best;
    if (set.size() == 2 && table_.policy.min_cases() == 1) {  // so common that it pays: any test that tells them apart
        const std::uint8_t *one = table_.row(set.objects[0]), *other = table_.row(set.objects[1]);
        const auto apart = std::ranges::find_if(tests, [&](std::int32_t test) { return one[test] != other[test]; });
        return apart == tests.end() ? best : BestSplit{set.least, *apart};
    }
    find_runs(set, runs_);
    if (scores_by_simd()) {
        count_right_by_simd(set, tests);
    } else {
        table_.policy.is_plain() ? count_right(set, tests) : count_gains(set, tests);
    }
    for (const std::int32_t test : tests) {
        const Units wrong = set.total - right_[test];
        if (wrong < best.errors && table_.allows(set, test)) best = {wrong, test};
    }
    return best;
}

void OutcomeSplits::split(const ObjectSet& set, int test, Level& level) {
    const std::vector<std::int32_t>& runs = level.runs;
    const int n_outcomes = table_.n_outcomes[test], n_runs = int(runs.size());
    const std::uint8_t* column = table_.column(test);
    run_votes_.assign(std::size_t(n_outcomes) * n_runs, 0);
    std::fill_n(starts_.begin(), n_outcomes + 1, 0);
    for (int run = 0, at = 0; run < n_runs; ++run) {
        for (; at < runs[run]; ++at) {
            const std::int32_t object = set.objects[at];
            const int outcome = column[object];
            ++starts_[outcome + 1];
            run_votes_[outcome * n_runs + run] += table_.weights[object];
        }
    }
    for (int outcome = 0; outcome < n_outcomes; ++outcome) starts_[outcome + 1] += starts_[outcome];
    level.objects.resize(set.size());
    const std::span<const std::int32_t> objects = level.objects;
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        Part& part = level.parts[outcome];
        part.objects = objects.subspan(starts_[outcome], starts_[outcome + 1] - starts_[outcome]);
        describe_leaf(level, outcome, part);
        part.is_settled |= part.leaf == part.least;  // the memory may have settled it before
    }
    for (const std::int32_t object : set.objects) level.objects[starts_[column[object]]++] = object;
}

void OutcomeSplits::describe_leaf(const Level& level, int outcome, Part& part) {
    const std::size_t n_runs = level.runs.size();
    const Units* votes = &run_votes_[outcome * n_runs];
    part.total = 0;
    if (table_.policy.is_plain()) {
        Units most = 0;
        for (std::size_t run = 0; run < n_runs; ++run) {
            part.total += votes[run];
            most = std::max(most, votes[run]);
        }
        part.leaf = part.total - most;
        return;
    }
    const SetGains& gains = level.gains;
    Units* of_answers = &gain_votes_[std::size_t(outcome) * gains.n_answers()];
    std::fill_n(of_answers, gains.n_answers(), 0);
    Units usual = 0;
    std::int32_t next = 0;
    for (std::size_t run = 0; run < n_runs; ++run) {
        part.total += votes[run] * gains.largest[run];
        usual += votes[run] * gains.usual[run];
        for (; next < gains.ends[run]; ++next) of_answers[gains.more[next].place] += votes[run] * gains.more[next].gain;
    }
    for (int place = 0; place < gains.n_answers(); ++place) of_answers[place] += usual;
    part.leaf = part.total - *std::max_element(of_answers, of_answers + gains.n_answers());
}

void OutcomeSplits::sum_keys(const ObjectSet& set, int test, Level& level) {
    const std::uint8_t* column = table_.column(test);
    const int n_outcomes = table_.n_outcomes[test];
    keys_.assign(n_outcomes, Key{});
    for (const std::int32_t object : set.objects) keys_[column[object]] += table_.keys[object];
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        level.parts[outcome] = Part{};
        level.parts[outcome].key = keys_[outcome];
    }
    if (set.least > 0) {
        for (const std::int32_t object : set.objects) level.parts[column[object]].least += table_.unavoidable[object];
    }
    for (Part& part : std::span(level.parts).first(n_outcomes)) part.proven = part.least;
}

Ranking OutcomeSplits::rank(const ObjectSet& set, const Remaining& remaining, const Level& above, Level& level) {
    Ranker ranker(table_, remaining, level);
    find_runs(set, level.runs);
    find_gains(set, level.runs, level.gains);
    runs_ = level.runs;
    counts_by_simd() ? rank_by_simd(set, above.tests, ranker) : rank_by_cases(set, above.tests, ranker);
    return ranker.finish(set, above.tests);
}

// Pairs of cases of different classes that stay together. Of binary tests the unlike share of each part instead, ones
// before zeros: the same float as binary_pairs computes.
double OutcomeSplits::score(std::span<const double> totals, std::span<const double> squares) const {
    if (table_.is_binary) return -squares[1] / totals[1] - squares[0] / totals[0];
    double pairs = 0;
    for (std::size_t outcome = 0; outcome < totals.size(); ++outcome) {
        pairs += totals[outcome] * totals[outcome] - squares[outcome];
    }
    return pairs;
}

void OutcomeSplits::rank_by_simd(const ObjectSet& set, const std::vector<std::int32_t>& tests, Ranker& ranker) {
    const ClassRuns runs = by_simd(set, runs_);
    int counted = -1;
    for (const std::int32_t test : tests) {
        const int block = test / kByteLanes, lane = test % kByteLanes, n_outcomes = table_.n_outcomes[test];
        if (block != counted) {
            split_kernels().count_pairs(runs, block, block_levels_[block],
                                        {lanes_totals_.data(), lanes_squares_.data()});
        }
        counted = block;
        int n_shown = 0;
        for (int outcome = 0; outcome < n_outcomes; ++outcome) {
            totals_[outcome] = lanes_totals_[outcome * kByteLanes + lane];
            squares_[outcome] = lanes_squares_[outcome * kByteLanes + lane];
            n_shown += totals_[outcome] > 0;
        }
        const std::size_t n = n_outcomes;
        if (n_shown < 2) continue;
        ranker.add(test, score(std::span(totals_).first(n), std::span(squares_).first(n)), table_.allows(set, test));
    }
}

void OutcomeSplits::rank_by_cases(const ObjectSet& set, const std::vector<std::int32_t>& tests, Ranker& ranker) {
    const std::size_t width = table_.width, n_runs = runs_.size(), size = width * n_runs;
    cells_.assign(tests.size() * size, 0);
    for (std::size_t run = 0, at = 0; run < n_runs; ++run) {
        for (; at < std::size_t(runs_[run]); ++at) {
            const std::int32_t object = set.objects[at];
            const std::uint8_t* row = table_.row(object);
            for (std::size_t i = 0; i < tests.size(); ++i) {
                cells_[i * size + row[tests[i]] * n_runs + run] += table_.weights[object];
            }
        }
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
        const Units* cell = &cells_[i * size];
        const std::size_t n_outcomes = table_.n_outcomes[tests[i]];
        int n_shown = 0;
        for (std::size_t outcome = 0; outcome < n_outcomes; ++outcome, cell += n_runs) {
            totals_[outcome] = squares_[outcome] = 0;
            for (std::size_t run = 0; run < n_runs; ++run) {
                totals_[outcome] += double(cell[run]);
                squares_[outcome] += double(cell[run]) * double(cell[run]);
            }
            n_shown += totals_[outcome] > 0;
        }
        const auto first = [&](const std::vector<double>& all) { return std::span(all).first(n_outcomes); };
        if (n_shown < 2) continue;
        ranker.add(tests[i], score(first(totals_), first(squares_)), table_.allows(set, tests[i]));
    }
}

// A test of so many outcomes gives as many answers at most, and several gain no more than each by itself. The votes are
// used up.
Units OutcomeSplits::bound_by_answers(Level& level, int n_outcomes, int max_outcomes) {
    const bool is_plain = table_.policy.is_plain();
    std::vector<Units>& votes = is_plain ? run_votes_ : gain_votes_;
    const int n_votes = is_plain ? int(level.runs.size()) : level.gains.n_answers();
    Units wrong = 0;
    for (int outcome = 0; outcome < n_outcomes; ++outcome) {
        Part& part = level.parts[outcome];
        if (n_votes > max_outcomes && !part.is_settled) {
            const auto first = votes.begin() + std::ptrdiff_t(outcome) * n_votes;
            std::nth_element(first, first + max_outcomes, first + n_votes, std::greater<>());
            Units rest = part.total;
            for (auto vote = first; vote < first + max_outcomes; ++vote) rest -= *vote;
            part.proven = std::max(part.proven, rest);
        }
        wrong += part.proven;
    }
    return wrong;
}

}  // namespace budgetree::BUDGETREE_EXACT
