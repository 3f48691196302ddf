// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/im2col.hpp"

#include <algorithm>

#include "impl/common/families/overlap.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/im2col/im2col.hpp"

namespace impl::cuda {

namespace {

BlocksCall call_for(const Blocks& blocks) {
  BlocksCall call{};
  call.images = blocks.image.shape[0];
  call.channels = blocks.image.shape[1];
  std::copy_n(blocks.image.stride.v, 4, call.image_stride);
  std::copy_n(blocks.columns.stride.v, 3, call.column_stride);
  call.rows = blocks.windows.at(0);
  call.columns = blocks.windows.at(1);
  call.dtype = blocks.image.dtype;
  return call;
}

}  // namespace

Status run_im2col(diopiContextHandle_t ctx, const Blocks& blocks) {
  if (diopi::in_dry_run()) return diopiSuccess;
  BlocksCall call = call_for(blocks);
  call.out = blocks.columns.data;
  call.in = blocks.image.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(copy_blocks(stream, call), "a copy of blocks");
}

Status run_col2im(diopiContextHandle_t ctx, const Blocks& blocks) {
  if (diopi::in_dry_run()) return diopiSuccess;
  BlocksCall call = call_for(blocks);
  call.out = blocks.image.data;
  call.in = blocks.columns.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(add_blocks(stream, call), "a sum of blocks");
}

Status add_windows(diopiContextHandle_t ctx, const TensorView& sums, const TensorView& windows, int dim, int64_t step) {
  TensorView from = windows;
  DIOPI_TRY(replace_if_overlapping(ctx, sums, &from));
  if (diopi::in_dry_run()) return diopiSuccess;
  const int last = windows.ndim() - 1;
  WindowsCall call{};
  for (int d = sums.ndim() - 1; d >= 0; --d) {
    if (d != dim && sums.shape[d] != 1) call.others.push_back(sums.shape[d], sums.stride[d], from.stride[d]);
  }
  call.numel = sums.numel;
  call.extent = sums.shape[dim];
  call.count = from.shape[dim];
  call.size = from.shape[last];
  call.step = step;
  call.sums_stride = sums.stride[dim];
  call.window_stride = from.stride[dim];
  call.element_stride = from.stride[last];
  call.dtype = sums.dtype;
  call.sums = sums.data;
  call.windows = from.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(sum_windows(stream, call), "a sum of windows");
}

}  // namespace impl::cuda
