// Compiled once per kind of processor: see vectors.hpp.
#include "simd/mass_simd.hpp"

#include "simd/vectors.hpp"

namespace budgetree::BUDGETREE_SIMD {
namespace {

void add(const std::uint8_t* row, int n_lanes, int n_levels, float mass, float* masses) {
    for (int level = 1; level < n_levels; ++level) {
        float* into = masses + (level - 1) * n_lanes;
        for (int lane = 0; lane < n_lanes; ++lane) into[lane] += row[lane] == level ? mass : 0.0F;
    }
}

}  // namespace

extern const MassKernels kMassKernels;
const MassKernels kMassKernels{add};

}  // namespace budgetree::BUDGETREE_SIMD
