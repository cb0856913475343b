// A long search split by its first test among workers, each with a memory of its own. Before it they look for a lower
// bound (iterative_bound.hpp), so that a search which is cut short still has something to say.
//
//     ranking of the whole   t7  t3  t12  t1  …        each worker takes the next test that no thread has taken
//
// Where the clock limits the work, there are always as many workers, each with its part of the work, and they take
// turns by it (turns.hpp): what is found before the limit does not depend on how many threads there are for them, or
// how busy the machine is. Else each thread is a worker, and takes a test when it is done with the last one.
//
// The answer is a number, and numbers do not depend on who searched what. Ties are searched too (the cutoff is one
// above the best), so that the first test of the ranking that reaches the optimum is known: it begins the canonical
// tree.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exact/exact.hpp"

namespace budgetree::BUDGETREE_EXACT {

struct ParallelSearchSettings : LongSearchSettings {
    std::size_t cache_bytes = 0;  // per worker
};

struct ParallelSearchResult {
    std::optional<Answer> answer;   // of the whole; none if stopped
    Units lower_bound = 0;          // proven also if stopped
    std::optional<FoundTree> tree;  // the best that was found below the cutoff
    Units tree_errors = kNever;
};

// First tests that a search was done with before its clock was over, for the same question asked again.
struct AnsweredTests {
    Question question = {};
    std::vector<std::int32_t> ranking = {};
    std::vector<std::optional<Answer>> answers = {};
};

// The searches are kept by the caller, so that what they have learned stays; as many are made as there are workers. So
// are the tests that they have answered: a search that is asked again goes on where it was.
ParallelSearchResult search_in_parallel(std::vector<std::unique_ptr<Search>>& searches, AnsweredTests& answered,
                                        const Question& question, const ParallelSearchSettings& settings, Clock& clock);

}  // namespace budgetree::BUDGETREE_EXACT
