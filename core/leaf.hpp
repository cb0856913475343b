// What a leaf gets wrong: the policy behind every count of errors.
//
// Counts of one class after another are added; right() is what the best answer gets right. Here the best answer is the
// most common class. A loss per (true class, answer) would add each class's count to a sum per answer and take the best
// sum: the callers would stay as they are.
#pragma once

namespace budgetree {

// Count is a number, or a vector of numbers that are compared lane by lane.
template <typename Count>
class MostCommonClass {
public:
    [[gnu::always_inline]] void add(Count in_class) { most_ = in_class > most_ ? in_class : most_; }
    [[gnu::always_inline]] Count right() const { return most_; }
    [[gnu::always_inline]] Count errors(Count total) const { return total - most_; }

private:
    Count most_ = {};
};

}  // namespace budgetree
