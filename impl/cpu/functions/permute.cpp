// SPDX-License-Identifier: BSD-3-Clause
// Rearrangements of elements: each is a strided copy with different strides.
#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;

namespace {

// Reads both tensors and checks their dtypes, as every rearrangement requires.
Status read_pair(diopiTensorHandle_t out, diopiConstTensorHandle_t input, TensorView* to, TensorView* from) {
  DIOPI_TRY(diopi::read_tensor(out, "out", to));
  DIOPI_TRY(diopi::read_tensor(input, "input", from));
  DIOPI_TRY(require_storage(*from));
  DIOPI_TRY(require_storage(*to));
  DIOPI_TRY(diopi::require_castable(from->dtype, *to));
  return diopi::require_writable(*to);
}

}  // namespace

diopiError_t diopiPermute(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiSize_t dims) {
  TensorView to, from, view;
  DIOPI_TRY(read_pair(out, input, &to, &from));
  DIOPI_REQUIRE(dims.len == from.ndim(), diopiErrorOccurred, "dims = %s has %lld entries for input of shape %s",
                Text(dims).c_str(), static_cast<long long>(dims.len), Text(from.shape).c_str());
  view = from;
  uint32_t seen = 0;
  for (int i = 0; i < from.ndim(); ++i) {
    int axis = 0;
    DIOPI_TRY(diopi::wrap_dim(dims.data[i], from, "dims", &axis));
    DIOPI_REQUIRE((seen >> axis & 1) == 0, diopiErrorOccurred, "dims = %s names dimension %d twice", Text(dims).c_str(),
                  axis);
    seen |= 1u << axis;
    view.shape[i] = from.shape[axis];
    view.stride[i] = from.stride[axis];
  }
  DIOPI_TRY(diopi::require_result_shape(&to, view.shape));
  return copy_tensor(ctx, to, view);
}

diopiError_t diopiTranspose(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            int64_t dim0, int64_t dim1) {
  TensorView to, from;
  int a = 0, b = 0;
  DIOPI_TRY(read_pair(out, input, &to, &from));
  DIOPI_TRY(diopi::wrap_dim(dim0, from, "dim0", &a));
  DIOPI_TRY(diopi::wrap_dim(dim1, from, "dim1", &b));
  if (from.ndim() > 0) from = from.transposed(a, b);
  DIOPI_TRY(diopi::require_result_shape(&to, from.shape));
  return copy_tensor(ctx, to, from);
}

diopiError_t diopiExpand(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  TensorView to, from;
  DIOPI_TRY(read_pair(out, input, &to, &from));
  DIOPI_TRY(require_broadcasts_to(from, to.shape, "out"));
  return copy_tensor(ctx, to, from);
}

diopiError_t diopiRepeat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiSize_t repeats_size) {
  TensorView to, from;
  DIOPI_TRY(read_pair(out, input, &to, &from));
  const int lead = static_cast<int>(repeats_size.len) - from.ndim();
  DIOPI_REQUIRE(lead >= 0 && repeats_size.len <= diopi::kMaxDims, diopiErrorOccurred,
                "repeats_size = %s has %lld entries for input of shape %s", Text(repeats_size).c_str(),
                static_cast<long long>(repeats_size.len), Text(from.shape).c_str());
  Dims expected;
  for (int i = 0; i < repeats_size.len; ++i) {
    const int64_t times = repeats_size.data[i];
    DIOPI_REQUIRE(times >= 0, diopiErrorOccurred, "repeats_size = %s has a negative entry", Text(repeats_size).c_str());
    int64_t extent = 0;
    DIOPI_REQUIRE(diopi::mul_sizes(times, i >= lead ? from.shape[i - lead] : 1, &extent), diopiErrorOccurred,
                  "repeats_size = %s makes dimension %d of input of shape %s longer than 2^63",
                  Text(repeats_size).c_str(), i, Text(from.shape).c_str());
    expected.push_back(extent);
  }
  DIOPI_TRY(diopi::require_result_shape(&to, expected));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  // There are two loops per dimension: over the repetitions, with a source stride of 0, and over the extent.
  CopyDim loops[kMaxCopyDims];
  for (int i = 0; i < to.ndim(); ++i) {
    const int64_t extent = i >= lead ? from.shape[i - lead] : 1;
    loops[2 * i] = {repeats_size.data[i], extent * to.stride[i], 0};
    loops[2 * i + 1] = {extent, to.stride[i], i >= lead ? from.stride[i - lead] : 0};
  }
  copy_strided(to.data, to.dtype, from.data, from.dtype, loops, 2 * to.ndim());
  return diopiSuccess;
}

diopiError_t diopiFlip(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiSize_t dims) {
  TensorView to, from;
  uint32_t mask = 0;
  DIOPI_TRY(read_pair(out, input, &to, &from));
  DIOPI_TRY(diopi::require_result_shape(&to, from));
  // An empty list flips nothing; for reductions it would mean all axes.
  if (dims.len > 0) DIOPI_TRY(diopi::read_axes(dims, from, "dims", &mask));
  if (to.numel == 0) return diopiSuccess;
  DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  CopyDim loops[diopi::kMaxDims];
  const char* start = from.data;
  for (int i = 0; i < from.ndim(); ++i) {
    const bool flipped = (mask >> i & 1) != 0;
    if (flipped) start += (from.shape[i] - 1) * from.stride[i] * from.itemsize();
    loops[i] = {from.shape[i], to.stride[i], flipped ? -from.stride[i] : from.stride[i]};
  }
  copy_strided(to.data, to.dtype, start, from.dtype, loops, from.ndim());
  return diopiSuccess;
}

}  // namespace impl::cpu
