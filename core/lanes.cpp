// The variants of the *_lanes.cpp files, and the one that this processor runs.
#include "mass_lanes.hpp"
#include "pair_lanes.hpp"
#include "split_lanes.hpp"

namespace budgetree {

namespace baseline {
extern const MassLanes kMassLanes;
extern const PairLanes kPairLanes;
extern const SplitLanes kSplitLanes;
}  // namespace baseline

#if defined(BUDGETREE_HAS_AVX2)
namespace avx2 {
extern const MassLanes kMassLanes;
extern const PairLanes kPairLanes;
extern const SplitLanes kSplitLanes;
}  // namespace avx2
#else
namespace avx2 = baseline;
#endif

const MassLanes& mass_lanes() {
    static const MassLanes& chosen = variant(baseline::kMassLanes, avx2::kMassLanes);
    return chosen;
}

const PairLanes& pair_lanes() {
    static const PairLanes& chosen = variant(baseline::kPairLanes, avx2::kPairLanes);
    return chosen;
}

const SplitLanes& split_lanes() {
    static const SplitLanes& chosen = variant(baseline::kSplitLanes, avx2::kSplitLanes);
    return chosen;
}

}  // namespace budgetree
