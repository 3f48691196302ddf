// SPDX-License-Identifier: BSD-3-Clause
// Plans of reads and writes through indices: the place of each position of an index.
#ifndef IMPL_CUDA_ENGINE_INDEX_PLACES_HPP_
#define IMPL_CUDA_ENGINE_INDEX_PLACES_HPP_

#include <optional>

#include "impl/common/engine/index.hpp"
#include "impl/common/tensor_view.hpp"
#include "impl/cuda/engine/deferred.hpp"
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

// A plan has a list of places, or one index whose elements the kernels read themselves: then the place of a position is
// `direct`, plus the element times a step.
struct Places {
  IndexedLoops loops{};
  Loops1 targets{};          // from numbers to offsets
  int64_t limit = 1;         // the count of numbers
  int64_t none = INT64_MIN;  // the place of positions whose index is out of range; `limit` for numbers
  int64_t* places = nullptr;
  Dims step;  // what one step in each dimension of the indexed tensor adds to a place
  PlaceKind kind = PlaceKind::kOffsets;
  TensorView indexed;
  bool is_slice[diopi::kMaxDims] = {};
  Dims packed_stride, positions, position_stride;
  bool is_listed = false;
  PlacesCall one{};                // the index of a plan without a list
  std::optional<Refusal> refusal;  // and its error
  Dims direct, index_stride;       // what a step in each dimension of the positions adds, and its stride in the index
  const TensorView* named = nullptr;          // what messages call the indexed tensor, if it is another one
  int64_t index_offset = 0, index_place = 0;  // a step of the index, in the indexed tensor and in the places

  // Begins the plan. `is_slice[d]`: dimension d is part of the slices, whose strides in the packed tensor are
  // `packed_stride[d]`. `positions` is the shape of the positions, and `position_stride` has their strides in the
  // packed tensor.
  void begin(PlaceKind kind, const TensorView& indexed, const bool* is_slice, const Dims& packed_stride,
             const Dims& positions, const Dims& position_stride);
  // Plans the places: the sum of the parts. `direct` has what a step in each dimension of the positions adds, which is
  // 0 or the step in the same dimension of the indexed tensor. An index that is out of range is an error, which is
  // deferred.
  Status find(diopiContextHandle_t ctx, const Dims& direct, const IndexPart* parts, int count);
  // Makes the list, for consumers that need it.
  Status list(diopiContextHandle_t ctx);
  // Allocates the list, which the caller fills.
  Status take_list(diopiContextHandle_t ctx);
  // What kernels read: the index or the list. `check` begins if there is something to check; it may be null.
  Status source(diopiContextHandle_t ctx, DeferredCheck* check, IndexSource* source) const;

  bool is_nothing() const;  // there is nothing to read or write
  // Add the loops of the positions and of the slices to a nest, the innermost first. loop(d, in_source, number) gets
  // the strides of dimension d in the source and of the numbers of positions; loop(d, number) that of the numbers of
  // the elements of a slice.
  template <class Nest, typename F>
  void add_positions(Nest* nest, const F& loop) const;
  template <class Nest, typename F>
  void add_slices(Nest* nest, const F& loop) const;
  // The offset in the indexed tensor of a position is the sum of direct_offset() for its dimensions, plus the element
  // of the source times offset_step(), if has_linear_offsets(). Its place is that of the others.
  bool has_linear_offsets() const { return !is_listed || kind == PlaceKind::kOffsets || targets.n <= 1; }
  int64_t offset_step() const;
  int64_t place_step() const { return is_listed ? 1 : index_place; }
  int64_t direct_offset(int d) const { return is_listed || direct[d] == 0 ? 0 : indexed.stride[d]; }
  int64_t direct_place(int d) const { return is_listed ? 0 : direct[d]; }
};

template <class Nest, typename F>
void Places::add_positions(Nest* nest, const F& loop) const {
  int64_t number = 1;
  for (int d = positions.n - 1; d >= 0; --d) {
    if (positions[d] != 1) (*nest)[nest->n++] = loop(d, is_listed ? number : index_stride[d], number);
    number *= positions[d];
  }
}

template <class Nest, typename F>
void Places::add_slices(Nest* nest, const F& loop) const {
  int64_t number = 1;
  for (int d = indexed.ndim() - 1; d >= 0; --d) {
    if (!is_slice[d]) continue;
    if (indexed.shape[d] != 1) (*nest)[nest->n++] = loop(d, number);
    number *= indexed.shape[d];
  }
}

// A selection of slices: the dimensions of `index` replace the dimension `dim` of `whole` in `picked`.
Status find_slices(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& whole, const TensorView& picked, int dim,
                   const TensorView& index, Places* places);

// The offsets at which a gather reads, and a gather. Writes nothing if the output is empty.
Status run_gather(diopiContextHandle_t ctx, const Places& places, const TensorView& out, const TensorView& in);
// Writes the base to `out`, then `values` at the places, which are numbers. They may be one element on the host.
Status run_scatter(diopiContextHandle_t ctx, ScatterOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& values);
// A scatter along dimension `dim` in one launch, if each line of the output fits a block.
bool find_lines(const TensorView& out, const ScatterBase& base, int dim, const TensorView& src, const TensorView& index,
                ScatterOp op, LinesCall* call);
Status run_lines(diopiContextHandle_t ctx, ScatterOp op, LinesCall call, const TensorView& out, int dim,
                 const TensorView& index);
// The same with sums or means. Positions of places from `limit` on are left out.
Status run_combine(diopiContextHandle_t ctx, PlaceOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& src);

// Whether all elements are one in memory.
bool is_one_element(const TensorView& view);

// Writes the elements of the output before something is written through an index.
Status write_base(diopiContextHandle_t ctx, const TensorView& out, const ScatterBase& base);

// The bits of a term, so that a sum of `count` terms fits 63 bits.
inline int sum_bits(int64_t count) {
  int bits = 62;
  while (int64_t{1} << (62 - bits) < count) --bits;
  return bits;
}

// The positions in the order of their places; positions with one place keep their order.
Status order_places(diopiContextHandle_t ctx, const Places& places, const uint32_t** order);

// last[t] = the greatest position whose place is t, plus one; 0 for places that do not occur.
Status find_last(diopiContextHandle_t ctx, const Places& places, LastCall* last);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_INDEX_PLACES_HPP_
