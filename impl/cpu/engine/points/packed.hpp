// SPDX-License-Identifier: BSD-3-Clause
// Operands of point clouds as their kernels read and write them: row-major, in the dtype of the computation.
#ifndef IMPL_CPU_ENGINE_POINTS_PACKED_HPP_
#define IMPL_CPU_ENGINE_POINTS_PACKED_HPP_

#include "impl/common/engine/points.hpp"
#include "impl/cpu/engine/packed.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// Points [..., n, d] as planes of coordinates [..., d, n].
Status pack_planes(diopiContextHandle_t ctx, const TensorView& points, diopiDtype_t dtype, TensorView* planes);

// The memory to which a kernel writes an output: the tensor itself, or a row-major temporary in `dtype`.
class PackedOutput {
 public:
  Status prepare(diopiContextHandle_t ctx, const TensorView& out, diopiDtype_t dtype);
  // The same with the elements that the output has now.
  Status prepare_kept(diopiContextHandle_t ctx, const TensorView& out);
  template <typename T>
  T* data() const {
    return view_.ptr<T>();
  }
  const TensorView& view() const { return view_; }
  // Copies a temporary to the output.
  void write_back() const;

 private:
  TensorView out_, view_;
};

// Requires that every index is a position of dimension `dim` of `indexed`. The index is packed.
Status require_positions(const TensorView& packed, const TensorView& index, const TensorView& indexed, int dim);

// The first rows of the batches of a stacked tensor.
class BatchStarts {
 public:
  // Checks the counts.
  Status read(diopiContextHandle_t ctx, const diopi::StackedRows& stacked);
  // The batch of a row; -1 if there are no batches.
  int64_t batch_of(int64_t row) const;
  int64_t first(int64_t batch) const { return batch < 0 ? 0 : starts_[batch]; }
  int64_t count(int64_t batch) const { return batch < 0 ? 0 : starts_[batch + 1] - starts_[batch]; }

 private:
  const int64_t* starts_ = nullptr;  // one more than there are batches
  int64_t batches_ = 0;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_POINTS_PACKED_HPP_
