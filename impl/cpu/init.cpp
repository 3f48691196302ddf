// SPDX-License-Identifier: BSD-3-Clause
// initLibrary and finalizeLibrary of the CPU: the device is the host.
#include <cstdint>
#include <cstdlib>

#include "impl/common/host/callbacks.hpp"
#include "impl/cpu/bf16/amx.hpp"
#include "impl/cpu/instruction_set.hpp"
#include "impl/cpu/prefetch.hpp"

namespace impl::cpu {

int32_t init_library() {
  if (!limit_instruction_set(std::getenv("DIOPI_CPU_ISA")).ok()) return diopiErrorOccurred;
  if (!choose_prefetching(std::getenv("DIOPI_CPU_PREFETCH")).ok()) return diopiErrorOccurred;
  if (!choose_amx(std::getenv("DIOPI_CPU_AMX")).ok()) return diopiErrorOccurred;
  return diopi::register_host_callbacks();
}

int32_t finalize_library() { return 0; }

}  // namespace impl::cpu
