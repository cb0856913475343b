#include "exact/parallel_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "base/turns.hpp"
#include "exact/iterative_bound.hpp"

namespace budgetree::BUDGETREE_EXACT {
namespace {

class ParallelSearch {
public:
    ParallelSearch(const ExactTable& table, AnsweredTests& answered, Clock& clock)
        : table_(table), ranking_(answered.ranking), answers_(answered.answers), question_(answered.question),
          cutoff_(question_.cutoff), clock_(clock) {
        result_.lower_bound = table.whole.least;
        n_answered_ = std::size_t(std::ranges::count_if(answers_, [](const auto& answer) { return bool(answer); }));
        clock_.total = std::int64_t(ranking_.size());
        clock_.done = std::int64_t(n_answered_);
    }

    // Takes one test after another until none is left or the clock says stop.
    void run(Search& search, Watch& watch) {
        while (true) {
            std::size_t place;
            Question next = question_;
            {
                const Watch::Turn turn(watch);
                while (next_ < ranking_.size() && answers_[next_]) ++next_;
                if (next_ == ranking_.size()) return;
                place = next_++;
                next.only = ranking_[place];
                next.cutoff = cutoff_;
            }
            const auto answer = search.ask(table_.whole, next, {&watch});
            if (!answer) return;
            std::optional<FoundTree> tree;
            if (answer->value < next.cutoff) {
                tree = search.tree(next, {&watch});
                if (!tree) {  // most of it is in the memory: it may be had at once though the time is over
                    Clock moment = clock_.limits_work() ? Clock(INFINITY, {}, kMomentOfWork) : Clock(kMoment);
                    Watch unhurried(moment, Watch::Thread::kOther);
                    tree = search.tree(next, {&unhurried});
                }
                if (!tree) return;
            }
            const Watch::Turn turn(watch);
            answers_[place] = *answer;
            ++n_answered_;
            cutoff_ = std::min(cutoff_, answer->value + 1);
            ++clock_.done;
            if (tree && answer->value < result_.tree_errors) {
                result_.tree = std::move(tree);
                result_.tree_errors = answer->value;
            }
        }
    }

    void keep_bound(Units proven) { result_.lower_bound = proven; }

    // When all workers have ended.
    ParallelSearchResult finish() {
        if (n_answered_ < ranking_.size()) return std::move(result_);
        Answer whole{.value = std::min(question_.cutoff, table_.whole.leaf)};
        for (const auto& answer : answers_) {
            whole.value = std::min(whole.value, answer->value);
            whole.changes = whole.changes.min(answer->changes);
        }
        Units price = kNever;  // as the canonical tree begins: with the cheapest, then the most promising
        for (std::size_t place = 0; place < ranking_.size() && whole.value < table_.whole.leaf; ++place) {
            const Units needed = table_.costs.most(question_.remaining.state, ranking_[place])[0];
            if (answers_[place]->value != whole.value || needed >= price) continue;
            price = needed;
            whole.test = ranking_[place];
        }
        result_.answer = whole;
        result_.lower_bound = whole.value;
        return std::move(result_);
    }

private:
    static constexpr double kMoment = 0.05;  // seconds
    static constexpr std::int64_t kMomentOfWork = 50'000'000;

    const ExactTable& table_;
    const std::vector<std::int32_t>& ranking_;
    std::vector<std::optional<Answer>>& answers_;
    const Question& question_;
    Units cutoff_;
    Clock& clock_;
    std::size_t next_ = 0, n_answered_ = 0;
    ParallelSearchResult result_;
};

// What was answered holds for the same budget, where no more errors are of interest.
bool goes_on(const AnsweredTests& answered, const Question& question, const std::vector<std::int32_t>& ranking) {
    return answered.question.remaining == question.remaining && answered.ranking == ranking &&
           question.cutoff <= answered.question.cutoff;
}

// Where two tests are all that a path can afford there is nothing to split.
ParallelSearchResult in_one_piece(Search& search, const Question& question, Clock& clock) {
    Watch watch(clock);
    ParallelSearchResult result;
    result.answer = search.ask(search.table().whole, question, {&watch});
    result.lower_bound = search.table().whole.least;
    if (result.answer) {
        result.lower_bound = std::min(result.answer->value, question.cutoff);
        if (result.answer->value < question.cutoff) {
            result.tree = search.tree(question, {&watch});
            if (result.tree) result.tree_errors = result.answer->value;
        }
    }
    return result;
}

}  // namespace

ParallelSearchResult search_in_parallel(std::vector<std::unique_ptr<Search>>& searches, AnsweredTests& answered,
                                        const Question& question, const ParallelSearchSettings& settings,
                                        Clock& clock) {
    const ExactTable& table = searches.front()->table();
    const bool by_work = clock.limits_work();
    const int n_threads = std::max(1, settings.n_threads), n_workers = by_work ? kWorkers : n_threads;
    while (int(searches.size()) < n_workers) {
        searches.push_back(std::make_unique<Search>(table, settings.cache_bytes));
    }
    Watch watch(clock);
    const auto ranking = searches.front()->ranking(question.remaining, {&watch});
    if (!ranking) {
        ParallelSearchResult nothing;
        nothing.lower_bound = table.whole.least;
        return nothing;
    }
    if (ranking->empty()) return in_one_piece(*searches.front(), question, clock);
    if (!goes_on(answered, question, *ranking)) {
        answered = {.ranking = *ranking, .answers = std::vector<std::optional<Answer>>(ranking->size())};
    }
    answered.question = question;
    ParallelSearch parallel(table, answered, clock);
    // The bound is about parts of sets, which a tree may divide further than leaves of enough cases allow.
    if (settings.bound_seconds > 0 && table.policy.min_cases() == 1) {
        parallel.keep_bound(
            iterative_bound(searches, question, settings.bound_seconds, settings.known_bound, n_threads, watch));
    }
    Turns turns(n_workers, n_threads, by_work ? Turns::Order::kByWork : Turns::Order::kFirstCome, Turns::Ends::kNever);
    Threads threads;
    const std::int64_t max_work = clock.work_left() / n_workers;
    for (int worker = 0; worker < n_workers; ++worker) {
        threads.start([&, worker] {
            const TurnsOf turns_of(turns, worker);
            Watch of_worker(clock, Watch::Thread::kOther);
            of_worker.join(turns, worker, max_work);
            parallel.run(*searches[worker], of_worker);
        });
    }
    threads.wait([&] { watch.is_over(); });
    return parallel.finish();
}

}  // namespace budgetree::BUDGETREE_EXACT
