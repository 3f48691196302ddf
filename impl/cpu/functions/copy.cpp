// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/copy.hpp"

#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

Status copy(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) { return copy_tensor(ctx, out, in); }

}  // namespace impl::cpu
