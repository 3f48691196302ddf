// SPDX-License-Identifier: BSD-3-Clause
// Features of points that indices name, and their gradients.
#include "impl/cpu/points/rows.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/copy/transpose.hpp"
#include "impl/cpu/engine/points/packed.hpp"
#include "impl/cpu/sparse/voxel_rows.hpp"

namespace impl::cpu {

namespace {

// `points` is [b, c, n]; `index` is packed and has b first.
PickedRows picked_rows(const TensorView& points, const TensorView& index, int64_t indices_of_pick) {
  const int64_t batches = points.shape[0];
  const int64_t picks = batches > 0 ? index.numel / batches / indices_of_pick : 0;
  return {batches, points.shape[1], points.shape[2], picks, index.ptr<const int32_t>()};
}

}  // namespace

Status gather_points(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                     const TensorView& index) {
  TensorView packed_index, packed;
  PackedOutput result;
  DIOPI_TRY(pack_input(ctx, index, diopi_dtype_int32, &packed_index));
  DIOPI_TRY(require_positions(packed_index, index, points, 2));
  DIOPI_TRY(pack_input(ctx, points, points.dtype, &packed));
  DIOPI_TRY(result.prepare(ctx, out, out.dtype));
  gather_rows(picked_rows(points, packed_index, 1), out.itemsize(), result.data<void>(), packed.data);
  result.write_back();
  return diopiSuccess;
}

Status gather_points_backward(diopiContextHandle_t ctx, const TensorView& grad_points, const TensorView& grad_out,
                              const TensorView& index) {
  const diopiDtype_t dtype = diopi::compute_dtype(grad_out.dtype);
  TensorView packed_index, packed;
  PackedOutput sums;
  DIOPI_TRY(pack_input(ctx, index, diopi_dtype_int32, &packed_index));
  DIOPI_TRY(require_positions(packed_index, index, grad_points, 2));
  DIOPI_TRY(pack_input(ctx, grad_out, dtype, &packed));
  DIOPI_TRY(sums.prepare(ctx, grad_points, diopi_dtype_float64));
  add_rows(picked_rows(grad_points, packed_index, 1), dtype, sums.data<double>(), packed.data);
  sums.write_back();
  return diopiSuccess;
}

Status interpolate_points(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                          const TensorView& index, const TensorView& weight) {
  const diopiDtype_t dtype = diopi::compute_dtype(points.dtype);
  TensorView packed_index, packed, weights;
  PackedOutput result;
  DIOPI_TRY(pack_input(ctx, index, diopi_dtype_int32, &packed_index));
  DIOPI_TRY(require_positions(packed_index, index, points, 2));
  DIOPI_TRY(pack_input(ctx, points, dtype, &packed));
  DIOPI_TRY(pack_input(ctx, weight, dtype, &weights));
  DIOPI_TRY(result.prepare(ctx, out, dtype));
  interpolate_rows(picked_rows(points, packed_index, 3), dtype, result.data<void>(), packed.data, weights.data);
  result.write_back();
  return diopiSuccess;
}

Status interpolate_points_backward(diopiContextHandle_t ctx, const TensorView& grad_points, const TensorView& grad_out,
                                   const TensorView& index, const TensorView& weight) {
  const diopiDtype_t dtype = diopi::compute_dtype(grad_out.dtype);
  TensorView packed_index, packed, weights;
  PackedOutput sums;
  DIOPI_TRY(pack_input(ctx, index, diopi_dtype_int32, &packed_index));
  DIOPI_TRY(require_positions(packed_index, index, grad_points, 2));
  DIOPI_TRY(pack_input(ctx, grad_out, dtype, &packed));
  DIOPI_TRY(pack_input(ctx, weight, dtype, &weights));
  DIOPI_TRY(sums.prepare(ctx, grad_points, diopi_dtype_float64));
  add_weighted_rows(picked_rows(grad_points, packed_index, 3), dtype, sums.data<double>(), packed.data, weights.data);
  sums.write_back();
  return diopiSuccess;
}

namespace {

// The features of some samples are gathered as rows of channels and then transposed, so that memory is read in order.
struct StackedGather {
  static constexpr int64_t kSamples = 32, kBytes = 256;  // of a block that is transposed: samples, and bytes of a row
  const char* features;                                  // of the batch
  int64_t count, channels, samples, itemsize;            // `count` points
  TransposeFn transpose;
  bool streams;  // uses non-temporal stores

  // Writes the channels of the points at `positions`; a position that is not one of a point makes zeros.
  void row(const int32_t* positions, char* out) const {
    alignas(kTransposeLine) char block[kSamples * kBytes];
    const int64_t pitch = channels * itemsize, out_pitch = samples * itemsize;
    for (int64_t at = 0; at < pitch; at += kBytes) {
      const int64_t bytes = std::min(kBytes, pitch - at);
      for (int64_t s = 0; s < samples; s += kSamples) {
        const int64_t n = std::min(kSamples, samples - s);
        for (int64_t k = 0; k < n; ++k) {
          const int64_t position = positions[s + k];
          if (position >= 0 && position < count) {
            std::memcpy(block + k * kBytes, features + position * pitch + at, static_cast<size_t>(bytes));
          } else {
            std::memset(block + k * kBytes, 0, static_cast<size_t>(bytes));
          }
        }
        transpose(out + at * samples + s * itemsize, out_pitch, block, kBytes, n, bytes / itemsize, streams);
      }
    }
  }
};

}  // namespace

Status gather_stacked(diopiContextHandle_t ctx, const TensorView& out, const StackedRows& features,
                      const StackedRows& index) {
  BatchStarts feature_starts, index_starts;
  DIOPI_TRY(feature_starts.read(ctx, features));
  DIOPI_TRY(index_starts.read(ctx, index));
  TensorView packed_index, packed;
  PackedOutput result;
  DIOPI_TRY(pack_input(ctx, index.rows, diopi_dtype_int32, &packed_index));
  DIOPI_TRY(pack_input(ctx, features.rows, features.rows.dtype, &packed));
  DIOPI_TRY(result.prepare(ctx, out, out.dtype));
  const int64_t rows = out.shape[0], channels = out.shape[1], samples = out.shape[2], size = out.itemsize();
  const TransposeFn transpose = transpose_function(size);
  const bool in_lines = (reinterpret_cast<uintptr_t>(result.data<char>()) | static_cast<uintptr_t>(samples * size)) %
                            static_cast<uintptr_t>(kTransposeLine) ==
                        0;
  const bool streams = in_lines && out.numel * size >= stream_bytes();
  diopi::parallel_for(rows, diopi::Picoseconds{250 * (channels * samples + 1)}, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t batch = index_starts.batch_of(row);
      const StackedGather gather{packed.data + feature_starts.first(batch) * channels * size,
                                 feature_starts.count(batch),
                                 channels,
                                 samples,
                                 size,
                                 transpose,
                                 streams};
      gather.row(packed_index.ptr<const int32_t>() + row * samples,
                 result.data<char>() + row * channels * samples * size);
    }
    if (streams) finish_stores();
  });
  result.write_back();
  return diopiSuccess;
}

namespace {

// Adds the gradients of the channels [begin, end). The gradients of some samples are transposed, so that the channels
// of a point are adjacent.
void add_stacked(const BatchStarts& features, const BatchStarts& starts, const TensorView& index,
                 const TensorView& grad, double* sums, int64_t begin, int64_t end) {
  constexpr int64_t kSamples = 32, kChannels = 32, kLargest = 8;
  alignas(kTransposeLine) char block[kSamples * kChannels * kLargest];
  const int64_t rows = grad.shape[0], channels = grad.shape[1], samples = grad.shape[2], size = grad.itemsize();
  const TransposeFn transpose = transpose_function(size);
  const auto add = voxel_row_kernels(grad.dtype).add;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t batch = starts.batch_of(row), first = features.first(batch), count = features.count(batch);
    const int32_t* positions = index.ptr<const int32_t>() + row * samples;
    for (int64_t c = begin; c < end; c += kChannels) {
      const int64_t width = std::min(kChannels, end - c);
      for (int64_t s = 0; s < samples; s += kSamples) {
        const int64_t n = std::min(kSamples, samples - s);
        transpose(block, width * size, grad.data + ((row * channels + c) * samples + s) * size, samples * size, width,
                  n, false);
        for (int64_t k = 0; k < n; ++k) {
          const int64_t position = positions[s + k];
          if (position < 0 || position >= count) continue;
          add(sums + (first + position) * channels + c, block + k * width * size, width);
        }
      }
    }
  }
}

}  // namespace

Status gather_stacked_backward(diopiContextHandle_t ctx, const StackedRows& grad_features, const TensorView& grad_out,
                               const StackedRows& index) {
  const diopiDtype_t dtype = diopi::compute_dtype(grad_out.dtype);
  BatchStarts feature_starts, index_starts;
  DIOPI_TRY(feature_starts.read(ctx, grad_features));
  DIOPI_TRY(index_starts.read(ctx, index));
  TensorView packed_index, packed;
  PackedOutput sums;
  DIOPI_TRY(pack_input(ctx, index.rows, diopi_dtype_int32, &packed_index));
  DIOPI_TRY(pack_input(ctx, grad_out, dtype, &packed));
  DIOPI_TRY(sums.prepare(ctx, grad_features.rows, diopi_dtype_float64));
  fill_zero(sums.view());
  const diopi::Picoseconds each{500 * (grad_out.shape[0] * grad_out.shape[2] + 1)};
  diopi::parallel_for(grad_out.shape[1], each, [&](int64_t begin, int64_t end) {
    add_stacked(feature_starts, index_starts, packed_index, packed, sums.data<double>(), begin, end);
  });
  sums.write_back();
  return diopiSuccess;
}

}  // namespace impl::cpu
