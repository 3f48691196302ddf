// SPDX-License-Identifier: BSD-3-Clause
// The operands of pooling in dtypes and layouts that the kernels support.
#ifndef IMPL_CPU_FUNCTIONS_POOL_OPERAND_HPP_
#define IMPL_CPU_FUNCTIONS_POOL_OPERAND_HPP_

#include "impl/common/engine/pool.hpp"
#include "impl/cpu/pool/pool.hpp"

namespace impl::cpu {

// The given tensor, or a copy of the same layout (with its elements if the operand is read).
struct PoolOperand {
  const TensorView *given = nullptr, *used = nullptr;

  // `apart`: the kernel must not use the given tensor.
  Status read(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool apart);
  Status write(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool apart = false);
  // Copies a result from the copy to the given tensor.
  void store() const;

 private:
  TensorView copy_;
};

// Forward kernels support bfloat16. A gradient is summed in memory, so it needs float32.
constexpr diopiDtype_t forward_dtype(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 ? diopi_dtype_float32 : dtype;
}

PoolStrides pool_strides(const TensorView& planes);
// Whether the channels of `planes` have a smaller stride than the last spatial dimension.
bool prefers_channels(const TensorView& planes);
// `x`: the larger side, the input or its gradient; `y`: the smaller one.
PoolArgs pool_args(const Windows& windows, const Averaging& averaging, const TensorView& x, const TensorView& y);
void set_indices(const TensorView& indices, PoolArgs* args);
// The error for a dtype without a kernel.
Status unsupported_pool(const TensorView& view);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_POOL_OPERAND_HPP_
