// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through advanced indices, and through masks.
#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index_tensor/offsets.hpp"
#include "impl/cpu/tensor/nonzero.hpp"

namespace impl::cpu {

using diopi::Dims;

namespace {

// The offsets of the true elements in a tensor of the mask's shape with strides `stride`.
Status true_offsets(diopiContextHandle_t ctx, const TrueElements& found, const Dims& stride, OffsetTable* table) {
  DIOPI_TRY(table->reserve(ctx, found.count));
  mask_offsets(found.mask.ptr<const uint8_t>(), found.mask.shape, stride, found.counts, table->data());
  return diopiSuccess;
}

// The plan of an advanced index for the index engine.
struct AdvancedOffsets {
  OffsetTable table, packed;
  IndexMap map;
  IndexSlices slices;

  // `indexed` is the tensor with the indexed dimensions; the other one has the strides `packed_stride`.
  Status prepare(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& packed_stride,
                 const AdvancedIndex& index) {
    const Dims& positions = index.positions();
    map.count = positions.product();
    DIOPI_TRY(table.reserve(ctx, map.count));
    map.table = table.data();
    if (index.begin() == index.end() || index.begin()->is_mask) std::fill_n(table.data(), map.count, 0);
    for (const AdvancedIndex::Entry& entry : index) {
      if (map.count > 0) DIOPI_TRY(add_entry(ctx, indexed, positions, entry, &entry == index.begin()));
    }
    return plan(ctx, indexed, packed_stride, index);
  }

 private:
  Status add_entry(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& positions,
                   const AdvancedIndex::Entry& entry, bool first) {
    OffsetTable scratch;
    const int64_t* values = nullptr;
    if (!entry.is_mask) {
      DIOPI_TRY(packed_index(ctx, entry.index, positions, &scratch, &values));
      const IndexedDim at{&indexed, entry.dim, indexed.shape[entry.dim], indexed.stride[entry.dim], true};
      return add_checked_offsets(table.data(), values, map.count, entry.index, at, first);
    }
    // The offsets of a mask's true elements are broadcast like an index.
    OffsetTable offsets;
    Dims stride;
    stride.n = entry.dims;
    std::copy_n(indexed.stride.v + entry.dim, entry.dims, stride.v);
    DIOPI_TRY(true_offsets(ctx, entry.found, stride, &offsets));
    TensorView list = entry.index;
    list.data = reinterpret_cast<char*>(offsets.data());
    list.dtype = diopi_dtype_int64;
    list.numel = list.shape[0] = entry.found.count;
    list.shape.n = list.stride.n = 1;
    list.stride[0] = 1;
    DIOPI_TRY(packed_index(ctx, list, positions, &scratch, &values));
    for (int64_t k = 0; k < map.count; ++k) table.data()[k] += values[k];
    return diopiSuccess;
  }

  Status plan(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& packed_stride,
              const AdvancedIndex& index) {
    const Dims& positions = index.positions();
    map.reach = 0;
    for (int d = 0; d < indexed.ndim(); ++d) map.reach += (indexed.shape[d] - 1) * indexed.stride[d];
    Dims stride;
    stride.n = positions.n;
    std::copy_n(packed_stride.v + index.first(), positions.n, stride.v);
    DIOPI_TRY(packed_positions(ctx, positions, stride, &packed, &map));
    int at = index.first() == 0 ? positions.n : 0;
    for (int d = 0; d < indexed.ndim(); ++d) {
      if (index.is_indexed(d)) continue;
      slices.push_back(indexed.shape[d], indexed.stride[d], packed_stride[at]);
      if (++at == index.first()) at += positions.n;
    }
    return diopiSuccess;
  }
};

Status write_slices(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const TensorView& src,
                    const IndexMap& map, const IndexSlices& slices) {
  if (op == ScatterOp::kAdd)
    return accumulate_slices(ctx, Accumulate::kAdd, out.dtype, out.data, src.data, map, slices);
  if (op == ScatterOp::kMultiply) {
    return accumulate_slices(ctx, Accumulate::kMultiply, out.dtype, out.data, src.data, map, slices);
  }
  if (!diopi::in_dry_run()) scatter_slices(out.data, src.data, out.itemsize(), map, slices);
  return diopiSuccess;
}

}  // namespace

Status gather(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const AdvancedIndex& index) {
  AdvancedOffsets offsets;
  DIOPI_TRY(offsets.prepare(ctx, in, out.stride, index));
  gather_slices(out.data, in.data, in.itemsize(), offsets.map, offsets.slices);
  return diopiSuccess;
}

Status scatter(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base,
               const TensorView& src, const AdvancedIndex& index) {
  AdvancedOffsets offsets;
  DIOPI_TRY(offsets.prepare(ctx, out, src.stride, index));
  offsets.map.long_sums = op == ScatterOp::kAdd && has_long_sums(out.dtype, offsets.map);
  return diopi::run_steps([&] { return write_base(ctx, out, base); },
                          [&] { return write_slices(ctx, op, out, src, offsets.map, offsets.slices); });
}

Status find_true(diopiContextHandle_t ctx, const TensorView& mask, TrueElements* found) {
  found->mask = mask;
  const bool is_packed = mask.is_contiguous() && (mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8);
  if (!is_packed) {
    TensorView& packed = found->mask;
    DIOPI_TRY(diopi::Workspace(ctx).take(mask.numel, &packed.data));
    packed.dtype = diopi_dtype_bool;
    packed.stride = diopi::contiguous_strides(mask.shape);
    copy_view(packed, mask);
  }
  const int64_t chunks = mask_chunks(mask.numel) + 1;
  found->counts = found->few_counts;
  if (chunks > TrueElements::kFew) DIOPI_TRY(diopi::Workspace(ctx).take(chunks, &found->counts));
  found->count = count_mask(found->mask.ptr<const uint8_t>(), mask.numel, found->counts);
  return diopiSuccess;
}

Status true_coordinates(diopiContextHandle_t ctx, const TensorView& out, const TrueElements& found) {
  if (out.numel == 0) return diopiSuccess;
  mask_coordinates(found.mask.ptr<const uint8_t>(), found.mask.shape, found.counts, out.ptr<int64_t>(), out.stride[0],
                   out.stride[1]);
  return diopiSuccess;
}

Status gather_true(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const TrueElements& found) {
  OffsetTable table;
  DIOPI_TRY(true_offsets(ctx, found, in.stride, &table));
  IndexMap map;
  map.count = found.count;
  map.table = table.data();
  map.packed_step = out.stride[0];
  gather_slices(out.data, in.data, in.itemsize(), map, {});
  return diopiSuccess;
}

Status add_true(diopiContextHandle_t ctx, const TensorView& out, const TensorView& src, const TrueElements& found) {
  OffsetTable table;
  DIOPI_TRY(true_offsets(ctx, found, out.expand(found.mask.shape).stride, &table));
  IndexMap map;
  map.count = found.count;
  map.table = table.data();
  map.packed_step = src.stride[0];
  // If the mask is broadcast, an element of the input gets several gradients.
  const ScatterOp op = found.mask.numel == out.numel ? ScatterOp::kReplace : ScatterOp::kAdd;
  return diopi::run_steps([&] { return write_base(ctx, out, ScatterBase::zeros()); },
                          [&] { return write_slices(ctx, op, out, src, map, {}); });
}

}  // namespace impl::cpu
