// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/goto.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/matmul.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/matmul/goto.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/matmul/goto-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

GotoFn GetGoto(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return goto_range<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetGoto);

// The number of row ranges and column ranges of a matrix. The ranges are as square as possible, because each packs its
// operands; of two that are, the one with more row ranges is better, because its blocks of b are wider.
struct Grid {
  int64_t rows = 1, cols = 1;
};

Grid make_grid(int64_t m, int64_t n, int64_t chunks) {
  Grid best{1, chunks};
  double least = 0;
  for (int64_t rows = 1; rows <= chunks; ++rows) {
    if (chunks % rows != 0) continue;
    const Grid grid{rows, chunks / rows};
    const double edge = static_cast<double>(m) / static_cast<double>(grid.rows) +
                        static_cast<double>(n) / static_cast<double>(grid.cols);
    if (rows > 1 && edge > least) continue;
    best = grid;
    least = edge;
  }
  return best;
}

// The begin of range `i` of `count`, a multiple of `step`.
int64_t range_start(int64_t extent, int64_t count, int64_t i, int64_t step) {
  const int64_t steps = (extent + step - 1) / step;
  return std::min(extent, steps * i / count * step);
}

void set_item(const MatmulProblem& p, int64_t index, GotoMatmul* g) {
  const BatchItem item = batch_item(p.out, p.a, p.b, index);
  g->out = item.out;
  g->a = item.a;
  g->b = item.b;
}

// Returns the strides of a matrix that BLAS can use. A dimension of extent 1 gets the stride that the kernel expects.
void set_strides(const TensorView& view, int64_t* row, int64_t* col) {
  BlasLayout layout;
  blas_layout(view, &layout);
  *row = layout.transposed ? 1 : layout.ld;
  *col = layout.transposed ? layout.ld : 1;
}

Status run_packed_out(const MatmulProblem& p, GotoFn kernel) {
  const int row = p.out.ndim() - 2, col = row + 1;
  const int64_t m = p.out.shape[row], n = p.out.shape[col], k = p.a.shape[col], batch = p.out.numel / (m * n);
  GotoMatmul common;
  common.bias = p.bias;
  common.depth = k;
  common.run = p.run;
  set_strides(p.a, &common.a_row, &common.a_col);
  set_strides(p.b, &common.b_row, &common.b_col);
  common.out_row = p.out.stride[row];
  common.accumulate = p.accumulate;
  constexpr int64_t kWorthAThread = int64_t{1} << 17;
  const int64_t threads = omp_in_parallel() ? 1 : omp_get_max_threads();
  const int64_t wanted = std::min((threads + batch - 1) / batch, m * n * k / kWorthAThread + 1);
  const Grid grid = make_grid(m, n, wanted);
  const int64_t chunks = grid.rows * grid.cols, room = kPackRoom * p.out.itemsize();
  char* panels = nullptr;
  DIOPI_TRY(diopi::Workspace(p.ctx).take(room * threads, &panels));
  if (diopi::in_dry_run()) return diopiSuccess;
  diopi::parallel_for(batch * chunks, kWorthAThread / (m * n * k / chunks + 1) + 1, [&](int64_t begin, int64_t end) {
    char* mine = panels + (threads > 1 ? omp_get_thread_num() : 0) * room;
    for (int64_t i = begin; i < end; ++i) {
      GotoMatmul g = common;
      if (chunks == 1 && i + 1 < end) {
        set_item(p, i + 1, &g);
        g.next_b = g.b;
      }
      set_item(p, i / chunks, &g);
      const int64_t r = i % chunks / grid.cols, c = i % grid.cols;
      const int64_t r0 = range_start(m, grid.rows, r, 24), r1 = range_start(m, grid.rows, r + 1, 24);
      const int64_t c0 = range_start(n, grid.cols, c, 16), c1 = range_start(n, grid.cols, c + 1, 16);
      if (r0 < r1 && c0 < c1) kernel(g, r0, r1 - r0, c0, c1 - c0, mine);
    }
  });
  return diopiSuccess;
}

Status run(MatmulProblem p, GotoFn kernel) {
  const diopiDtype_t sums = diopi::compute_dtype(p.a.dtype);
  const int row = p.out.ndim() - 2, col = row + 1;
  BlasLayout layout;
  DIOPI_TRY(as_blas_operand(p.ctx, p.a, &p.a));
  DIOPI_TRY(as_blas_operand(p.ctx, p.b, &p.b));
  const bool transposed = blas_layout(p.out, &layout) && layout.transposed && p.bias == nullptr;
  if (transposed) {  // out^T = b^T a^T
    const TensorView a = p.a;
    p.a = p.b.transposed(row, col);
    p.b = a.transposed(row, col);
    p.out = p.out.transposed(row, col);
  }
  if (p.bias != nullptr && sums != p.a.dtype) {
    float* bias = nullptr;
    DIOPI_TRY(diopi::Workspace(p.ctx).take(p.out.shape[col], &bias));
    cast_contiguous(bias, sums, p.bias, p.a.dtype, p.out.shape[col]);
    p.bias = reinterpret_cast<const char*>(bias);
  }
  const TensorView out = p.out;
  const bool direct = out.dtype == sums && (out.stride[col] == 1 || out.shape[col] == 1);
  if (!direct) {
    DIOPI_TRY(make_temporary(p.ctx, out.shape, sums, &p.out));
    if (p.accumulate) copy_view(p.out, out);
  }
  DIOPI_TRY(run_packed_out(p, kernel));
  if (!direct) copy_view(out, p.out);
  return diopiSuccess;
}

}  // namespace

GotoFn goto_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetGoto)(dtype); }

SkipReason matmul_goto(const MatmulProblem& p, Status* status) {
  const GotoFn kernel = goto_kernel(p.a.dtype);
  if (kernel == nullptr) return "only floating point has a blocked kernel";
  *status = run(p, kernel);
  return nullptr;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
