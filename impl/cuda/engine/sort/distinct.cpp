// SPDX-License-Identifier: BSD-3-Clause
// Distinct rows: sorts by the last element of the rows first and by the first one last, and marks where groups begin.
#include "impl/common/engine/unique.hpp"
#include "impl/common/sort_key.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index/compact.hpp"
#include "impl/cuda/engine/sort/order.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/elementwise/any.hpp"
#include "impl/cuda/kernels/sort/distinct.hpp"

namespace impl::cuda {

namespace {

// Longer rows are left to the host, because each of their elements takes a sort.
constexpr int64_t kLongestRow = 64;

const GroupsCall& groups_of(const DistinctRows& found) { return *static_cast<const GroupsCall*>(found.details); }

// The bits of the keys of one column. A sort of fewer bits takes fewer passes, and the range takes less time than half
// of those of int64.
Status find_bits(diopiContextHandle_t ctx, const TensorView& rows, RowsCall* call, int* bits) {
  *bits = static_cast<int>(8 * rows.itemsize());
  if (rows.dtype != diopi_dtype_int64 || call->length != 1 || call->n <= kMostInBlock) return diopiSuccess;
  int64_t least = 0, most = 0;
  DIOPI_TRY(find_range(ctx, rows, &least, &most));
  call->least = diopi::ordered_key(static_cast<uint64_t>(least), diopi::key_rule(rows.dtype));
  const uint64_t range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
  *bits = 1;
  while (*bits < 64 && range >> *bits != 0) ++*bits;
  return diopiSuccess;
}

// Sorts the rows. Each column takes the memory of its own sort, because the buffers of the order before are read.
Status sort_rows(diopiContextHandle_t ctx, cudaStream_t stream, int bits, RowsCall* rows) {
  KeyRows sorts[2];  // for one column and the next
  for (KeyRows& sort : sorts) {
    sort.n = rows->n;
    sort.bits = bits;
    if (&sort == sorts || rows->length > 1) DIOPI_TRY(sort.reserve(ctx));
  }
  for (int64_t column = rows->length - 1; column >= 0; --column) {
    KeyRows& sort = sorts[column % 2];
    DIOPI_TRY(checked(make_column_keys(stream, *rows, column, sort.wide(), sort.keys[0]), "making keys"));
    DIOPI_TRY(sort.sort(ctx));
    auto* const order = const_cast<uint32_t*>(sort.order());
    if (rows->order != nullptr) {
      DIOPI_TRY(checked(compose_orders(stream, rows->n, rows->order, order), "an order of rows"));
    }
    rows->order = order;
  }
  return diopiSuccess;
}

}  // namespace

Status find_distinct(diopiContextHandle_t ctx, const TensorView& rows, DistinctRows* found) {
  RowsCall call{};
  call.n = rows.shape[0];
  call.length = rows.numel / call.n;
  if (call.length > kLongestRow) return diopiForceFallbackToCPU;
  call.row_stride = rows.stride[0];
  for (int d = rows.ndim() - 1; d > 0; --d) call.elements.push_back(rows.shape[d], rows.stride[d]);
  call.dtype = rows.dtype;
  call.data = rows.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  int bits = 0;
  DIOPI_TRY(find_bits(ctx, rows, &call, &bits));
  DIOPI_TRY(sort_rows(ctx, stream, bits, &call));
  uint8_t* heads = nullptr;
  int64_t* starts = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(call.n, &heads));
  DIOPI_TRY(checked(mark_heads(stream, call, heads), "comparing rows"));
  DIOPI_TRY(list_true(ctx, heads, call.n, &found->count, &starts));
  GroupsCall* groups = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(1, &groups));
  *groups = {call.n, found->count, starts, call.order};
  found->details = groups;
  diopi::Dims shape;
  shape.push_back(found->count);
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_int64, rows.name, &found->firsts));
  return checked(write_firsts(stream, *groups, found->firsts.ptr<int64_t>()), "listing groups");
}

Status write_groups(diopiContextHandle_t ctx, const TensorView& group, const DistinctRows& found) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  const GroupsCall& groups = groups_of(found);
  const bool is_int64 = group.dtype == diopi_dtype_int64;
  return checked(number_rows(stream, groups, group.data, group.stride[0], is_int64), "numbering rows");
}

Status write_group_sizes(diopiContextHandle_t ctx, const TensorView& size, const DistinctRows& found) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(write_sizes(stream, groups_of(found), size.ptr<int64_t>()), "writing sizes of groups");
}

}  // namespace impl::cuda
