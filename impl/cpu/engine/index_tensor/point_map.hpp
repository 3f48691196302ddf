// SPDX-License-Identifier: BSD-3-Clause
// The addresses that an index tensor selects along one dimension.
#ifndef IMPL_CPU_ENGINE_INDEX_TENSOR_POINT_MAP_HPP_
#define IMPL_CPU_ENGINE_INDEX_TENSOR_POINT_MAP_HPP_

#include "impl/cpu/engine/index/along_dim_long.hpp"
#include "impl/cpu/engine/index_tensor/offsets.hpp"

namespace impl::cpu {

// The arithmetic of an operation that does not replace.
inline Accumulate accumulation(diopi::ScatterOp op) {
  return op == diopi::ScatterOp::kAdd ? Accumulate::kAdd : Accumulate::kMultiply;
}

// The addresses of the elements of an index tensor on both sides. Dimensions along which the index is expanded (stride
// 0) are slices of the index engine. If there are none, elements are moved one by one.
class PointMap {
 public:
  // Checks every index against the extent of its dimension. `before` is the number of indices in earlier chunks.
  diopi::Status prepare(diopiContextHandle_t ctx, const diopi::TensorView& indexed, const diopi::Dims& packed_stride,
                        int dim, const diopi::TensorView& index, int64_t before = 0);

  // The caller calls this before an addition of elements of `dtype`.
  void look_for_long_sums(diopiDtype_t dtype);
  bool has_long_sums() const { return dim_index_.long_sums || map_.long_sums; }

  bool goes_by_points() const { return !by_slices_; }
  // Returns the index. Only for elements that are moved one by one.
  const DimIndex& dim_index() const { return dim_index_; }
  // Returns a part of the index: `count` entries from `first` on along dimension d, which is not the indexed one. Only
  // for elements that are moved one by one.
  DimIndex part(int d, int64_t first, int64_t count) const;

  void gather(void* packed, const diopi::TensorView& indexed) const;
  // Writes, adds or multiplies. A dry run writes nothing.
  diopi::Status scatter(diopiContextHandle_t ctx, diopi::ScatterOp op, const diopi::TensorView& indexed,
                        const void* packed) const;

 private:
  diopi::Status prepare_slices(diopiContextHandle_t ctx, const diopi::TensorView& indexed,
                               const diopi::Dims& packed_stride, int dim, const diopi::TensorView& index);

  DimIndex dim_index_;
  bool by_slices_ = false;
  OffsetTable table_, packed_, scratch_;
  IndexMap map_;
  IndexSlices slices_;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_TENSOR_POINT_MAP_HPP_
