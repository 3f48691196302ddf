// SPDX-License-Identifier: BSD-3-Clause
// The true elements of a mask. TrueElements::counts points to their row-major numbers, on the device.
#include <algorithm>

#include "impl/common/engine/copy.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index/compact.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/scan/scan.hpp"

namespace impl::cuda {

Status list_true(diopiContextHandle_t ctx, const uint8_t* mask, int64_t n, int64_t* count, int64_t** positions) {
  MaskCall call{};
  call.n = n;
  call.mask = mask;
  *count = 0;
  const int64_t parts = mask_parts(n);
  int64_t* scratch = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(parts + 1, &call.counts));
  DIOPI_TRY(diopi::Workspace(ctx).take(scan_scratch(parts + 1), &scratch));
  if (n > 0) {
    cudaStream_t stream = nullptr;
    DIOPI_TRY(stream_of(ctx, &stream));
    // The sum of all counts is the one before the last number, which stands behind them.
    DIOPI_TRY(checked(cudaMemsetAsync(call.counts + parts, 0, sizeof(int64_t), stream), "setting memory"));
    DIOPI_TRY(checked(count_mask(stream, call), "counting true elements"));
    DIOPI_TRY(checked(scan_exclusive(stream, call.counts, parts + 1, scratch), "a sum of counts"));
    DIOPI_TRY(read_back(ctx, count, call.counts + parts, sizeof(int64_t)));
  }
  DIOPI_TRY(diopi::Workspace(ctx).take(*count, positions));
  if (*count == 0) return diopiSuccess;
  call.positions = *positions;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(list_mask(stream, call), "listing true elements");
}

Status find_true(diopiContextHandle_t ctx, const TensorView& mask, TrueElements* found) {
  found->mask = mask;
  const bool is_packed = mask.is_contiguous() && (mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8);
  if (!is_packed) {
    DIOPI_TRY(diopi::make_temporary(ctx, mask.shape, diopi_dtype_bool, mask.name, &found->mask));
    DIOPI_TRY(copy_apart(ctx, found->mask, mask));
  }
  return list_true(ctx, found->mask.ptr<const uint8_t>(), mask.numel, &found->count, &found->counts);
}

Status true_coordinates(diopiContextHandle_t ctx, const TensorView& out, const TrueElements& found) {
  if (out.numel == 0) return diopiSuccess;
  CoordinatesCall call{};
  call.count = found.count;
  call.positions = found.counts;
  const Dims& shape = found.mask.shape;
  for (int d = shape.n - 1; d >= 0; --d) call.loops.push_back(shape[d], d * out.stride[1]);
  call.out_stride = out.stride[0];
  call.out = out.ptr<int64_t>();
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(write_coordinates(stream, call), "writing coordinates");
}

namespace {

// The places of the true elements in `indexed`, which is expanded to the shape of the mask. The other tensor of the
// call is `packed`.
Status find_places_of_true(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& indexed, const Dims& step,
                           const TensorView& packed, const TrueElements& found, Places* places) {
  bool is_slice[diopi::kMaxDims] = {};
  Dims positions, direct;
  positions.push_back(found.count);
  direct.push_back(0);
  places->begin(kind, indexed, is_slice, packed.stride, positions, packed.stride);
  places->step = step;
  TensorView list;
  list.name = found.mask.name;
  list.data = reinterpret_cast<char*>(found.counts);
  list.dtype = diopi_dtype_int64;
  IndexPart part{&list, Dims(), 0, indexed.ndim()};
  part.stride.push_back(1);
  return places->find(ctx, direct, &part, 1);
}

}  // namespace

Status gather_true(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const TrueElements& found) {
  Places places;
  DIOPI_TRY(find_places_of_true(ctx, PlaceKind::kOffsets, in, in.stride, out, found, &places));
  return run_gather(ctx, places, out, in);
}

Status add_true(diopiContextHandle_t ctx, const TensorView& out, const TensorView& src, const TrueElements& found) {
  TensorView numbers = out;  // each element's place is its row-major number
  numbers.stride = diopi::contiguous_strides(out.shape);
  const TensorView all = out.expand(found.mask.shape), all_numbers = numbers.expand(found.mask.shape);
  Places places;
  DIOPI_TRY(find_places_of_true(ctx, PlaceKind::kNumbers, all, all_numbers.stride, src, found, &places));
  places.limit = out.numel;
  places.targets = loops_of([](int) { return true; }, out.shape, out.stride);
  // If the mask is broadcast, an element of the output gets several terms.
  const ScatterOp op = found.mask.numel == out.numel ? ScatterOp::kReplace : ScatterOp::kAdd;
  return run_scatter(ctx, op, places, out, ScatterBase::zeros(), src);
}

}  // namespace impl::cuda
