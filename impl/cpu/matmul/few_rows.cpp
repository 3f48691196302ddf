// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/few_rows.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/matmul.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/matmul/few_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/matmul/few_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

FewRowsFn GetFewRows(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return few_rows_columns<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetFewRows);

// The product itself if it has few rows, or its transpose if it has few columns.
struct Oriented {
  TensorView out, a, b;
  bool transposed;
};

Oriented orient(const MatmulProblem& p) {
  const int row = p.out.ndim() - 2, col = row + 1;
  if (p.out.shape[row] <= p.out.shape[col]) return {p.out, p.a, p.b, false};
  return {p.out.transposed(row, col), p.b.transposed(row, col), p.a.transposed(row, col), true};
}

// Converts `a` to the type of the sums, with packed k. A matrix that several batches share is converted once.
Status widen_rows(diopiContextHandle_t ctx, diopiDtype_t sum_dtype, TensorView* a) {
  const int k = a->ndim() - 1;
  if (a->dtype == sum_dtype && (a->stride[k] == 1 || a->shape[k] == 1)) return diopiSuccess;
  TensorView once = *a, copy;
  for (int dim = 0; dim < k - 1; ++dim) {
    if (once.stride[dim] == 0) once.shape[dim] = 1;
  }
  once.numel = once.shape.product();
  DIOPI_TRY(make_temporary(ctx, once.shape, sum_dtype, &copy));
  copy_view(copy, once);
  *a = copy.expand(a->shape);
  return diopiSuccess;
}

FewRowsMatmul describe(const MatmulProblem& p, const Oriented& o, const BlasLayout& layout) {
  const int row = o.out.ndim() - 2, col = row + 1;
  FewRowsMatmul g;
  g.bias = p.bias;
  (o.transposed ? g.bias_row : g.bias_col) = 1;
  g.rows = o.out.shape[row];
  g.depth = o.a.shape[col];
  g.a_row = o.a.stride[row];
  g.b_line = layout.ld;
  g.out_row = o.out.stride[row];
  g.out_col = o.out.stride[col];
  g.dots = layout.transposed;
  g.wide_out = o.out.dtype != p.a.dtype;
  g.ahead = fetches_ahead() && o.b.numel * o.b.itemsize() > second_level_cache();
  g.accumulate = p.accumulate;
  return g;
}

void set_item(const Oriented& o, int64_t index, FewRowsMatmul* g) {
  const BatchItem item = batch_item(o.out, o.a, o.b, index);
  g->out = item.out;
  g->a = item.a;
  g->b = item.b;
}

// Computes a product of at most kFewRows rows.
Status run(const MatmulProblem& p, Oriented o, const BlasLayout& layout, FewRowsFn kernel) {
  const diopiDtype_t sum_dtype = diopi::compute_dtype(p.a.dtype);
  DIOPI_TRY(widen_rows(p.ctx, sum_dtype, &o.a));
  const FewRowsMatmul common = describe(p, o, layout);
  const int64_t cols = o.out.shape[o.out.ndim() - 1], batch = o.out.numel / (common.rows * cols);
  // A chunk is wide enough for fast reads and narrow enough to divide the work evenly among threads.
  const int64_t chunk_cols = common.dots ? std::clamp<int64_t>(cols / 64 * 8, 8, 64) : 512;
  const int64_t chunks = (cols + chunk_cols - 1) / chunk_cols;
  const int64_t room = common.dots ? 0 : 2 * common.rows * few_rows_stride(common.rows) * diopi::dtype_size(sum_dtype);
  char* sums = nullptr;
  if (room > 0) DIOPI_TRY(diopi::Workspace(p.ctx).take(room * omp_get_max_threads(), &sums));
  if (diopi::in_dry_run()) return diopiSuccess;
  const int64_t cost = common.rows * std::min(chunk_cols, cols) * common.depth;
  const bool nested = omp_in_parallel() != 0;  // if so, parallel_for uses only this thread
  diopi::parallel_for(batch * chunks, 65536 / (cost + 1) + 1, [&](int64_t begin, int64_t end) {
    char* mine = sums + (nested ? 0 : omp_get_thread_num()) * room;
    for (int64_t chunk = begin; chunk < end;) {
      const int64_t item = chunk / chunks, stop = std::min(end, (item + 1) * chunks);
      FewRowsMatmul g = common;
      set_item(o, item, &g);
      kernel(g, (chunk - item * chunks) * chunk_cols, std::min(cols, (stop - item * chunks) * chunk_cols), mine);
      chunk = stop;
    }
  });
  return diopiSuccess;
}

}  // namespace

FewRowsFn few_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetFewRows)(dtype); }

SkipReason matmul_few_rows(const MatmulProblem& p, Status* status) {
  const FewRowsFn kernel = few_rows_kernel(p.a.dtype);
  if (kernel == nullptr) return "only floating point has a kernel for few rows";
  if (p.run > 0) return "it does not divide sums into runs";
  Oriented o = orient(p);
  BlasLayout layout;
  *status = as_blas_operand(p.ctx, o.b, &o.b);
  blas_layout(o.b, &layout);
  if (!status->ok()) return nullptr;
  const int row = o.out.ndim() - 2;
  if (o.out.shape[row + 1] == 1 && o.b.stride[row] == 1) layout = {true, o.b.shape[row]};  // one column is one line
  const int64_t rows = o.out.shape[row];
  const auto rows_from = [&](int64_t begin) {
    const int64_t count = std::min(kFewRows, rows - begin);
    MatmulProblem chunk = p;
    if (o.transposed && p.bias != nullptr) chunk.bias = p.bias + begin * p.a.itemsize();
    return run(chunk, {o.out.narrow(row, begin, count), o.a.narrow(row, begin, count), o.b, o.transposed}, layout,
               kernel);
  };
  if (rows <= kFewRows) {
    *status = rows_from(0);
    return nullptr;
  }
  diopi::StepMemory memory;  // sized for the first chunk, which is the largest
  *status = memory.reserve([&] { return rows_from(0); });
  for (int64_t begin = 0; begin < rows && status->ok(); begin += kFewRows) {
    *status = memory.run([&] { return rows_from(begin); });
  }
  return nullptr;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
