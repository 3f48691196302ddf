// SPDX-License-Identifier: BSD-3-Clause
// Plans of reads and writes through indices: the place of each position of an index.
#ifndef IMPL_CUDA_ENGINE_INDEX_PLACES_HPP_
#define IMPL_CUDA_ENGINE_INDEX_PLACES_HPP_

#include "impl/common/engine/index.hpp"
#include "impl/common/tensor_view.hpp"
#include "impl/cuda/kernels/index/index.hpp"

namespace impl::cuda {

using diopi::Dims;

// The loops of the dimensions of `shape` that `is_taken` chooses, in row-major order. Unused loops are zero, because
// the emulation refuses kernel arguments that contain addresses of the host.
template <typename F, typename... Strides>
diopi::LoopNest<sizeof...(Strides)> loops_of(const F& is_taken, const Dims& shape, const Strides&... strides) {
  diopi::LoopNest<sizeof...(Strides)> nest{};
  for (int d = shape.n - 1; d >= 0; --d) {
    if (is_taken(d)) nest.push_back(shape[d], strides[d]...);
  }
  nest.drop_ones();
  nest.merge();
  return nest;
}

// An index tensor. Its values number the elements of the dimensions [dim, dim + dims) of the indexed tensor.
struct IndexPart {
  const TensorView* index;
  Dims stride;  // in each dimension of the positions
  int dim;
  int dims = 1;
  bool wrap = false;  // negative indices count from the end
};

// What the plan computes: offsets in the indexed tensor, or row-major numbers of its elements in the dimensions that
// are no slices.
enum class PlaceKind { kOffsets, kNumbers };

struct Places {
  IndexedLoops loops{};
  Loops1 targets{};          // from numbers to offsets
  int64_t limit = 1;         // the count of numbers
  int64_t none = INT64_MIN;  // the place of positions whose index is out of range; `limit` for numbers
  int64_t* places = nullptr;
  int64_t step_bits = 0;  // the bits that are set in any of the steps between places
  Dims step;              // what one step in each dimension of the indexed tensor adds to a place

  // Begins the plan. `is_slice[d]`: dimension d is part of the slices, whose strides in the packed tensor are
  // `packed_stride[d]`. `positions` is the shape of the positions, and `position_stride` has their strides in the
  // packed tensor.
  Status begin(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& indexed, const bool* is_slice,
               const Dims& packed_stride, const Dims& positions, const Dims& position_stride);
  // Computes the places: the sum of the parts. `direct` has what a step in each dimension of the positions adds.
  // An index that is out of range is an error, which is deferred.
  Status find(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& positions, const Dims& direct,
              const IndexPart* parts, int count);
};

// A selection of slices: the dimensions of `index` replace the dimension `dim` of `whole` in `picked`.
Status find_slices(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& whole, const TensorView& picked, int dim,
                   const TensorView& index, Places* places);

// The offsets at which a gather reads, and a gather. Writes nothing if the output is empty.
Status run_gather(diopiContextHandle_t ctx, const Places& places, const TensorView& out, const TensorView& in);
// Writes the base to `out`, then `src` at the places, which are numbers.
Status run_scatter(diopiContextHandle_t ctx, ScatterOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& src);
// The same with sums or means. Positions of places from `limit` on are left out.
Status run_combine(diopiContextHandle_t ctx, PlaceOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& src);

// The positions in the order of their places; positions with one place keep their order.
Status order_places(diopiContextHandle_t ctx, const Places& places, const uint32_t** order);

// last[t] = the greatest position whose place is t, plus one; 0 for places that do not occur.
Status find_last(diopiContextHandle_t ctx, const Places& places, LastCall* last);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_INDEX_PLACES_HPP_
