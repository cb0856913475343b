// Prices, fees and losses for Python.
#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "cost/cost_model.hpp"
#include "cost/leaf_policy.hpp"

namespace budgetree {
namespace {

bool all_within(std::span<const Units> amounts) {
    return std::ranges::all_of(amounts, [](Units amount) { return 0 <= amount && amount <= kMaxUnits; });
}

CostModel make_costs(Matrix<Units> own, Array<Units> fees, Array<FeeSet> fee_mask) {
    require(own.shape(0) > 0 && own.shape(1) > 0, "own: expected tests × outcomes");
    require(fee_mask.shape(0) == own.shape(0), "fee_mask: expected one entry per test");
    require(fees.shape(0) <= 63, "fees: expected at most 63");
    require(all_within({own.data(), own.size()}), "own: expected prices from 0 to 2**56");
    require(all_within(as_span(fees)), "fees: expected prices from 0 to 2**56");
    require(std::ranges::all_of(as_span(fee_mask), [&](FeeSet mask) { return mask >> fees.shape(0) == 0; }),
            "fee_mask: expected no bits beyond the fees");
    return CostModel(std::vector<Units>(own.data(), own.data() + own.size()), int(own.shape(0)), as_vector(fees),
                     as_vector(fee_mask));
}

LeafPolicy make_policy(const std::optional<Matrix<Units>>& losses, int n_classes, int min_cases) {
    require(n_classes > 0, "n_classes: expected at least 1");
    require(min_cases > 0, "min_cases: expected at least 1");
    if (!losses) return LeafPolicy({}, n_classes, min_cases);
    require(losses->shape(0) == std::size_t(n_classes), "losses: expected a row per class");
    require(losses->shape(1) > 0, "losses: expected at least one answer");
    std::vector<Units> units(losses->data(), losses->data() + losses->size());
    require(std::ranges::all_of(units, [](Units loss) { return 0 <= loss && loss <= kMaxUnits; }),
            "losses: expected whole numbers from 0 to 2**56");
    return LeafPolicy(units, n_classes, min_cases);
}

}  // namespace

void bind_cost(nb::module_& module) {
    nb::class_<CostModel>(module, "CostModel", "Prices by test and outcome, and shared fees, in whole units.")
        .def(nb::new_(&make_costs), "own"_a, "fees"_a, "fee_mask"_a);
    nb::class_<LeafPolicy>(module, "LeafPolicy",
                           "Losses by class and answer (None: an error is an error), cases per leaf.")
        .def(nb::new_(&make_policy), "losses"_a.none(), "n_classes"_a, "min_cases"_a = 1);
}

}  // namespace budgetree
