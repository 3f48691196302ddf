// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through advanced indices.
#include <algorithm>

#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

namespace {

// The list of the numbers of the true elements of a mask.
TensorView list_of(const AdvancedIndex::Entry& entry) {
  TensorView list;
  list.name = entry.index.name;
  list.data = reinterpret_cast<char*>(entry.found.counts);
  list.dtype = diopi_dtype_int64;
  list.numel = entry.found.count;
  list.shape.push_back(entry.found.count);
  list.stride.push_back(1);
  return list;
}

// `indexed` is the tensor with the indexed dimensions; the other one has the strides `packed`.
Status find_advanced(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& indexed, const Dims& packed,
                     const AdvancedIndex& index, Places* places) {
  const Dims& positions = index.positions();
  bool is_slice[diopi::kMaxDims];
  Dims packed_stride = indexed.stride, position_stride, direct;
  int at = index.first() == 0 ? positions.n : 0;
  for (int d = 0; d < indexed.ndim(); ++d) {
    is_slice[d] = !index.is_indexed(d);
    if (!is_slice[d]) continue;
    packed_stride[d] = packed[at];
    if (++at == index.first()) at += positions.n;
  }
  for (int d = 0; d < positions.n; ++d) {
    position_stride.push_back(packed[index.first() + d]);
    direct.push_back(0);
  }
  places->begin(kind, indexed, is_slice, packed_stride, positions, position_stride);
  TensorView lists[diopi::kMaxDims];
  IndexPart parts[diopi::kMaxDims];
  int count = 0;
  for (const AdvancedIndex::Entry& entry : index) {
    lists[count] = entry.is_mask ? list_of(entry) : entry.index;
    parts[count] = {&lists[count], lists[count].expand(positions).stride, entry.dim, entry.dims, !entry.is_mask};
    ++count;
  }
  return places->find(ctx, direct, parts, count);
}

}  // namespace

Status gather(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const AdvancedIndex& index) {
  Places places;
  DIOPI_TRY(find_advanced(ctx, PlaceKind::kOffsets, in, out.stride, index, &places));
  return run_gather(ctx, places, out, in);
}

Status scatter(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base,
               const TensorView& src, const AdvancedIndex& index) {
  Places places;
  DIOPI_TRY(find_advanced(ctx, PlaceKind::kNumbers, out, src.stride, index, &places));
  return run_scatter(ctx, op, places, out, base, src);
}

}  // namespace impl::cuda
