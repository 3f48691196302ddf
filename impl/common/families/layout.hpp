// SPDX-License-Identifier: BSD-3-Clause
// Copies between layouts and dtypes. impl/<vendor>/functions/layout.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LAYOUT_HPP_
#define IMPL_COMMON_FAMILIES_LAYOUT_HPP_

#include "arguments/layout.hpp"
#include "impl/common/allocate.hpp"
#include "impl/common/channels_last.hpp"
#include "impl/common/engine/copy.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::CopyInpArgs& args) { return copy(ctx, args.dest, args.src); }
inline Status run(diopiContextHandle_t ctx, diopi::CastDtypeArgs& args) { return copy(ctx, args.out, args.input); }

inline diopi::Dims strides_of_format(const TensorView& input, diopiMemoryFormat_t format) {
  if (format == Preserve && input.is_dense()) return input.stride;
  const bool row_major = format == Contiguous || format == Preserve;
  return row_major ? diopi::contiguous_strides(input.shape) : diopi::channels_last_strides(input.shape);
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
