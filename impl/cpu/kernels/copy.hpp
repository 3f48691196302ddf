// SPDX-License-Identifier: BSD-3-Clause
// The strided copy: moves elements between any two layouts, converting the dtype where they differ.
//
// Permutations, flips, slices, broadcasts, concatenations and casts are all this one operation with other strides.
#pragma once

#include <cstdint>

#include "../../common/tensor_view.hpp"

namespace impl::cpu {

// One loop of a copy. Strides count elements of the dtype of their side; a source may have stride 0 or negative
// strides, a destination must reach every address once.
struct CopyDim {
  int64_t extent;
  int64_t dst_stride;
  int64_t src_stride;
};

// Twice a tensor's rank: a repetition needs two loops per dimension.
inline constexpr int kMaxCopyDims = 2 * diopi::kMaxDims;

// dst[sum i_k * dst_stride_k] = src[sum i_k * src_stride_k] over all indices, in `cast_function`'s sense. The loops
// may be given in any order; the two sides must not overlap.
void copy_strided(void* dst, diopiDtype_t dst_dtype, const void* src, diopiDtype_t src_dtype, const CopyDim* dims,
                  int num_dims);

// copy_strided for tensors: `src` broadcasts to the shape of `dst` (the caller has checked that).
void copy_view(const diopi::TensorView& dst, const diopi::TensorView& src);

// Every element of `dst` becomes zero.
void fill_zero(const diopi::TensorView& dst);

// As `copy_view`, where the two may overlap: nothing to do for one and the same view, through a temporary otherwise.
diopi::Status copy_tensor(diopiContextHandle_t ctx, const diopi::TensorView& dst, const diopi::TensorView& src);

// Whether both dtypes have storage here; else an error naming them.
diopi::Status require_storage(const diopi::TensorView& view);

// Makes `view` a packed copy of itself where writing `out` could change it.
diopi::Status read_apart(diopiContextHandle_t ctx, const diopi::TensorView& out, diopi::TensorView* view);

// `view` must broadcast to exactly `target`, the shape of `what`.
diopi::Status require_broadcasts_to(const diopi::TensorView& view, const diopi::Dims& target, const char* what);

// A packed row-major copy of `view` in a temporary of `ctx`.
diopi::Status packed_copy(diopiContextHandle_t ctx, const diopi::TensorView& view, diopi::TensorView* copy);

}  // namespace impl::cpu
