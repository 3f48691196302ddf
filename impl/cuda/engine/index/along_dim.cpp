// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through an index tensor along one dimension.
#include <algorithm>

#include "impl/common/dtype.hpp"
#include "impl/common/number_operand.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"

namespace impl::cuda {

namespace {

// Each element of the index is a position, and the index replaces only the number in dimension `dim`.
Status find_points(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& indexed, int dim,
                   const TensorView& index, const Dims& packed_stride, Places* places) {
  const bool is_slice[diopi::kMaxDims] = {};
  places->begin(kind, indexed, is_slice, packed_stride, index.shape, packed_stride);
  Dims direct = places->step;
  direct[dim] = 0;
  const IndexPart part{&index, index.stride, dim};
  return places->find(ctx, direct, &part, 1);
}

}  // namespace

Status find_slices(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& whole, const TensorView& picked, int dim,
                   const TensorView& index, Places* places) {
  bool is_slice[diopi::kMaxDims];
  Dims packed_stride = whole.stride, position_stride, direct;
  for (int d = 0; d < whole.ndim(); ++d) {
    is_slice[d] = d != dim;
    if (d != dim) packed_stride[d] = picked.stride[d < dim ? d : d + index.ndim() - 1];
  }
  for (int d = 0; d < index.ndim(); ++d) {
    position_stride.push_back(picked.stride[dim + d]);
    direct.push_back(0);
  }
  places->begin(kind, whole, is_slice, packed_stride, index.shape, position_stride);
  const IndexPart part{&index, index.stride, dim};
  return places->find(ctx, direct, &part, 1);
}

Status gather(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, const TensorView& index) {
  Places places;
  DIOPI_TRY(find_points(ctx, PlaceKind::kOffsets, in, dim, index, out.stride, &places));
  return run_gather(ctx, places, out, in);
}

Status scatter(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base, int dim,
               const TensorView& src, const TensorView& index) {
  Places places;
  if (index.numel == 0) {
    places.loops.count = 0;
    return run_scatter(ctx, ScatterOp::kReplace, places, out, base, src);
  }
  LinesCall lines;
  if (!is_one_element(src) && find_lines(out, base, dim, src, index, op, &lines)) {
    return run_lines(ctx, op, lines, out, dim, index);
  }
  DIOPI_TRY(find_points(ctx, PlaceKind::kNumbers, out, dim, index, src.stride, &places));
  return run_scatter(ctx, op, places, out, base, src);
}

Status scatter_value(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base, int dim,
                     const diopiScalar_t& value, const TensorView& index) {
  TensorView src = index, number;  // one element for all indices
  diopi::NumberOperand operand;
  operand.set(value, "value", diopi::is_floating(value) ? diopi_dtype_float64 : diopi_dtype_int64, &number);
  alignas(16) char element[16];
  convert_number(number, out.dtype, element);
  src.name = "value";
  src.dtype = out.dtype;
  src.data = element;
  std::fill_n(src.stride.v, index.ndim(), 0);
  return scatter(ctx, op, out, base, dim, src, index);
}

Status select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, const TensorView& index) {
  Places places;
  DIOPI_TRY(find_slices(ctx, PlaceKind::kOffsets, in, out, dim, index, &places));
  return run_gather(ctx, places, out, in);
}

Status add_selected(diopiContextHandle_t ctx, const TensorView& out, int dim, const TensorView& src,
                    const TensorView& index) {
  Places places;
  DIOPI_TRY(find_slices(ctx, PlaceKind::kNumbers, out, src, dim, index, &places));
  return run_scatter(ctx, ScatterOp::kAdd, places, out, ScatterBase::zeros(), src);
}

}  // namespace impl::cuda
