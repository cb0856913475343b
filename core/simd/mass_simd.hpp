// Adding up what cases weigh, by outcome, for all tests at once.
//
//     masses    outcome × lane    32 bits each: of the cases that show the outcome (1, 2, …) of the lane's test
//
// Outcome 0 is left out: it has what the others leave of the whole.
#pragma once

#include <cstdint>

#include "simd/processor.hpp"

namespace budgetree {

struct MassKernels {
    // Adds `mass` (or takes it away, if negative) where the row shows outcome 1, …, n_levels − 1.
    void (*add)(const std::uint8_t* row, int n_lanes, int n_levels, float mass, float* masses);
};

const MassKernels& mass_kernels();

}  // namespace budgetree
