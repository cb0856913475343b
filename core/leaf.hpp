// What a leaf gets right and wrong, as a policy: whoever scores tests or adds up errors asks here, and nowhere else.
//
// Counts of one class after another are added; right() is what the best answer gets right. Today the best answer is the
// most common class. A loss per (true class, answer) can take its place: `add` would then add the class's count to a
// sum for each answer, and the callers would stay as they are.
#pragma once

#include <cstdint>

namespace budgetree {

// Count is a number, or a vector of numbers that are compared lane by lane.
template <typename Count>
class MostCommonClass {
public:
    [[gnu::always_inline]] void add(const Count& in_class) { most_ = in_class > most_ ? in_class : most_; }
    [[gnu::always_inline]] Count right() const { return most_; }
    [[gnu::always_inline]] Count errors(const Count& total) const { return total - most_; }

private:
    Count most_ = {};
};

// The same where the total is not known before.
template <typename Count>
struct Misclassified {
    Count total = {};
    MostCommonClass<Count> answer;

    [[gnu::always_inline]] void add(const Count& in_class) {
        total += in_class;
        answer.add(in_class);
    }
    [[gnu::always_inline]] Count value() const { return answer.errors(total); }
};

// Of a node, from its weight in each class.
inline std::int64_t leaf_value(const std::int64_t* class_weights, int n_classes) {
    Misclassified<std::int64_t> leaf;
    for (int c = 0; c < n_classes; ++c) leaf.add(class_weights[c]);
    return leaf.value();
}

}  // namespace budgetree
