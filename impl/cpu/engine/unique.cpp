// SPDX-License-Identifier: BSD-3-Clause
// Finds distinct rows: sorts the first elements of the rows, then the rows whose first elements are equal. Integers of
// a small range are not sorted.
#include "impl/common/engine/unique.hpp"

#include <algorithm>

#include "impl/common/engine/sort.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/common/unsupported.hpp"
#include "impl/cpu/sort/distinct.hpp"
#include "impl/cpu/sort/distinct_integers.hpp"

namespace impl::cpu {

using diopi::Dims;

namespace {

Dims line_shape(int64_t n) {
  Dims shape;
  shape.push_back(n);
  return shape;
}

// The rows as a row-major matrix, in a dtype for which there are kernels.
Status matrix_of(diopiContextHandle_t ctx, const TensorView& rows, TensorView* matrix) {
  diopiDtype_t dtype = diopi::compute_dtype(rows.dtype);
  *matrix = rows;
  if (!rows.is_contiguous() || dtype != rows.dtype) {
    DIOPI_TRY(diopi::make_temporary(ctx, rows.shape, dtype, rows.name, matrix));
    copy_view(*matrix, rows);
  }
  if (dtype == diopi_dtype_bool) matrix->dtype = diopi_dtype_uint8;
  const int64_t n = rows.shape[0], length = rows.numel / n;
  matrix->shape = matrix->stride = Dims();
  matrix->shape.push_back(n);
  matrix->shape.push_back(length);
  matrix->stride = diopi::contiguous_strides(matrix->shape);
  return diopiSuccess;
}

// What `details` of DistinctRows points to: either rows in increasing order, or a table of integers.
struct Groups {
  const int64_t* order = nullptr;   // the numbers of all rows in increasing order
  const int64_t* starts = nullptr;  // where the groups begin in that order
  const IntegerKernels* kernels = nullptr;
  IntegerRange range;
  const uint32_t* numbers = nullptr;  // the number of the group of each integer of the range
};

const Groups& groups_of(const DistinctRows& found) { return *static_cast<const Groups*>(found.details); }

// Whether a table with an entry for each integer of the range takes about as much memory as the sort.
bool is_small(const IntegerRange& range) {
  constexpr uint64_t kLeast = 1024, kEntries = 4;  // entries for each element
  const auto n = static_cast<uint64_t>(range.n);
  return n < kNoPosition && range.extent < std::max(kLeast, kEntries * n);
}

Status find_integers(diopiContextHandle_t ctx, Groups* groups, DistinctRows* found) {
  const IntegerRange& range = groups->range;
  uint32_t* table = nullptr;
  const auto entries = static_cast<int64_t>(range.extent) + 1;
  DIOPI_TRY(diopi::Workspace(ctx).take(entries, &table));
  std::fill_n(table, entries, kNoPosition);
  groups->kernels->find_first(range, table);
  found->count = entries - std::count(table, table + entries, kNoPosition);
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(found->count), diopi_dtype_int64, "input", &found->firsts));
  auto* const firsts = found->firsts.ptr<int64_t>();
  uint32_t k = 0;
  for (int64_t i = 0; i < entries; ++i) {
    if (table[i] == kNoPosition) continue;
    firsts[k] = table[i];
    table[i] = k++;
  }
  groups->numbers = table;
  return diopiSuccess;
}

Status find_sorted(diopiContextHandle_t ctx, const TensorView& matrix, Groups* groups, DistinctRows* found) {
  const DistinctKernels& kernels = *distinct_kernels(matrix.dtype);
  const int64_t n = matrix.shape[0];
  TensorView order, begin, sorted;
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(n), diopi_dtype_int64, matrix.name, &order));
  const bool single = matrix.shape[1] == 1;
  if (single) DIOPI_TRY(diopi::make_temporary(ctx, line_shape(n), matrix.dtype, matrix.name, &sorted));
  DIOPI_TRY(run_sort(ctx, single ? &sorted : nullptr, order, matrix.select(1, 0), 0, false));
  const SortedRows rows{matrix.data, n, matrix.shape[1], order.ptr<int64_t>(), single ? sorted.data : nullptr};
  if (!single) kernels.sort_ties(rows);
  int64_t* starts = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take((n + kDistinctChunk - 1) / kDistinctChunk, &starts));
  found->count = kernels.count(rows, starts);
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(found->count + 1), diopi_dtype_int64, matrix.name, &begin));
  auto* const group_begin = begin.ptr<int64_t>();
  kernels.list(rows, starts, group_begin);
  group_begin[found->count] = n;
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(found->count), diopi_dtype_int64, matrix.name, &found->firsts));
  for (int64_t k = 0; k < found->count; ++k) found->firsts.ptr<int64_t>()[k] = rows.order[group_begin[k]];
  groups->order = rows.order;
  groups->starts = group_begin;
  return diopiSuccess;
}

}  // namespace

Status find_distinct(diopiContextHandle_t ctx, const TensorView& rows, DistinctRows* found) {
  TensorView matrix;
  DIOPI_TRY(matrix_of(ctx, rows, &matrix));
  if (distinct_kernels(matrix.dtype) == nullptr) return diopi::unsupported_dtype(rows.dtype, {&rows});
  Groups* groups = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(1, &groups));
  *groups = Groups();
  found->details = groups;
  groups->kernels = matrix.shape[1] == 1 ? integer_kernels(matrix.dtype) : nullptr;
  if (groups->kernels != nullptr) {
    groups->range = {matrix.data, matrix.shape[0]};
    groups->kernels->find_range(&groups->range);
    if (is_small(groups->range)) return find_integers(ctx, groups, found);
  }
  return find_sorted(ctx, matrix, groups, found);
}

namespace {

template <typename T>
void number_rows(const TensorView& group, const DistinctRows& found) {
  const int64_t *const order = groups_of(found).order, *const starts = groups_of(found).starts;
  T* const out = group.ptr<T>();
  const int64_t stride = group.stride[0], n = group.shape[0];
  diopi::parallel_for(n, diopi::Picoseconds{2000}, [=, &found](int64_t begin, int64_t end) {
    int64_t k = std::upper_bound(starts, starts + found.count + 1, begin) - starts - 1;
    for (int64_t i = begin; i < end; ++i) {
      while (starts[k + 1] <= i) ++k;
      out[order[i] * stride] = static_cast<T>(k);
    }
  });
}

}  // namespace

Status write_groups(diopiContextHandle_t ctx, const TensorView& group, const DistinctRows& found) {
  const Groups& groups = groups_of(found);
  const bool wide = group.dtype == diopi_dtype_int64;
  if (groups.numbers != nullptr) {
    diopi::parallel_for(group.shape[0], diopi::Picoseconds{1000}, [&groups, &group, wide](int64_t begin, int64_t end) {
      groups.kernels->look_up(groups.range, groups.numbers, begin, end, group.data, group.stride[0], wide);
    });
    return diopiSuccess;
  }
  wide ? number_rows<int64_t>(group, found) : number_rows<int32_t>(group, found);
  return diopiSuccess;
}

Status write_group_sizes(diopiContextHandle_t ctx, const TensorView& size, const DistinctRows& found) {
  const Groups& groups = groups_of(found);
  auto* const sizes = size.ptr<int64_t>();
  if (groups.numbers != nullptr) {
    std::fill_n(sizes, found.count, int64_t{0});
    groups.kernels->count(groups.range, groups.numbers, sizes);
    return diopiSuccess;
  }
  for (int64_t k = 0; k < found.count; ++k) sizes[k] = groups.starts[k + 1] - groups.starts[k];
  return diopiSuccess;
}

}  // namespace impl::cpu
