// The variants of the *_lanes.cpp files, and the one that this processor runs.
#include "counting_lanes.hpp"
#include "impurity_lanes.hpp"
#include "mass_lanes.hpp"
#include "pair_lanes.hpp"
#include "processor.hpp"
#include "ridge_lanes.hpp"
#include "split_lanes.hpp"
#include "table_lanes.hpp"
#include "triple_lanes.hpp"

namespace budgetree {

namespace baseline {
extern const CountingFunctions counting;
extern const ImpurityFunctions impurity;
extern const MassLanes kMassLanes;
extern const PackingFunctions packing;
extern const PairLanes kPairLanes;
extern const RidgeLanes kRidgeLanes;
extern const SplitLanes kSplitLanes;
extern const TripleLanes kTripleLanes;
}  // namespace baseline

#if defined(BUDGETREE_HAS_AVX2)
namespace avx2 {
extern const CountingFunctions counting;
extern const ImpurityFunctions impurity;
extern const MassLanes kMassLanes;
extern const PackingFunctions packing;
extern const PairLanes kPairLanes;
extern const RidgeLanes kRidgeLanes;
extern const SplitLanes kSplitLanes;
extern const TripleLanes kTripleLanes;
}  // namespace avx2
#else
namespace avx2 = baseline;
#endif

const CountingFunctions& counting_functions() {
    return variant(baseline::counting, avx2::counting);
}
const ImpurityFunctions& impurity_functions() {
    return variant(baseline::impurity, avx2::impurity);
}
const PackingFunctions& packing_functions() {
    return variant(baseline::packing, avx2::packing);
}

const MassLanes& mass_lanes() {
    static const MassLanes& chosen = variant(baseline::kMassLanes, avx2::kMassLanes);
    return chosen;
}

const PairLanes& pair_lanes() {
    static const PairLanes& chosen = variant(baseline::kPairLanes, avx2::kPairLanes);
    return chosen;
}

const RidgeLanes& ridge_lanes() {
    static const RidgeLanes& chosen = variant(baseline::kRidgeLanes, avx2::kRidgeLanes);
    return chosen;
}

const SplitLanes& split_lanes() {
    static const SplitLanes& chosen = variant(baseline::kSplitLanes, avx2::kSplitLanes);
    return chosen;
}

const TripleLanes& triple_lanes() {
    static const TripleLanes& chosen = variant(baseline::kTripleLanes, avx2::kTripleLanes);
    return chosen;
}

}  // namespace budgetree
