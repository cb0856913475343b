// Bisection over the α of a hinged function: which of its trees differ. The reference implementation is
// Portfolio.hinged.
//
//     multiples   0 ──────────── m/4 ── m/2 ──────────── m      rounds halve the gaps between trees that differ
//
// Fast because all trees come from one Pool, and Python is asked nothing in between.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "growth/choice.hpp"
#include "growth/pool.hpp"
#include "growth/steps.hpp"

namespace budgetree {

// Hinged functions at α's that are multiples of a step: q n − multiple × p.
struct Hinges {
    BigUInt q, p;
    bool subtracts_square;
    Units budget;
    int min_cases = 1;

    GrowthSettings at(std::int64_t multiple, int n_classes) const;
};

// The trees for multiples from 0 to `largest`, in rounds: between neighbours whose trees differ in cost or errors and
// whose multiples differ by at least `close` another one is grown. Returns the multiples whose trees were finished.
std::vector<std::int64_t> bisect(Pool& pool, const Hinges& hinges, std::int64_t largest, std::int64_t close,
                                 Steps& steps, Clock& clock);

}  // namespace budgetree
