// SPDX-License-Identifier: BSD-3-Clause
// Copies between layouts and dtypes. impl/<vendor>/functions/layout.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LAYOUT_HPP_
#define IMPL_COMMON_FAMILIES_LAYOUT_HPP_

#include "arguments/layout.hpp"
#include "impl/common/channels_last.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/families/returned_tensor.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::CopyInpArgs& args) { return copy(ctx, args.dest, args.src); }
inline Status run(diopiContextHandle_t ctx, diopi::CastDtypeArgs& args) { return copy(ctx, args.out, args.input); }

inline diopi::Dims strides_of_format(const TensorView& input, diopiMemoryFormat_t format) {
  if (format == Preserve && input.is_dense()) return input.stride;
  const bool row_major = format == Contiguous || format == Preserve;
  return row_major ? diopi::contiguous_strides(input.shape) : diopi::channels_last_strides(input.shape);
}

inline Status copy_to_new(diopiContextHandle_t ctx, const TensorView& input, const diopi::Dims& stride,
                          diopiTensorHandle_t* out) {
  return return_tensor(ctx, input.shape, &stride, input.dtype, out,
                       [&](const TensorView& made) { return copy(ctx, made, input); });
}

inline Status run(diopiContextHandle_t ctx, diopi::ContiguousArgs& args) {
  const TensorView& input = args.input;
  const diopi::Dims stride = strides_of_format(input, args.memoryFormat);
  return copy_to_new(ctx, input, stride, args.out);
}

// The numbers of memory formats that change nothing: undefined, NCHW, and any dimensions in any order.
inline constexpr int64_t kUndefinedFormat = -1, kNchwFormat = 0, kAnyFormat = 2;

// A vendor without memory formats of its own has nothing to convert.
inline Status run(diopiContextHandle_t ctx, diopi::NativeMemoryFormatCastArgs& args) {
  const TensorView& input = args.in;
  const bool known = args.format == kUndefinedFormat || args.format == kNchwFormat || args.format == kAnyFormat;
  DIOPI_REQUIRE(known, diopiNoImplement, "format = %lld is no memory format of this vendor, expected -1, 0 or 2",
                static_cast<long long>(args.format));
  const diopi::Dims stride = strides_of_format(input, Preserve);
  return copy_to_new(ctx, input, stride, args.out);
}

inline Status run(diopiContextHandle_t, diopi::GetNativeMemoryFormatArgs& args) {
  *args.format = kAnyFormat;
  return diopiSuccess;
}

// Nothing is recorded about a storage.
inline Status run(diopiContextHandle_t, diopi::TensorDestructionHookArgs&) { return diopiSuccess; }

}  // namespace impl::DIOPI_VENDOR

#include "functions/layout.hpp"

#endif  // IMPL_COMMON_FAMILIES_LAYOUT_HPP_
