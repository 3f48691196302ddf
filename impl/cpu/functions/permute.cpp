// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/permute.hpp"

#include "impl/common/families/copy_each_run.hpp"
#include "impl/cpu/engine/copy/copy_runs.hpp"

namespace impl::cpu {

Status copy_runs(diopiContextHandle_t ctx, const RunCopy& call) {
  return copy_rows_of_runs(call) ? Status() : copy_each_run(ctx, call, call.out, call.in);
}

}  // namespace impl::cpu
