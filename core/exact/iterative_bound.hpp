// A lower bound that rises as long as there is time: one question to all workers after another (common_core.hpp).
//
//     is it at least 3?   worker 0  ├ group ┤├ group ┤├─ group ─┤      each worker takes tests that no thread has
//     taken,
//                         worker 1  ├── group ──┤├ group ┤             and refutes them as a group
//     at least 30?        …
#pragma once

#include <memory>
#include <vector>

#include "exact/exact.hpp"

namespace budgetree::BUDGETREE_EXACT {

// Proven when the seconds were over (where the watch's clock limits the work: so many seconds of counted work), from
// what is known on; at most the question's cutoff. All searches are used, one per worker; the watch is the calling
// thread's, and ends the work too, but does not change its order.
Units iterative_bound(std::vector<std::unique_ptr<Search>>& searches, const Question& question, double seconds,
                      Units known, int n_threads, Watch& watch);

}  // namespace budgetree::BUDGETREE_EXACT
