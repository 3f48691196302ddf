// SPDX-License-Identifier: BSD-3-Clause
// Sums and products of the elements that an index sends to one place.
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/sort/order.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

namespace {

using Sum = unsigned long long;  // NOLINT(google-runtime-int): the type of CUDA's atomics

// Whether sums that need no sort are the faster ones: there are not many more places than terms.
bool prefers_sums(PlaceOp op, const Places& places, diopiDtype_t dtype) {
  constexpr int64_t kMostTerms = int64_t{1} << 24;
  const int64_t count = places.loops.count;
  return op == PlaceOp::kAdd && has_sums(dtype) && places.limit <= 2 * count && count <= kMostTerms;
}

bool goes_outside(const diopi::Loop<4>& a, const diopi::Loop<4>& b) {
  return std::abs(a.stride[0]) > std::abs(b.stride[0]);
}

Status add_all_terms(diopiContextHandle_t ctx, cudaStream_t stream, const Places& p, SumsCall* call) {
  p.add_slices(&call->loops, [&](int d, int64_t number) {
    return diopi::Loop<4>(p.indexed.shape[d], p.packed_stride[d], number, 0, 0);
  });
  p.add_positions(&call->loops, [&](int d, int64_t in_source, int64_t number) {
    const int64_t direct = p.direct_place(d) * p.loops.slice;
    return diopi::Loop<4>(p.positions[d], p.position_stride[d], direct, in_source, number);
  });
  call->loops.sort(goes_outside);
  call->loops.merge();
  call->step = p.place_step() * p.loops.slice;
  call->bits = sum_bits(p.loops.count);
  DeferredCheck check;
  DIOPI_TRY(p.source(ctx, &check, &call->source));
  DIOPI_TRY(add_to_sums(stream, *call));
  return check.end();
}

Status write_totals(cudaStream_t stream, const Places& p, const SumsCall& sums, const TensorView& out) {
  TotalsCall call{};
  p.add_slices(&call.loops,
               [&](int d, int64_t number) { return diopi::Loop<2>(p.indexed.shape[d], p.indexed.stride[d], number); });
  int64_t number = p.loops.slice;
  for (int i = 0; i < p.targets.n; ++i) {
    call.loops.push_back(p.targets[i].extent, p.targets[i].stride[0], number);
    number *= p.targets[i].extent;
  }
  call.loops.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  call.loops.merge();
  call.dtype = out.dtype;
  call.bits = sums.bits;
  call.out = out.data;
  call.sums = sums.sums;
  call.tops = sums.tops;
  call.bin_step = sums.bin_step;
  return add_totals(stream, call);
}

// Whether floating numbers have bins: they save time if places have many terms, and the bins stay in the cache.
bool prefers_bins(const Places& p) {
  constexpr int64_t kMostBytes = int64_t{32} << 20, kManyTerms = 8;
  const int64_t bytes = p.limit * p.loops.slice * bins_of_place() * static_cast<int64_t>(sizeof(Sum));
  return p.loops.count >= kManyTerms * p.limit && bytes <= kMostBytes;
}

// Sums of integers and floating numbers that do not depend on the order of the terms.
Status run_sums(diopiContextHandle_t ctx, const Places& p, const TensorView& out, const ScatterBase& base,
                const TensorView& src) {
  const bool is_floating = diopi::is_floating(out.dtype), has_bins = is_floating && prefers_bins(p);
  const bool has_tops = is_floating && !has_bins;
  const int64_t count = p.limit * p.loops.slice, sums = count * (has_bins ? bins_of_place() : 1);
  const auto bytes = static_cast<int64_t>(sums * sizeof(Sum) + (has_tops ? count * sizeof(unsigned) : 0));
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(bytes, &memory));
  if (p.is_nothing()) return write_base(ctx, out, base);
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(checked(cudaMemsetAsync(memory, 0, static_cast<size_t>(bytes), stream), "setting memory"));
  SumsCall call{};
  call.dtype = out.dtype;
  call.src = src.data;
  call.sums = static_cast<Sum*>(memory);
  call.tops = has_tops ? reinterpret_cast<unsigned*>(call.sums + count) : nullptr;
  call.bin_step = has_bins ? count : 0;
  DIOPI_TRY(add_all_terms(ctx, stream, p, &call));
  DIOPI_TRY(write_base(ctx, out, base));
  return write_totals(stream, p, call, out);
}

}  // namespace

Status run_combine(diopiContextHandle_t ctx, PlaceOp op, const Places& plan, const TensorView& out,
                   const ScatterBase& base, const TensorView& src) {
  if (prefers_sums(op, plan, out.dtype)) return run_sums(ctx, plan, out, base, src);
  Places places = plan;
  DIOPI_TRY(places.list(ctx));
  CombineCall call{};
  DIOPI_TRY(order_places(ctx, places, &call.order));
  DIOPI_TRY(write_base(ctx, out, base));
  if (places.is_nothing()) return diopiSuccess;
  call.loops = places.loops;
  call.targets = places.targets;
  call.op = op;
  call.limit = places.limit;
  call.out = out.data;
  call.src = src.data;
  call.places = places.places;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(combine_places(stream, out.dtype, call), "adding through an index");
}

Status order_places(diopiContextHandle_t ctx, const Places& places, const uint32_t** order) {
  KeyRows rows;
  rows.n = places.loops.count;
  // Places that are left out have the number `limit`.
  while (rows.bits < 64 && static_cast<uint64_t>(places.limit) >> rows.bits != 0) ++rows.bits;
  DIOPI_TRY(rows.reserve(ctx));
  if (!places.is_nothing()) {
    cudaStream_t stream = nullptr;
    DIOPI_TRY(stream_of(ctx, &stream));
    DIOPI_TRY(checked(keys_of_numbers(stream, places.places, rows.n, rows.wide(), rows.keys[0]), "making keys"));
    DIOPI_TRY(rows.sort(ctx));
  }
  *order = rows.order();
  return diopiSuccess;
}

}  // namespace impl::cuda
