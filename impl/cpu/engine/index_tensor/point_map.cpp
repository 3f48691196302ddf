// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index_tensor/point_map.hpp"

#include "impl/common/rules/indices.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

Status PointMap::prepare(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& packed_stride, int dim,
                         const TensorView& index, int64_t before) {
  dim_index_.shape = index.shape;
  dim_index_.dim = dim;
  dim_index_.size = indexed.shape[dim];
  dim_index_.index = index.data;
  dim_index_.is_int64 = index.dtype == diopi_dtype_int64;
  dim_index_.index_stride = index.stride;
  dim_index_.indexed_stride = indexed.stride;
  dim_index_.packed_stride = packed_stride;
  // float16 and bfloat16 accumulate in a float copy of whole lines, which does not pay for few indices into a long
  // line.
  const bool long_line = diopi::is_reduced_float(indexed.dtype) && dim_index_.size / 4 - 256 > index.shape[dim];
  bool is_expanded = false;
  for (int d = 0; d < index.ndim(); ++d) is_expanded |= d != dim && index.stride[d] == 0 && index.shape[d] > 1;
  if (is_expanded || long_line) return prepare_slices(ctx, indexed, packed_stride, dim, index);
  const int64_t bad = find_out_of_range(dim_index_);
  if (bad >= 0) return diopi::refuse_index(index, index_at(dim_index_, bad), before + bad, indexed, dim, false);
  return diopiSuccess;
}

void PointMap::look_for_long_sums(diopiDtype_t dtype) {
  if (by_slices_) {
    map_.long_sums = impl::cpu::has_long_sums(dtype, map_);
  } else {
    dim_index_.long_sums = impl::cpu::has_long_sums(dtype, dim_index_);
  }
}

DimIndex PointMap::part(int d, int64_t first, int64_t count) const {
  DimIndex dim_index = dim_index_;
  dim_index.shape[d] = count;
  dim_index.index =
      static_cast<const char*>(dim_index_.index) + first * dim_index_.index_stride[d] * (dim_index_.is_int64 ? 8 : 4);
  return dim_index;
}

void PointMap::gather(void* packed, const TensorView& indexed) const {
  if (by_slices_) {
    gather_slices(packed, indexed.data, indexed.itemsize(), map_, slices_);
  } else {
    gather_along_dim(packed, indexed.data, indexed.itemsize(), dim_index_);
  }
}

Status PointMap::scatter(diopiContextHandle_t ctx, diopi::ScatterOp op, const TensorView& indexed,
                         const void* packed) const {
  if (op != diopi::ScatterOp::kReplace) {
    return by_slices_
               ? accumulate_slices(ctx, accumulation(op), indexed.dtype, indexed.data, packed, map_, slices_)
               : scatter_reduce_along_dim(ctx, accumulation(op), indexed.dtype, indexed.data, packed, dim_index_);
  }
  if (diopi::in_dry_run()) return diopiSuccess;
  if (by_slices_) {
    scatter_slices(indexed.data, packed, indexed.itemsize(), map_, slices_);
  } else {
    scatter_along_dim(indexed.data, packed, indexed.itemsize(), dim_index_);
  }
  return diopiSuccess;
}

Status PointMap::prepare_slices(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& packed_stride, int dim,
                                const TensorView& index) {
  TensorView positions = index;
  Dims indexed_strides, packed_strides;
  positions.shape.n = positions.stride.n = 0;
  for (int d = 0; d < index.ndim(); ++d) {
    if (d != dim && index.stride[d] == 0 && index.shape[d] > 1) {
      slices_.push_back(index.shape[d], indexed.stride[d], packed_stride[d]);
      continue;
    }
    positions.shape.push_back(index.shape[d]);
    positions.stride.push_back(index.stride[d]);
    indexed_strides.push_back(d == dim ? 0 : indexed.stride[d]);
    packed_strides.push_back(packed_stride[d]);
  }
  positions.numel = map_.count = positions.shape.product();
  DIOPI_TRY(table_.reserve(ctx, map_.count));
  enumerate_offsets(table_.data(), positions.shape, indexed_strides);
  map_.table = table_.data();
  const int64_t* values = nullptr;
  DIOPI_TRY(packed_index(ctx, positions, positions.shape, &scratch_, &values));
  const IndexedDim at{&indexed, dim, indexed.shape[dim], indexed.stride[dim], false};
  DIOPI_TRY(add_checked_offsets(table_.data(), values, map_.count, index, at));
  by_slices_ = true;
  return packed_positions(ctx, positions.shape, packed_strides, &packed_, &map_);
}

}  // namespace impl::cpu
