// SPDX-License-Identifier: BSD-3-Clause
// Copies between layouts and dtypes. impl/<vendor>/functions/layout.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LAYOUT_HPP_
#define IMPL_COMMON_FAMILIES_LAYOUT_HPP_

#include "arguments/layout.hpp"
#include "impl/common/allocate.hpp"
#include "impl/common/engine/copy.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::CopyInpArgs& args) { return copy(ctx, args.dest, args.src); }
inline Status run(diopiContextHandle_t ctx, diopi::CastDtypeArgs& args) { return copy(ctx, args.out, args.input); }

// Strides in which channels are innermost and the batch is outermost.
inline diopi::Dims channels_last_strides(const diopi::Dims& shape) {
  diopi::Dims stride;
  stride.n = shape.n;
  int64_t step = 1;
  stride[1] = step;
  step *= shape[1] > 1 ? shape[1] : 1;
  for (int i = shape.n - 1; i >= 2; --i) {
    stride[i] = step;
    step *= shape[i] > 1 ? shape[i] : 1;
  }
  stride[0] = step;
  return stride;
}

inline diopi::Dims strides_of_format(const TensorView& input, diopiMemoryFormat_t format) {
  if (format == Preserve && input.is_dense()) return input.stride;
  const bool row_major = format == Contiguous || format == Preserve;
  return row_major ? diopi::contiguous_strides(input.shape) : channels_last_strides(input.shape);
}

inline Status run(diopiContextHandle_t ctx, diopi::ContiguousArgs& args) {
  const TensorView& input = args.input;
  const diopi::Dims stride = strides_of_format(input, args.memoryFormat);
  TensorView out;
  DIOPI_TRY(diopi::allocate_output(ctx, "out", input.shape, &stride, input.dtype, args.out, &out));
  return copy(ctx, out, input);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/layout.hpp"

#endif  // IMPL_COMMON_FAMILIES_LAYOUT_HPP_
