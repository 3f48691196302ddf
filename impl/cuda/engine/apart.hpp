// SPDX-License-Identifier: BSD-3-Clause
// Results of kernels whose outputs must not overlap their operands.
#ifndef IMPL_CUDA_ENGINE_APART_HPP_
#define IMPL_CUDA_ENGINE_APART_HPP_

#include <initializer_list>

#include "impl/common/engine/copy.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"

namespace impl::cuda {

// `result` is `out`, or a temporary of its shape and dtype if it overlaps one of the operands.
inline Status apart_from(diopiContextHandle_t ctx, const TensorView& out,
                         std::initializer_list<const TensorView*> operands, TensorView* result) {
  bool overlaps = false;
  for (const TensorView* operand : operands) overlaps = overlaps || diopi::may_overlap(out, *operand);
  *result = out;
  return overlaps ? diopi::make_temporary(ctx, out.shape, out.dtype, out.name, result) : Status(diopiSuccess);
}

// Copies a result of apart_from() to its output.
inline Status copy_unless_same(diopiContextHandle_t ctx, const TensorView& out, const TensorView& result) {
  return result.data != out.data ? copy_apart(ctx, out, result) : Status(diopiSuccess);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_APART_HPP_
