#include "exact/exact_search.hpp"

#include "exact/common_core.hpp"
#include "exact/parallel_search.hpp"
#include "simd/triple_simd.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

BudgetAnswer about_budgets(const Answer& answer) {
    return {answer.value, answer.changes[0], answer.need[0], answer.test};
}

class SearchesOfTable final : public ExactSearch {
public:
    explicit SearchesOfTable(ExactProblem problem)
        : table_(problem.cases, CostModel(problem.costs), problem.policy, std::move(problem.unavoidable),
                 problem.may_count_pairs),
          cache_bytes_(problem.cache_bytes) {
        searches_.push_back(std::make_unique<Search>(table_, cache_bytes_));
    }

    bool counts_pairs() const override { return table_.counts_pairs; }
    bool counts_triples() const override {
        return table_.counts_pairs && table_.policy.n_answers() <= kMaxTripleClasses;
    }
    bool affords(Units budget, int test) const override {
        return table_.costs.may_buy({}, test, table_.costs.limits_with(budget));
    }

    std::optional<BudgetAnswer> ask(const BudgetQuestion& question, Clock& clock, const Pass& pass) override {
        Watch watch(clock);
        const auto answer = searches_.front()->ask(table_.whole, lowered(question), {&watch, pass});
        return answer ? std::optional(about_budgets(*answer)) : std::nullopt;
    }

    std::optional<FoundTree> tree(const BudgetQuestion& question, Clock& clock, const Pass& pass) override {
        Watch watch(clock);
        return searches_.front()->tree(lowered(question), {.watch = &watch, .pass = pass});
    }

    LongAnswer search_in_parallel(const BudgetQuestion& question, Clock& clock,
                                  const LongSearchSettings& settings) override {
        ParallelSearchResult found = BUDGETREE_EXACT::search_in_parallel(searches_, answered_, lowered(question),
                                                                         {settings, cache_bytes_}, clock);
        LongAnswer result{std::nullopt, found.lower_bound, std::move(found.tree), found.tree_errors};
        if (found.answer) result.answer = about_budgets(*found.answer);
        return result;
    }

    Units lower_bound(Units budget, Units wanted, Clock& clock) override {
        const Remaining remaining{.limits = table_.costs.limits_with(budget)};
        return CommonCore(*searches_.front(), Watch(clock)).lower_bound(remaining, wanted);
    }

    Units fewest_errors_of_triples() override {
        return BinaryTriples(table_, [](std::int64_t) {}).fewest_errors(table_.whole);
    }

private:
    Question lowered(const BudgetQuestion& question) const {
        return {.remaining = {.limits = table_.costs.limits_with(question.budget)},
                .cutoff = question.cutoff,
                .only = question.only,
                .is_canonical = question.is_canonical};
    }

    ExactTable table_;
    std::size_t cache_bytes_;
    std::vector<std::unique_ptr<Search>> searches_;  // the first one serves all short questions
    AnsweredTests answered_;
};

}  // namespace

std::unique_ptr<ExactSearch> make_search(ExactProblem problem) {
    return std::make_unique<SearchesOfTable>(std::move(problem));
}

}  // namespace budgetree::BUDGETREE_EXACT
