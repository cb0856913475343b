#include "simd/processor.hpp"

#include <cstdlib>
#include <string_view>

#if defined(_WIN32)  // where the compiler's own question needs a library that is not there
#include <windows.h>
#endif

namespace budgetree {
namespace {

Processor find_processor() {
    const char* forced = std::getenv("BUDGETREE_BASELINE");
    if (forced != nullptr && std::string_view(forced) != "" && std::string_view(forced) != "0") {
        return Processor::kBaseline;
    }
#if defined(BUDGETREE_HAS_AVX2) && defined(_WIN32)
    if (IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE)) return Processor::kAvx2;
#elif defined(BUDGETREE_HAS_AVX2)
    if (__builtin_cpu_supports("avx2")) return Processor::kAvx2;
#endif
    return Processor::kBaseline;
}

}  // namespace

Processor processor() {
    static const Processor found = find_processor();
    return found;
}

const char* processor_name() {
    if (processor() == Processor::kAvx2) return "AVX2";
#if defined(__aarch64__)
    return "NEON";
#else
    return "baseline";
#endif
}

}  // namespace budgetree
