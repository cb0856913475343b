// The most common class, as a policy: what a leaf gets right, where each class counts as what its answer gains.
// leaf_policy.hpp says what that is with losses.
#pragma once

namespace budgetree {

// Count is a number, or a vector of numbers that are compared lane by lane.
template <typename Count>
class MostCommonClass {
public:
    [[gnu::always_inline]] void add(const Count& in_class) { most_ = in_class > most_ ? in_class : most_; }
    [[gnu::always_inline]] Count right() const { return most_; }

private:
    Count most_ = {};
};

// What is not of the most common class, where the total is not known before.
template <typename Count>
struct Misclassified {
    Count total = {};
    MostCommonClass<Count> answer;

    [[gnu::always_inline]] void add(const Count& in_class) {
        total += in_class;
        answer.add(in_class);
    }
    [[gnu::always_inline]] Count value() const { return total - answer.right(); }
};

}  // namespace budgetree
