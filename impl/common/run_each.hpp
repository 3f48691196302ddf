// SPDX-License-Identifier: BSD-3-Clause
// Steps of one kind, such as one for each tensor of a list.
#ifndef IMPL_COMMON_RUN_EACH_HPP_
#define IMPL_COMMON_RUN_EACH_HPP_

#include <new>

#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"

namespace diopi {

// Calls step(k) for k = 0 to count - 1. The memory of all steps is allocated before the first one writes. A step may
// fail only before it writes.
template <typename Step>
Status run_each(diopiContextHandle_t ctx, int64_t count, const Step& step) {
  StepMemory* memory = nullptr;
  DIOPI_TRY(host_workspace(ctx).take(count, &memory));
  for (int64_t k = 0; k < count; ++k) {
    new (memory + k) StepMemory;
    DIOPI_TRY(memory[k].reserve([&] { return step(k); }));
  }
  for (int64_t k = 0; k < count; ++k) DIOPI_TRY(memory[k].run([&] { return step(k); }));
  return diopiSuccess;
}

}  // namespace diopi

#endif  // IMPL_COMMON_RUN_EACH_HPP_
