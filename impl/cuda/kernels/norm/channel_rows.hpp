// SPDX-License-Identifier: BSD-3-Clause
// The rows of normalisations over channels: all elements of a channel, or those of a channel of one sample. A row
// consists of contiguous runs. Its division among threads depends on the shape and the stored type only, so that the
// bits of a result are the same for any grid.
#ifndef IMPL_CUDA_KERNELS_NORM_CHANNEL_ROWS_HPP_
#define IMPL_CUDA_KERNELS_NORM_CHANNEL_ROWS_HPP_

#include "impl/common/tensor_view.hpp"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

using diopi::Status;
using diopi::TensorView;

constexpr int kMostRowThreads = 512;  // of a block

// A parameter of kernels, so it has no unused bytes. The operands are the input, the gradient of the output, and the
// result; those without memory are absent.
struct ChannelRows {
  static constexpr int kOperands = 3;
  char* data[kOperands];
  int64_t sample_step[kOperands], channel_step[kOperands];
  int64_t length;    // elements of a row
  double share;      // 1 / length
  Divider channels;  // of a sample: row r is channel r % channels of sample r / channels
  Divider run;       // packs of a run
  int32_t run_step[kOperands];
  int32_t samples;        // of different rows
  int32_t rows, packs;    // packs of a row: `items` adjacent elements each
  int32_t pieces, piece;  // of a row, and packs of a piece
  int32_t threads;        // of a block, which takes a piece
  int32_t items;          // 16 bytes, or 1 if the runs do not consist of packs of 16 bytes
  int32_t wide;           // 1: all packs are aligned
  diopiDtype_t dtype;

  // Whether the views have the form of rows. The dimensions from `axis` on are a run; those from 1 to below it are the
  // channels. A row has all samples if they are `together`. Views may be null but the first one.
  bool find(const TensorView* input, const TensorView* grad_output, const TensorView* out, int axis, bool together);
  // Makes one piece of each row if a block can fold it and compute its elements; returns whether it did.
  bool make_whole();
  // Makes pieces for blocks that each take one. `long_pieces`: their results are merged.
  void make_pieces(bool long_pieces);
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NORM_CHANNEL_ROWS_HPP_
