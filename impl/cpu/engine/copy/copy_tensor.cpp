// SPDX-License-Identifier: BSD-3-Clause
// The strided copy for tensors.
#include <algorithm>
#include <cstring>

#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

void copy_view(const TensorView& dst, const TensorView& src) {
  if (diopi::in_dry_run()) return;
  if (dst.shape == src.shape && dst.is_contiguous() && src.is_contiguous()) {
    cast_contiguous(dst.data, dst.dtype, src.data, src.dtype, dst.numel);
    return;
  }
  CopyDim dims[diopi::kMaxDims];
  const int lead = dst.ndim() - src.ndim();
  for (int i = 0; i < dst.ndim(); ++i) {
    const bool fixed = i >= lead && src.shape[i - lead] == dst.shape[i];
    dims[i] = {dst.shape[i], dst.stride[i], fixed ? src.stride[i - lead] : 0};
  }
  copy_strided(dst.data, dst.dtype, src.data, src.dtype, dims, dst.ndim());
}

namespace {

// Sets bytes to 0. The C library may set few bytes by a masked store, and an addition to them would then wait until
// they have reached the cache.
void clear_bytes(char* to, size_t bytes) {
  const uint64_t zero = 0;
  if (bytes > 16 || (bytes > 0 && bytes < 4)) {
    std::memset(to, 0, bytes);
  } else if (bytes >= 8) {
    std::memcpy(to, &zero, 8);
    std::memcpy(to + bytes - 8, &zero, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, &zero, 4);
    std::memcpy(to + bytes - 4, &zero, 4);
  }
}

}  // namespace

void fill_zero(const TensorView& dst) {
  if (diopi::in_dry_run()) return;
  constexpr int64_t kSmall = 1 << 16;  // bytes: one thread sets them, and they stay in the cache
  if (const int64_t bytes = dst.numel * dst.itemsize(); bytes <= kSmall && dst.is_contiguous()) {
    return clear_bytes(dst.data, static_cast<size_t>(bytes));
  }
  alignas(kMaxItemsize) static constexpr char kZero[kMaxItemsize] = {};
  CopyDim dims[diopi::kMaxDims];
  for (int i = 0; i < dst.ndim(); ++i) dims[i] = {dst.shape[i], dst.stride[i], 0};
  copy_strided(dst.data, dst.dtype, kZero, dst.dtype, dims, dst.ndim());
}

Status packed_copy(diopiContextHandle_t ctx, const TensorView& view, TensorView* copy) {
  return packed_copy(ctx, view, diopi::contiguous_strides(view.shape), copy);
}

Status packed_copy(diopiContextHandle_t ctx, const TensorView& view, const Dims& stride, TensorView* copy) {
  *copy = view;
  copy->stride = stride;
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_items(view.numel, view.itemsize(), &memory));
  copy->data = static_cast<char*>(memory);
  copy_view(*copy, view);
  return diopiSuccess;
}

Status copy_if_overlapping(diopiContextHandle_t ctx, const TensorView& out, TensorView* view) {
  if (!diopi::may_overlap(out, *view)) return diopiSuccess;
  TensorView copy;
  DIOPI_TRY(packed_copy(ctx, *view, &copy));
  *view = copy;
  return diopiSuccess;
}

Status copy_tensor(diopiContextHandle_t ctx, const TensorView& dst, const TensorView& src) {
  if (dst.numel == 0 || diopi::is_same_view(dst, src)) return diopiSuccess;
  if (!diopi::may_overlap(dst, src)) {
    copy_view(dst, src);
    return diopiSuccess;
  }
  TensorView copy;
  DIOPI_TRY(packed_copy(ctx, src, &copy));
  copy_view(dst, copy);
  return diopiSuccess;
}

}  // namespace impl::cpu
