#include "cost/leaf_policy.hpp"

namespace budgetree {
namespace {

Units most_frequent(std::span<const Units> values) {
    return *std::ranges::max_element(values, {}, [&](Units value) { return std::ranges::count(values, value); });
}

}  // namespace

LeafPolicy::LeafPolicy(const std::vector<Units>& losses, int n_classes, int min_cases)
    : n_classes_(n_classes), n_answers_(losses.empty() ? n_classes : int(losses.size()) / n_classes),
      min_cases_(min_cases), is_plain_(losses.empty()), largest_(n_classes, 1) {
    if (is_plain_) return;
    unusual_.resize(n_classes);
    for (int c = 0; c < n_classes; ++c) {
        const auto of_class = std::span(losses).subspan(std::size_t(c) * n_answers_, n_answers_);
        largest_[c] = std::ranges::max(of_class);
        usual_.push_back(largest_[c] - most_frequent(of_class));
        for (int answer = 0; answer < n_answers_; ++answer) {
            gain_.push_back(largest_[c] - of_class[answer]);
            if (gain_.back() != usual_[c]) unusual_[c].push_back({answer, gain_.back() - usual_[c]});
        }
    }
}

}  // namespace budgetree
