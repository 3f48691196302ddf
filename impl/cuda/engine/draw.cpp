// SPDX-License-Identifier: BSD-3-Clause
// Random permutations and draws from weights: sorts of random keys.
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/random.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/sort/order.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/elementwise/check.hpp"
#include "impl/cuda/kernels/random/draw.hpp"

namespace impl::cuda {

namespace {

// The first row that cannot be drawn from is an error. Its samples are the number in `last`.
Status check_weights(diopiContextHandle_t ctx, const TensorView& last) {
  return check_below(ctx, last, INT64_MAX, 0, Refusal([](int64_t row, int64_t value) -> Status {
                       return refuse_weights(row, value != kInvalidWeight);
                     }));
}

// The shortest waiting times of each row.
Status draw_once(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out, const WeightRows& weights) {
  KeyRows sort;
  sort.rows = weights.rows;
  sort.n = weights.n;
  sort.bits = 64;
  DIOPI_TRY(sort.reserve(ctx));
  cudaStream_t stream = nullptr;
  RandomStream random;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(words.reserve(ctx, &random));
  auto* const keys = static_cast<uint64_t*>(sort.keys[0]);
  DIOPI_TRY(checked(make_waiting_times(stream, random, weights, keys), "waiting times"));
  DIOPI_TRY(sort.sort(ctx));
  SortedCall call{};
  call.rows = weights.rows;
  call.n = weights.n;
  call.kept = out.shape[1];
  call.order = sort.order();
  call.row_loops.push_back(weights.rows, 0, 0, out.stride[0]);
  call.indices_stride = out.stride[1];
  call.width = sizeof(double);
  call.indices = out.data;
  call.is_int64 = out.dtype == diopi_dtype_int64;
  return checked(write_sorted(stream, call), "writing positions");
}

}  // namespace

// The order of the words without their low bits: a sort keeps the order of equal keys, so these need not be positions.
Status run_permutation(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out) {
  RandomStream random;
  KeyRows sort;
  sort.n = out.numel;
  int low = 0;
  while (sort.n > int64_t{1} << low) ++low;
  sort.bits = 64 - low;
  if (sort.n > 0) DIOPI_TRY(sort.reserve(ctx));
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(words.reserve(ctx, &random));
  if (sort.n == 0) return diopiSuccess;
  auto* const keys = static_cast<uint64_t*>(sort.keys[0]);
  DIOPI_TRY(checked(make_random_keys(stream, random, sort.n, low, keys), "random keys"));
  DIOPI_TRY(sort.sort(ctx));
  TensorView order = out;
  order.data = reinterpret_cast<char*>(const_cast<uint32_t*>(sort.order()));
  order.dtype = diopi_dtype_uint32;
  order.stride = diopi::contiguous_strides(out.shape);
  return copy_apart(ctx, out, order);
}

Status run_multinomial(diopiContextHandle_t ctx, const RandomWords& words, const TensorView& out,
                       const TensorView& weights, bool replacement) {
  RandomStream random;
  WeightRows rows{weights.shape[0], weights.shape[1], nullptr, nullptr};
  if (rows.rows == 0) return words.reserve(ctx, &random);
  diopi::Dims shape;
  shape.push_back(rows.rows);
  TensorView last;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_int64, "last", &last));
  DIOPI_TRY(diopi::Workspace(ctx).take(rows.rows * rows.n, &rows.numbers));
  rows.last = last.ptr<int64_t>();
  DIOPI_TRY(read_weights(ctx, weights, replacement, rows));
  DIOPI_TRY(check_weights(ctx, last));
  if (!replacement) return draw_once(ctx, words, out, rows);
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(words.reserve(ctx, &random));
  return checked(draw_samples(stream, random, rows, out), "drawing samples");
}

}  // namespace impl::cuda
