// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the pooling families share: window parameters, shapes, and operands as the kernels see them.
#pragma once

#include <diopi/functions.h>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/kernels/pool.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// A stride without values is the kernel's size; a function without dilation has null.
struct PoolParameters {
  int spatial = 2;
  diopiSize_t kernel{}, stride{}, padding{};
  const diopiSize_t* dilation = nullptr;
  bool ceil_mode = false;
};

// Checks input [N, C, spatial...] (or without N) and gives the windows and the shape of the output.
Status resolve_pool(const PoolParameters& p, const TensorView& input, PoolDim* dims, diopi::Dims* out_shape);
// Windows that divide each dimension into `out` parts.
Status resolve_adaptive(int spatial, const TensorView& input, const diopiSize_t& output_size, PoolDim* dims,
                        diopi::Dims* out_shape);

// [N, C, D, H, W]: the dimensions that are missing have extent 1.
TensorView as_planes(const TensorView& view, int spatial);
PoolStrides pool_strides(const TensorView& planes);
// Whether a line along the channels of `planes` lies closer together than one along the last spatial dimension.
bool prefers_channels(const TensorView& planes);

// An operand in a dtype that kernels take: itself, or a copy (filled where it is read) of the same layout.
struct PoolOperand {
  TensorView given, used;
  bool is_copy() const { return given.data != used.data; }
};
Status take_input(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool copy,
                  PoolOperand* operand);
Status take_output(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool copy,
                   PoolOperand* operand);
// Forward kernels read and write bfloat16 themselves; a gradient is summed in memory, in float32.
constexpr diopiDtype_t forward_dtype(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 ? diopi_dtype_float32 : dtype;
}
// Brings a result that was computed in a copy to where it belongs.
void store_output(const PoolOperand& operand);

}  // namespace impl::cpu
