// A lower bound that rises as long as there is time: one question to all threads after another (common_core.hpp).
//
//     is it at least 3?   thread 0  ├ group ┤├ group ┤├─ group ─┤      each thread takes tests that nobody has taken,
//                         thread 1  ├── group ──┤├ group ┤             and refutes them as a group
//     at least 30?        …
#pragma once

#include <memory>
#include <vector>

#include "exact/exact.hpp"

namespace budgetree {

// Proven when the time was over; at most the question's cutoff. All searches are used, one per thread; the watch is the
// calling thread's, and ends the work too.
Units iterative_bound(std::vector<std::unique_ptr<Search>>& searches, const Question& question, double seconds,
                      Watch& watch);

}  // namespace budgetree
