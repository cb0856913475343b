// The variants of the *_simd.cpp files, and the one that this processor runs.
#include "simd/coding_simd.hpp"
#include "simd/counting_simd.hpp"
#include "simd/impurity_simd.hpp"
#include "simd/mass_simd.hpp"
#include "simd/packing_simd.hpp"
#include "simd/pair_simd.hpp"
#include "simd/processor.hpp"
#include "simd/ridge_simd.hpp"
#include "simd/split_simd.hpp"
#include "simd/triple_simd.hpp"

namespace budgetree {

namespace baseline {
extern const CodingFunctions coding;
extern const CountingFunctions counting;
extern const ImpurityFunctions impurity;
extern const MassKernels kMassKernels;
extern const PackingFunctions packing;
extern const PairKernels kPairKernels;
extern const RidgeKernels kRidgeKernels;
extern const SplitKernels kSplitKernels;
extern const TripleKernels kTripleKernels;
}  // namespace baseline

#if defined(BUDGETREE_HAS_AVX2)
namespace avx2 {
extern const CodingFunctions coding;
extern const CountingFunctions counting;
extern const ImpurityFunctions impurity;
extern const MassKernels kMassKernels;
extern const PackingFunctions packing;
extern const PairKernels kPairKernels;
extern const RidgeKernels kRidgeKernels;
extern const SplitKernels kSplitKernels;
extern const TripleKernels kTripleKernels;
}  // namespace avx2
#else
namespace avx2 = baseline;
#endif

const CodingFunctions& coding_functions() {
    return variant(baseline::coding, avx2::coding);
}
const CountingFunctions& counting_functions() {
    return variant(baseline::counting, avx2::counting);
}
const ImpurityFunctions& impurity_functions() {
    return variant(baseline::impurity, avx2::impurity);
}
const PackingFunctions& packing_functions() {
    return variant(baseline::packing, avx2::packing);
}

const MassKernels& mass_kernels() {
    static const MassKernels& chosen = variant(baseline::kMassKernels, avx2::kMassKernels);
    return chosen;
}

const PairKernels& pair_kernels() {
    static const PairKernels& chosen = variant(baseline::kPairKernels, avx2::kPairKernels);
    return chosen;
}

const RidgeKernels& ridge_kernels() {
    static const RidgeKernels& chosen = variant(baseline::kRidgeKernels, avx2::kRidgeKernels);
    return chosen;
}

const SplitKernels& split_kernels() {
    static const SplitKernels& chosen = variant(baseline::kSplitKernels, avx2::kSplitKernels);
    return chosen;
}

const TripleKernels& triple_kernels() {
    static const TripleKernels& chosen = variant(baseline::kTripleKernels, avx2::kTripleKernels);
    return chosen;
}

}  // namespace budgetree
