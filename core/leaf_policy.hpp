// What a leaf is allowed to be and what its answer loses: whoever adds up errors asks here.
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

#include "money.hpp"

namespace budgetree {

class LeafPolicy {
public:
    // An error is an error, and one case is enough for a leaf.
    explicit LeafPolicy(int n_classes) : LeafPolicy({}, n_classes, 1) {}

    // `losses` by class and answer; empty for the default.
    LeafPolicy(const std::vector<Units>& losses, int n_classes, int min_cases)
        : n_classes_(n_classes), n_answers_(losses.empty() ? n_classes : int(losses.size()) / n_classes),
          min_cases_(min_cases), is_plain_(losses.empty()), largest_(n_classes, 1) {
        for (int c = 0; c < n_classes && !is_plain_; ++c) {
            const auto of_class = std::span(losses).subspan(std::size_t(c) * n_answers_, n_answers_);
            largest_[c] = std::ranges::max(of_class);
            for (const Units loss : of_class) gain_.push_back(largest_[c] - loss);
        }
    }

    bool is_plain() const { return is_plain_; }
    int n_classes() const { return n_classes_; }
    int n_answers() const { return n_answers_; }
    int min_cases() const { return min_cases_; }
    Units largest(int c) const { return largest_[c]; }
    std::span<const Units> gains(int c) const {
        return std::span(gain_).subspan(std::size_t(c) * n_answers_, n_answers_);
    }

private:
    int n_classes_, n_answers_, min_cases_;
    bool is_plain_;
    std::vector<Units> largest_;  // per class
    std::vector<Units> gain_;     // class × answer; empty where it is plain
};

// What a leaf loses, from its weight in one class after another.
class LeafLoss {
public:
    explicit LeafLoss(const LeafPolicy& policy) : policy_(policy), gains_(policy.is_plain() ? 0 : policy.n_answers()) {}

    void clear() {
        total_ = most_ = 0;
        std::ranges::fill(gains_, 0);
    }
    void add(int c, Units weight) {
        if (policy_.is_plain()) {
            total_ += weight;
            most_ = std::max(most_, weight);
            return;
        }
        total_ += weight * policy_.largest(c);
        const std::span<const Units> gains = policy_.gains(c);
        for (std::size_t answer = 0; answer < gains.size(); ++answer) gains_[answer] += weight * gains[answer];
    }
    Units total() const { return total_; }  // with the worst answer for every case
    Units value() const { return total_ - (policy_.is_plain() ? most_ : std::ranges::max(gains_)); }
    const std::vector<Units>& gains() const { return gains_; }  // per answer; empty where it is plain

private:
    const LeafPolicy& policy_;
    Units total_ = 0, most_ = 0;
    std::vector<Units> gains_;
};

// Of a node, from its weight in each class.
inline Units leaf_value(const std::int64_t* class_weights, const LeafPolicy& policy) {
    LeafLoss leaf(policy);
    for (int c = 0; c < policy.n_classes(); ++c) leaf.add(c, class_weights[c]);
    return leaf.value();
}

}  // namespace budgetree
