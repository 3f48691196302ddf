// SPDX-License-Identifier: BSD-3-Clause
// The strided copy: copies elements between any two layouts, and converts them if the dtypes differ.
//
// Permutations, flips, slices, broadcasts, concatenations and casts are strided copies with different strides.
#ifndef IMPL_CPU_ENGINE_COPY_COPY_HPP_
#define IMPL_CPU_ENGINE_COPY_COPY_HPP_

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cpu {

// One loop of a copy: extent, stride of the destination, stride of the source. The strides of each side count elements
// of its dtype. The stride of a source may be 0 or negative; a destination must reach every address only once.
using CopyDim = diopi::Loop<2>;

// Twice the maximum rank of a tensor, because a repetition needs two loops per dimension.
inline constexpr int kMaxCopyDims = 2 * diopi::kMaxDims;

// dst[sum i_k * dst_stride_k] = src[sum i_k * src_stride_k] over all indices, converted by `cast_function`. The loops
// may be given in any order; the two sides must not overlap.
void copy_strided(void* dst, diopiDtype_t dst_dtype, const void* src, diopiDtype_t src_dtype, const CopyDim* dims,
                  int num_dims);

// Copies and converts `src` to `dst`. `src` broadcasts to the shape of `dst`; the caller has checked this.
void copy_view(const diopi::TensorView& dst, const diopi::TensorView& src);

// Sets every element of `dst` to zero.
void fill_zero(const diopi::TensorView& dst);

// copy_view() for tensors that may overlap: does nothing if both are the same view, and copies through a temporary if
// they overlap.
diopi::Status copy_tensor(diopiContextHandle_t ctx, const diopi::TensorView& dst, const diopi::TensorView& src);

// Replaces `view` by a packed copy in a temporary if writing to `out` could change its elements.
diopi::Status copy_if_overlapping(diopiContextHandle_t ctx, const diopi::TensorView& out, diopi::TensorView* view);

// Makes a packed row-major copy of `view` in a temporary of `ctx`.
diopi::Status packed_copy(diopiContextHandle_t ctx, const diopi::TensorView& view, diopi::TensorView* copy);
// The same with these strides, which fill the memory of the copy.
diopi::Status packed_copy(diopiContextHandle_t ctx, const diopi::TensorView& view, const diopi::Dims& stride,
                          diopi::TensorView* copy);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_COPY_HPP_
