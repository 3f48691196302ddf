// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by the pooling operators: parameters of windows, shapes, and operands for the kernels.
#ifndef IMPL_CPU_FUNCTIONS_POOL_COMMON_HPP_
#define IMPL_CPU_FUNCTIONS_POOL_COMMON_HPP_

#include <diopi/functions.h>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/pool/pool.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// The parameters of a pooling. An empty stride means the kernel's size. `dilation` is null for a function without it.
struct PoolParameters {
  int spatial = 2;
  diopiSize_t kernel{}, stride{}, padding{};
  const diopiSize_t* dilation = nullptr;
  bool ceil_mode = false;
};

// Checks input [N, C, spatial...] (or without N), and computes the windows and the shape of the output.
Status resolve_pool(const PoolParameters& p, const TensorView& input, PoolDim* dims, diopi::Dims* out_shape);
// Computes windows that divide each dimension into `out` parts.
Status resolve_adaptive(int spatial, const TensorView& input, const diopiSize_t& output_size, PoolDim* dims,
                        diopi::Dims* out_shape);

// Views a tensor as [N, C, D, H, W]. Missing dimensions have extent 1.
TensorView as_planes(const TensorView& view, int spatial);
PoolStrides pool_strides(const TensorView& planes);
// Whether the channels of `planes` have a smaller stride than the last spatial dimension.
bool prefers_channels(const TensorView& planes);

// An operand in a dtype that kernels support: the given tensor, or a copy of the same layout (with its elements if the
// operand is read).
struct PoolOperand {
  TensorView given, used;
  bool is_copy() const { return given.data != used.data; }
};
Status take_input(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool copy,
                  PoolOperand* operand);
Status take_output(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool copy,
                   PoolOperand* operand);
// Forward kernels support bfloat16. A gradient is summed in memory, so it needs float32.
constexpr diopiDtype_t forward_dtype(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 ? diopi_dtype_float32 : dtype;
}
// Copies a result from the copy to the given tensor.
void store_output(const PoolOperand& operand);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_POOL_COMMON_HPP_
