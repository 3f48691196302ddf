// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/instruction_set.hpp"

#include <cstdint>
#include <cstring>
#include <mutex>

#include <hwy/targets.h>

namespace impl::cpu {

namespace {

struct InstructionSet {
  const char* name;
  int64_t better;  // Highway targets to disable; better targets have smaller numbers
};

constexpr InstructionSet kSets[] = {
#if HWY_ARCH_X86
    {"avx3", HWY_AVX3 - 1},
    {"avx2", HWY_AVX2 - 1},
    {"sse4", HWY_SSE4 - 1},
#endif
    {"baseline", INT64_MAX},
};

// Highway detects the instruction sets in the first call of a kernel, and every kernel may use all of them until that
// call has also applied the limit. So the choice is made here, before a second thread can call a kernel. The same limit
// again changes nothing, because kernels may run meanwhile.
void disable(int64_t better) {
  static std::mutex mutex;
  static int64_t disabled = 0;
  const std::lock_guard<std::mutex> lock(mutex);
  if (disabled == better) return;
  hwy::DisableTargets(better);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  disabled = better;
}

}  // namespace

diopi::Status limit_instruction_set(const char* name) {
  if (name == nullptr || *name == '\0') return diopiSuccess;
  for (const InstructionSet& set : kSets) {
    if (std::strcmp(name, set.name) != 0) continue;
    disable(set.better);
    return diopiSuccess;
  }
  return diopi::fail(diopiErrorOccurred, "DIOPI_CPU_ISA = %.32s is none of %sbaseline", name,
                     HWY_ARCH_X86 ? "avx3, avx2, sse4, " : "");
}

}  // namespace impl::cpu
