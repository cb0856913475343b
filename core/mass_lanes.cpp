// Compiled once per kind of processor: see vectors.hpp.
#include "mass_lanes.hpp"

#include "vectors.hpp"

namespace budgetree::BUDGETREE_LANES {
namespace {

void add(const std::uint8_t* row, int n_lanes, int n_levels, float mass, float* masses) {
    for (int level = 1; level < n_levels; ++level) {
        float* into = masses + (level - 1) * n_lanes;
        for (int lane = 0; lane < n_lanes; ++lane) into[lane] += row[lane] == level ? mass : 0.0F;
    }
}

}  // namespace

extern const MassLanes kMassLanes;
const MassLanes kMassLanes{add};

}  // namespace budgetree::BUDGETREE_LANES
