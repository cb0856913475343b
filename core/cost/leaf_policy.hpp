// What a leaf is allowed to be and what its answer loses: everything that adds up errors asks here.
//
//     loss   class × answer     what the answer costs a case of the class; by default 0 for its own class, else 1
//     gain   class × answer     the class's largest loss less that: what the answer spares
//
//     a leaf loses   Σ weight · largest loss   −   the largest, over the answers, of   Σ weight · gain
//
// With the default losses the gain of an answer is the weight of its class, and the largest is the most common class.
// Whatever the losses, everything before "the largest" is linear: counts of cases per class become gains per answer
// once
// (`project` in pair_lanes.hpp), and from there on the code that looks for the most common class serves both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cost/cost_model.hpp"

namespace budgetree {

// What an answer gains beyond the usual gain of a class; less than 0 where it gains less.
struct Unusual {
    int answer;
    Units more;
};

class LeafPolicy {
public:
    // An error is an error, and one case is enough for a leaf.
    explicit LeafPolicy(int n_classes) : LeafPolicy({}, n_classes, 1) {}

    // `losses` by class and answer; empty for the default.
    LeafPolicy(const std::vector<Units>& losses, int n_classes, int min_cases);

    bool is_plain() const { return is_plain_; }
    int n_classes() const { return n_classes_; }
    int n_answers() const { return n_answers_; }
    int min_cases() const { return min_cases_; }
    Units largest(int c) const { return largest_[c]; }  // loss of the class
    Units gain(int c, int answer) const { return gain_[std::size_t(c) * n_answers_ + answer]; }

    // Most answers gain the same of a class: what its own answer gains, and a referral, is often all that differs.
    Units usual(int c) const { return usual_[c]; }
    const std::vector<Unusual>& unusual(int c) const { return unusual_[c]; }

private:
    int n_classes_, n_answers_, min_cases_;
    bool is_plain_;
    std::vector<Units> largest_;  // per class
    // Only with losses: class × answer, and the same per class.
    std::vector<Units> gain_, usual_;
    std::vector<std::vector<Unusual>> unusual_;
};

// What a leaf loses, from its weight in one class after another.
class LeafLoss {
public:
    explicit LeafLoss(const LeafPolicy& policy) : policy_(policy), more_(policy.is_plain() ? 0 : policy.n_answers()) {}

    void clear() {
        total_ = usual_ = most_ = 0;
        std::ranges::fill(more_, 0);
    }
    void add(int c, Units weight) {
        if (policy_.is_plain()) {
            total_ += weight;
            most_ = std::max(most_, weight);
            return;
        }
        total_ += weight * policy_.largest(c);
        usual_ += weight * policy_.usual(c);
        for (const Unusual& unusual : policy_.unusual(c)) more_[unusual.answer] += weight * unusual.more;
    }
    Units total() const { return total_; }  // with the worst answer for every case
    Units value() const { return total_ - (policy_.is_plain() ? most_ : usual_ + std::ranges::max(more_)); }
    Units gain(int answer) const { return usual_ + more_[answer]; }  // only with losses

private:
    const LeafPolicy& policy_;
    Units total_ = 0, usual_ = 0, most_ = 0;
    std::vector<Units> more_;  // per answer
};

// Of a node, from its weight in each class.
inline Units leaf_value(const std::int64_t* class_weights, const LeafPolicy& policy) {
    LeafLoss leaf(policy);
    for (int c = 0; c < policy.n_classes(); ++c) leaf.add(c, class_weights[c]);
    return leaf.value();
}

}  // namespace budgetree
