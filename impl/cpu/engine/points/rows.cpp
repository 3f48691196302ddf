// SPDX-License-Identifier: BSD-3-Clause
// Features of points that indices name, and their gradients.
#include "impl/cpu/points/rows.hpp"

#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/points/packed.hpp"

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
  const int64_t rows = out.shape[0], channels = out.shape[1], samples = out.shape[2];
  const diopi::Picoseconds each{1000 * (channels * samples + 1)};
  diopi::for_itemsize(out.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    diopi::parallel_for(rows, each, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t batch = index_starts.batch_of(row);
        const auto count = static_cast<uint64_t>(feature_starts.count(batch));
        const T* from = packed.ptr<const T>() + feature_starts.first(batch) * channels;
        const int32_t* positions = packed_index.ptr<const int32_t>() + row * samples;
        T* to = result.data<T>() + row * channels * samples;
        for (int64_t c = 0; c < channels; ++c) {
          for (int64_t s = 0; s < samples; ++s) {
            const auto position = static_cast<uint64_t>(int64_t{positions[s]});
            *to++ =
                position < count ? from[position * static_cast<uint64_t>(channels) + static_cast<uint64_t>(c)] : T{};
          }
        }
      }
    });
  });
  result.write_back();
  return diopiSuccess;
}

namespace {

// Adds the gradients of the channels [begin, end).
template <typename T>
void add_stacked(const BatchStarts& features, const BatchStarts& starts, const TensorView& index,
                 const TensorView& grad, double* sums, int64_t begin, int64_t end) {
  const int64_t rows = grad.shape[0], channels = grad.shape[1], samples = grad.shape[2];
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t batch = starts.batch_of(row), first = features.first(batch), count = features.count(batch);
    const int32_t* positions = index.ptr<const int32_t>() + row * samples;
    const T* from = grad.ptr<const T>() + row * channels * samples;
    for (int64_t s = 0; s < samples; ++s) {
      const int64_t position = positions[s];
      if (position < 0 || position >= count) continue;
      double* to = sums + (first + position) * channels;
      for (int64_t c = begin; c < end; ++c) to[c] += static_cast<double>(from[c * samples + s]);
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
  const diopi::Picoseconds each{1000 * (grad_out.shape[0] * grad_out.shape[2] + 1)};
  const auto add = dtype == diopi_dtype_float64 ? add_stacked<double> : add_stacked<float>;
  diopi::parallel_for(grad_out.shape[1], each, [&](int64_t begin, int64_t end) {
    add(feature_starts, index_starts, packed_index, packed, sums.data<double>(), begin, end);
  });
  sums.write_back();
  return diopiSuccess;
}

}  // namespace impl::cpu
