// Which kind of processor this is, and so which of the compiled variants of the *_simd.cpp files runs.
#pragma once

namespace budgetree {

enum class Processor { kBaseline, kAvx2 };

// Asked once; BUDGETREE_BASELINE=1 in the environment forces what every processor understands.
Processor processor();

const char* processor_name();

// The variant of a table of functions that this processor is to run.
template <typename Functions>
const Functions& variant(const Functions& baseline, const Functions& avx2) {
    return processor() == Processor::kAvx2 ? avx2 : baseline;
}

}  // namespace budgetree
