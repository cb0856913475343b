#include "growth/pool.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/hash_index.hpp"
#include "growth/growth.hpp"

namespace budgetree {
namespace {

constexpr std::int32_t kEmpty = HashIndex::kEmpty;
constexpr int kUnknown = -2;
constexpr int kFewRows = 8;  // up to here a set is asked for a pure split before it is counted
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += kGolden;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

using Sums = std::array<std::uint64_t, 2>;

struct Set {
    std::size_t first;  // of its row numbers
    std::int32_t n_rows;
    std::int32_t slot = kEmpty;
    std::int32_t pure_test = kUnknown;  // a cheapest test that leaves nothing wrong, where no price depends on the path
    std::int64_t wrong;
    Sums sums;
    bool is_pure;
};

template <typename Count>
struct Slot {
    NodeCounts<Count> counts;
    Facts facts;
    ClassList classes;
};

struct Split {
    std::int32_t set, test;
    std::size_t first;  // of its outcomes' sets
};

// A node of the tree that is growing.
struct Place {
    std::int32_t set;
    PathState state;
    Units need;  // of the test above it
};

template <typename Count>
class PoolOf final : public Pool {
public:
    PoolOf(const PackedTable& table, const CostModel& costs, const LeafPolicy& policy, std::size_t cache_bytes)
        : table_(table), layout_(table.layout()), costs_(costs), policy_(policy), limit_(cache_bytes),
          chooser_(layout_, costs), random_(table.n_rows()) {
        for (std::size_t row = 0; row < random_.size(); ++row) random_[row] = {mixed(2 * row), mixed(2 * row + 1)};
        clear();
    }

    int n_classes() const override { return layout_.n_classes(); }

    bool grow(const GrowthSettings& settings, Steps& steps, Watch& watch) override {
        chooser_.use(settings);
        for (int attempt = 0; attempt < 2; ++attempt) {
            const bool is_fresh = sets_.size() == 1;
            const Ended ended = grow_from_sets(steps, watch);
            if (ended == Ended::kDone) return true;
            steps.drop_unfinished();
            if (ended == Ended::kStopped) return false;
            clear();
            if (is_fresh) break;
        }
        const auto tree = budgetree::grow(table_, costs_, settings, 1, watch.clock());
        if (!tree) return false;
        steps.add_tree(*tree, policy_, costs_);
        return true;
    }

private:
    enum class Ended { kDone, kStopped, kFull };

    void clear() {
        rows_.resize(table_.n_rows());
        std::iota(rows_.begin(), rows_.end(), 0);
        sets_.clear();
        weights_.clear();
        splits_.clear();
        split_sets_.clear();
        known_sets_.clear();
        known_splits_.clear();
        n_slots_ = 0;
        find_or_add(0, table_.n_rows());
    }

    std::size_t bytes() const {
        const std::size_t slot_bytes = layout_.n_cells() * layout_.n_classes() * sizeof(Count) +
                                       2 * layout_.n_lanes() * sizeof(double) + sizeof(Slot<Count>);
        return rows_.size() * sizeof(std::int32_t) + random_.size() * sizeof(Sums) + sets_.size() * sizeof(Set) +
               weights_.size() * sizeof(std::int64_t) + splits_.size() * sizeof(Split) +
               split_sets_.size() * sizeof(std::int32_t) + known_sets_.bytes() + known_splits_.bytes() +
               n_slots_ * slot_bytes;
    }

    Ended grow_from_sets(Steps& steps, Watch& watch) {
        Steps::Tree tree;
        tree.at_root = tree.at_leaves = sets_[0].wrong;
        queue_.clear();
        if (!chooser_.stops(weights_of(0), {})) queue_.push_back({0, {}, 0});
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            if (bytes() > limit_) return Ended::kFull;
            if (watch.is_over(200)) return Ended::kStopped;
            const Place place = queue_[next];
            std::int64_t wrong_after = 0;
            const int test = choose(place, wrong_after, watch);
            if (watch.clock().is_stopped()) return Ended::kStopped;
            if (test == kLeaf) continue;
            if (!policy_.is_plain()) wrong_after = loss_after(place.set, test);
            const Units cost = place.state.spent[0] + costs_.most(place.state, test)[0];
            const Units need = std::max(cost, place.need);
            const std::int64_t gain = sets_[place.set].wrong - wrong_after;
            steps.add(need, gain);
            tree.at_leaves -= gain;
            if (!costs_.depends_on_outcome()) tree.max_cost = std::max(tree.max_cost, cost);
            // With losses parts of several classes may have nothing to lose, and go on all the same.
            if (wrong_after > 0 || costs_.depends_on_outcome() || !policy_.is_plain()) go_on(place, test, need, tree);
        }
        steps.end_tree(tree);
        return Ended::kDone;
    }

    std::int64_t loss_after(std::int32_t set, int test) {
        const std::size_t first = split(set, test);
        std::int64_t loss = 0;
        for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
            const std::int32_t child = split_sets_[first + outcome];
            if (child != kEmpty) loss += sets_[child].wrong;
        }
        return loss;
    }

    // Enqueues the outcomes that are no leaves.
    void go_on(const Place& place, int test, Units need, Steps::Tree& tree) {
        const std::size_t first = split(place.set, test);
        for (int outcome = 0; outcome < layout_.n_outcomes(test); ++outcome) {
            const std::int32_t child = split_sets_[first + outcome];
            if (child == kEmpty) continue;
            const PathState state = costs_.after(place.state, test, outcome);
            tree.max_cost = std::max(tree.max_cost, state.spent[0]);
            if (!sets_[child].is_pure && !chooser_.stops(weights_of(child), state))
                queue_.push_back({child, state, need});
        }
    }

    int choose(const Place& place, std::int64_t& wrong_after, Watch& watch) {
        if (chooser_.takes_pure_splits()) {
            const int test = pure_split(place);
            if (test != kLeaf) return test;
        }
        const std::int32_t slot_number = counted(place.set, watch);
        if (slot_number == kEmpty) return kLeaf;  // the clock stopped it
        const Slot<Count>& slot = slots_[slot_number];
        if (chooser_.takes_pure_splits() && !costs_.depends_on_path() && sets_[place.set].pure_test == kUnknown) {
            sets_[place.set].pure_test = pure_test_of(slot.facts);
            const int test = pure_split(place);
            if (test != kLeaf) return test;
        }
        const Choice choice =
            chooser_.choose<Count>({weights_of(place.set), slot.classes, slot.counts, slot.facts, place.state}, watch);
        if (choice.test != kLeaf) wrong_after = std::int64_t(slot.facts.wrong[choice.test]);
        return choice.test;
    }

    int pure_split(const Place& place) {
        Set& set = sets_[place.set];
        const double cheapest = chooser_.cheapest(place.state);
        if (cheapest > double(chooser_.settings().budget - place.state.spent[0])) return kLeaf;
        if (costs_.depends_on_path()) {
            return set.n_rows > kFewRows ? kLeaf : find_pure_split(layout_, few_rows(set), chooser_, place.state);
        }
        if (set.pure_test == kUnknown && set.n_rows <= kFewRows) {
            set.pure_test = find_pure_split(layout_, few_rows(set), chooser_, place.state);
        }
        return set.pure_test == kUnknown ? kLeaf : set.pure_test;
    }

    int pure_test_of(const Facts& facts) {
        const double cheapest = chooser_.cheapest({});
        const std::span<const double> prices = chooser_.prices({});
        for (int test = 0; test < layout_.n_tests(); ++test) {
            if (prices[test] == cheapest && facts.wrong[test] == 0.0) return test;
        }
        return kLeaf;
    }

    FewRows few_rows(const Set& set) const {
        FewRows few = {};
        few.n_rows = set.n_rows;
        std::int64_t class_end = 0;
        for (int c = 0, i = 0; i < few.n_rows; ++c) {
            class_end += table_.class_sizes()[c];
            int end = i;
            while (end < few.n_rows && rows_[set.first + end] < class_end) ++end;
            for (; i < end; ++i) {
                few.rows[i] = table_.rows().row(rows_[set.first + i]);
                few.class_end[i] = end;
            }
        }
        return few;
    }

    std::int32_t counted(std::int32_t number, Watch& watch) {
        if (sets_[number].slot != kEmpty) return sets_[number].slot;
        const std::int32_t slot_number = n_slots_;
        if (std::size_t(slot_number) == slots_.size()) {
            slots_.push_back({NodeCounts<Count>(layout_), Facts(layout_), {}});
        }
        Slot<Count>& slot = slots_[slot_number];
        slot.classes = classes_of(weights_of(number));
        const Set& set = sets_[number];
        const std::span<const std::int32_t> numbers(rows_.data() + set.first, std::size_t(set.n_rows));
        if (number == 0) {
            slot.counts = table_.counts<Count>();
        } else if (!table_.count(numbers, slot.counts, watch)) {
            return kEmpty;
        }
        chooser_.find_facts(slot.counts, slot.classes, slot.facts);
        ++n_slots_;
        return sets_[number].slot = slot_number;
    }

    // Where the sets of its outcomes are.
    std::size_t split(std::int32_t set, int test) {
        const auto hash_of = [](std::int32_t set, std::int32_t test) {
            return mixed(std::uint64_t(set) << 32 | std::uint32_t(test));
        };
        const std::int32_t known = known_splits_.find(hash_of(set, test), [&](std::int32_t number) {
            return splits_[number].set == set && splits_[number].test == test;
        });
        if (known != kEmpty) return splits_[known].first;
        const int n_outcomes = layout_.n_outcomes(test);
        const std::size_t from = sets_[set].first, n_rows = sets_[set].n_rows, base = rows_.size();
        std::array<std::size_t, 257> ends = {};
        for (std::size_t i = from; i < from + n_rows; ++i) ++ends[outcome(i, test) + 1];
        std::partial_sum(ends.begin(), ends.begin() + n_outcomes + 1, ends.begin());
        rows_.resize(base + n_rows);
        for (std::size_t i = from; i < from + n_rows; ++i) rows_[base + ends[outcome(i, test)]++] = rows_[i];
        splits_.push_back({set, test, split_sets_.size()});
        split_sets_.resize(split_sets_.size() + n_outcomes, kEmpty);
        std::size_t begin = 0;
        for (int o = 0; o < n_outcomes; ++o) {
            if (ends[o] > begin) split_sets_[splits_.back().first + o] = find_or_add(base + begin, base + ends[o]);
            begin = ends[o];
        }
        known_splits_.add(std::int32_t(splits_.size() - 1),
                          [&](std::int32_t number) { return hash_of(splits_[number].set, splits_[number].test); });
        return splits_.back().first;
    }

    unsigned outcome(std::size_t place, int test) const {
        return layout_.outcome(table_.rows().row(rows_[place]), test);
    }

    std::int32_t find_or_add(std::size_t first, std::size_t last) {
        Sums sums = {};
        for (std::size_t i = first; i < last; ++i) {
            sums[0] += random_[rows_[i]][0];
            sums[1] += random_[rows_[i]][1];
        }
        const std::int32_t known =
            known_sets_.find(sums[0], [&](std::int32_t number) { return sets_[number].sums == sums; });
        if (known != kEmpty) return known;
        const auto number = std::int32_t(sets_.size());
        const int n_classes = layout_.n_classes();
        weights_.resize(weights_.size() + n_classes);
        std::int64_t* weights = &weights_[std::size_t(number) * n_classes];
        std::int64_t class_end = table_.class_sizes()[0];
        int n_present = 0;
        for (std::size_t i = first, c = 0; i < last; ++i) {  // rows ascend, so classes do
            while (rows_[i] >= class_end) class_end += table_.class_sizes()[++c];
            n_present += weights[c] == 0;
            weights[c] += std::int64_t(layout_.weight(table_.rows().row(rows_[i])));
        }
        Set set = {};
        set.first = first;
        set.n_rows = std::int32_t(last - first);
        set.slot = kEmpty;
        set.pure_test = kUnknown;
        set.wrong = leaf_value(weights, policy_);
        set.sums = sums;
        set.is_pure = n_present < 2;
        sets_.push_back(set);
        known_sets_.add(number, [&](std::int32_t number) { return sets_[number].sums[0]; });
        return number;
    }

    ClassWeights weights_of(std::int32_t set) const {
        return ClassWeights(weights_).subspan(std::size_t(set) * layout_.n_classes(), layout_.n_classes());
    }

    const PackedTable& table_;
    const RowLayout& layout_;
    const CostModel& costs_;
    LeafPolicy policy_;
    std::size_t limit_;
    Chooser chooser_;
    std::vector<Sums> random_;
    std::vector<std::int32_t> rows_;
    std::vector<Set> sets_;
    std::vector<std::int64_t> weights_;  // set × class
    std::vector<Split> splits_;
    std::vector<std::int32_t> split_sets_;
    HashIndex known_sets_, known_splits_;
    std::vector<Slot<Count>> slots_;  // those from n_slots_ on are spare
    std::int32_t n_slots_ = 0;
    std::vector<Place> queue_;
};

}  // namespace

std::unique_ptr<Pool> Pool::make(const PackedTable& table, const CostModel& costs, const LeafPolicy& policy,
                                 std::size_t cache_bytes) {
    if (table.layout().is_weighted()) return std::make_unique<PoolOf<double>>(table, costs, policy, cache_bytes);
    return std::make_unique<PoolOf<std::uint32_t>>(table, costs, policy, cache_bytes);
}

}  // namespace budgetree
