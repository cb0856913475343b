// What a leaf gets wrong, as a policy: whoever scores splits or adds up errors asks here, and nowhere else.
//
// Today a leaf answers its most common class, and all other weight is wrong. A loss per (class, answer) can take its
// place: `add` would then add the class's loss to a sum for each answer, and `value` would be the least of the sums.
#pragma once

#include <cstdint>

namespace budgetree {

// Number is one count or a vector of them, lane by lane.
template <typename Number>
struct Misclassified {
    Number total, most;  // both begin at 0

    [[gnu::always_inline]] void add(const Number& weight) {
        total += weight;
        most = weight > most ? weight : most;
    }
    [[gnu::always_inline]] Number value() const { return total - most; }
};

// Of a node, from its weight in each class.
inline std::int64_t leaf_value(const std::int64_t* class_weights, int n_classes) {
    Misclassified<std::int64_t> leaf = {};
    for (int c = 0; c < n_classes; ++c) leaf.add(class_weights[c]);
    return leaf.value();
}

}  // namespace budgetree
