// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of an index tensor lead, along one dimension.
#pragma once

#include "cpu/functions/index_offsets.hpp"
#include "cpu/kernels/axis_index.hpp"

namespace impl::cpu {

// Dimensions along which the index is expanded (stride 0) are slices of the index engine; without any, every element
// goes its own way.
class PointMap {
 public:
  // Checks every index against the dimension that it addresses. `before` of them were in pieces before this one.
  diopi::Status prepare(diopiContextHandle_t ctx, const diopi::TensorView& indexed, const diopi::Dims& packed_stride,
                        int dim, const diopi::TensorView& index, int64_t before = 0);

  bool goes_by_points() const { return !by_slices_; }
  // Only where it goes by points.
  const AxisIndex& axis() const { return axis_; }
  // The part of the index from `first` on along a dimension that it does not address; only where it goes by points.
  AxisIndex part(int d, int64_t first, int64_t count) const;

  void gather(void* packed, const diopi::TensorView& indexed) const;
  void scatter(const diopi::TensorView& indexed, const void* packed) const;
  diopi::Status accumulate(diopiContextHandle_t ctx, Accumulate op, const diopi::TensorView& indexed,
                           const void* packed) const;

 private:
  diopi::Status prepare_slices(diopiContextHandle_t ctx, const diopi::TensorView& indexed,
                               const diopi::Dims& packed_stride, int dim, const diopi::TensorView& index);

  AxisIndex axis_;
  bool by_slices_ = false;
  OffsetTable table_, packed_, scratch_;
  IndexMap map_;
  IndexSlices slices_;
};

}  // namespace impl::cpu
