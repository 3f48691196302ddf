// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/permute.hpp"

#include "impl/common/families/copy_each_run.hpp"

namespace impl::skeleton {

Status copy_runs(diopiContextHandle_t ctx, const RunCopy& call) { return copy_each_run(ctx, call, call.out, call.in); }

}  // namespace impl::skeleton
