// SPDX-License-Identifier: BSD-3-Clause
// Sparse maximum pooling. The pairs are sorted by the row that is written, so that a thread owns its rows.
#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/sparse/pairs.hpp"
#include "impl/cpu/sparse/rows.hpp"

namespace impl::cpu {
namespace {

// The pairs by a row: other[start[r]], ..., other[start[r + 1] - 1] are the rows that occur with row r, in the order of
// the kernel positions.
struct PairsByRow {
  int64_t rows = 0;
  int64_t* start = nullptr;
  int32_t* other = nullptr;
};

// `to_output`: the pairs are sorted by the row of the output, otherwise by that of the input.
Status sort_by_row(diopiContextHandle_t ctx, const PackedPairs& pairs, int64_t rows, bool to_output,
                   PairsByRow* found) {
  diopi::Workspace workspace(ctx);
  int64_t total = 0;
  for (int64_t k = 0; k < pairs.positions; ++k) total += pairs.count[k];
  found->rows = rows;
  DIOPI_TRY(workspace.take(rows + 2, &found->start));
  DIOPI_TRY(workspace.take(total, &found->other));
  int64_t* next = found->start + 1;  // next[r] becomes the place of the next pair of row r, and then its end
  std::fill_n(found->start, rows + 2, int64_t{0});
  const auto each = [&](auto f) {
    for (int64_t k = 0; k < pairs.positions; ++k) {
      const int32_t* key = to_output ? pairs.output(k) : pairs.input(k);
      const int32_t* value = to_output ? pairs.input(k) : pairs.output(k);
      for (int64_t j = 0; j < pairs.count[k]; ++j) f(key[j], value[j]);
    }
  };
  each([&](int32_t row, int32_t) { ++next[row + 1]; });
  for (int64_t r = 0; r < rows; ++r) next[r + 1] += next[r];
  each([&](int32_t row, int32_t other) { found->other[next[row]++] = other; });
  return diopiSuccess;
}

// The time of a row of n elements with its share of the pairs.
diopi::Picoseconds row_cost(const PairsByRow& pairs, int64_t n) {
  const int64_t each = pairs.rows == 0 ? 0 : pairs.start[pairs.rows] / pairs.rows + 1;
  return diopi::Picoseconds{each * (n * 200 + 5000)};
}

}  // namespace

Status run_sparse_maxpool(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                          const TensorView& out) {
  const diopiDtype_t dtype = diopi::compute_dtype(features.dtype);
  PackedPairs packed;
  PairsByRow by_row;
  TensorView x, y;
  DIOPI_TRY(pack_pairs(ctx, pairs, &packed));
  DIOPI_TRY(sort_by_row(ctx, packed, out.shape[0], true, &by_row));
  DIOPI_TRY(arrange_input(ctx, features, nullptr, false, dtype, &x));
  DIOPI_TRY(arrange(ctx, out, false, dtype, false, &y));
  if (y.numel == 0) return diopiSuccess;
  fill_zero(y);
  const SparseRowKernels kernels = sparse_row_kernels(dtype);
  const int64_t n = out.shape[1], pitch = n * diopi::dtype_size(dtype);
  char* to = y.data;
  const char* from = x.data;
  diopi::parallel_for(by_row.rows, row_cost(by_row, n), [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = by_row.start[r]; i < by_row.start[r + 1]; ++i) {
        kernels.maximum(to + r * pitch, from + by_row.other[i] * pitch, n);
      }
    }
  });
  put_back(out, y);
  return diopiSuccess;
}

Status run_sparse_maxpool_backward(diopiContextHandle_t ctx, const SparsePairs& pairs, const TensorView& features,
                                   const TensorView& out, const TensorView& grad_out, const TensorView& grad) {
  const diopiDtype_t dtype = diopi::compute_dtype(features.dtype);
  PackedPairs packed;
  PairsByRow by_row;
  TensorView x, y, dy, dx;
  DIOPI_TRY(pack_pairs(ctx, pairs, &packed));
  DIOPI_TRY(sort_by_row(ctx, packed, features.shape[0], false, &by_row));
  DIOPI_TRY(arrange_input(ctx, features, nullptr, false, dtype, &x));
  DIOPI_TRY(arrange_input(ctx, out, nullptr, false, dtype, &y));
  DIOPI_TRY(arrange_input(ctx, grad_out, nullptr, false, dtype, &dy));
  DIOPI_TRY(arrange(ctx, grad, false, dtype, false, &dx));
  if (dx.numel == 0) return diopiSuccess;
  fill_zero(dx);
  const SparseRowKernels kernels = sparse_row_kernels(dtype);
  const int64_t n = features.shape[1], pitch = n * diopi::dtype_size(dtype);
  char* to = dx.data;
  const char *from = dy.data, *input = x.data, *maximum = y.data;
  diopi::parallel_for(by_row.rows, row_cost(by_row, 2 * n), [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = by_row.start[r]; i < by_row.start[r + 1]; ++i) {
        const int64_t o = by_row.other[i] * pitch;
        kernels.add_where_equal(to + r * pitch, from + o, input + r * pitch, maximum + o, n);
      }
    }
  });
  put_back(grad, dx);
  return diopiSuccess;
}

}  // namespace impl::cpu
