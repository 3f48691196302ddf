// SPDX-License-Identifier: BSD-3-Clause
// Matrix products through oneDNN: float32, and bfloat16 if the processor has instructions for it.
//
// oneDNN divides some sums among its threads, so their rounding depends on the number of threads. With AVX-512, it does
// not divide the sums of packed operands that are not too long; only for those does oneDNN use its own threads. Other
// float32 products are divided into chunks of one thread each. Large bfloat16 products are divided into tiles; small
// ones are packed and summed tile by tile.
#include <algorithm>
#include <cstring>

#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/onednn.hpp"
#include "impl/cpu/matmul/tiling.hpp"
#include "impl/cpu/onednn/compat.hpp"

namespace impl::cpu {
namespace {

constexpr int64_t kSmall = 1 << 13;  // multiply-adds; a smaller tile is faster in the plain kernel

// Batch dimensions that are broadcast get extent 1, which is how oneDNN describes them.
dnnl::memory::desc matrix_desc(TensorView view) {
  BlasLayout layout;
  if (!blas_layout(view, &layout)) throw dnnl::error(dnnl_unimplemented, "a matrix without a packed dimension");
  const int row = view.ndim() - 2, col = view.ndim() - 1;
  view.stride[layout.transposed ? row : col] = 1;
  view.stride[layout.transposed ? col : row] = layout.ld;
  int64_t reach = layout.ld * view.shape[layout.transposed ? col : row];
  for (int dim = row - 1; dim >= 0; --dim) {
    if (view.stride[dim] == 0 || view.shape[dim] == 1) {
      view.shape[dim] = 1;
      view.stride[dim] = reach;
    }
    reach = std::max(reach, view.shape[dim] * view.stride[dim]);
  }
  return onednn::memory_desc(view);
}

// oneDNN must have a kernel that reads panels of pairs directly; otherwise packing them does not pay.
void require_own_kernel(const char* implementation) {
  if (std::strncmp(implementation, "brg", 3) != 0)
    throw dnnl::error(dnnl_unimplemented, "no kernel for panels of pairs");
}

void build(onednn::Program& program, const void* problem) {
  const auto& b = *static_cast<const MatmulRequest::Problem*>(problem);
  dnnl::primitive_attr attributes = onednn::default_attributes();
  if (b.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  const dnnl::memory::desc panels({b.b.shape[0], b.b.shape[1]}, dnnl::memory::data_type::bf16,
                                  dnnl::memory::format_tag::BA16a64b2a);
  const int left = program.slot(matrix_desc(b.a)), right = program.slot(b.vnni ? panels : matrix_desc(b.b));
  const int out = program.slot(matrix_desc(b.out));
  const dnnl::engine& engine = onednn::cpu_engine();
  if (!b.bias) {
    const auto pd =
        onednn::make_desc<dnnl::matmul>(engine, attributes, program.desc(left), program.desc(right), program.desc(out));
    if (b.vnni) require_own_kernel(pd.impl_info_str());
    program.step(pd, dnnl::matmul(pd), {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, out}});
    return;
  }
  TensorView row = b.out;  // the bias, [1..., 1, n]
  row.dtype = b.a.dtype;
  for (int dim = 0; dim < row.ndim() - 1; ++dim) row.shape[dim] = 1;
  row.stride = diopi::contiguous_strides(row.shape);
  const int bias = program.slot(onednn::memory_desc(row));
  const auto pd = onednn::make_desc<dnnl::matmul>(engine, attributes, program.desc(left), program.desc(right),
                                                  program.desc(bias), program.desc(out));
  if (b.vnni) require_own_kernel(pd.impl_info_str());
  program.step(pd, dnnl::matmul(pd),
               {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, out}});
}

SkipReason run_once(const MatmulProblem& p, Status* status) { return MatmulRequest(p).run(p.ctx, status); }

// Whether the matrices have no gaps and follow each other without gaps. A batch dimension may also repeat one matrix.
bool is_packed(const TensorView& view) {
  BlasLayout layout;
  const int row = view.ndim() - 2, col = view.ndim() - 1;
  if (!blas_layout(view, &layout)) return false;
  if (layout.ld != view.shape[layout.transposed ? row : col]) return false;
  int64_t step = view.shape[row] * view.shape[col];
  for (int dim = row - 1; dim >= 0; --dim) {
    if (view.shape[dim] == 1 || view.stride[dim] == 0) continue;
    if (view.stride[dim] != step) return false;
    step *= view.shape[dim];
  }
  return true;
}

// Replaces `view` by a packed copy unless it is packed. The copy has packed columns if `view` has, otherwise packed
// rows.
Status pack(diopiContextHandle_t ctx, TensorView* view) {
  if (is_packed(*view)) return diopiSuccess;
  const int row = view->ndim() - 2, col = view->ndim() - 1;
  BlasLayout layout;
  const bool transposed = blas_layout(*view, &layout) && layout.transposed;
  TensorView once = transposed ? view->transposed(row, col) : *view, copy;
  for (int dim = 0; dim < row; ++dim) {
    if (once.stride[dim] == 0) once.shape[dim] = 1;
  }
  once.numel = once.shape.product();
  DIOPI_TRY(make_temporary(ctx, once.shape, once.dtype, &copy));
  copy_view(copy, once);
  if (transposed) copy = copy.transposed(row, col);
  *view = copy.expand(view->shape);
  return diopiSuccess;
}

bool is_small(const MatmulProblem& tile) { return tile.out.numel * tile.a.shape[1] <= kSmall; }

// Computes each tile on one thread, in a workspace of that thread.
SkipReason run_tiles(const MatmulProblem& p, Status* status) {
  const Tiling tiling = make_tiling(p);
  const int64_t per_matrix = tiling.row_tiles * tiling.col_tiles;
  int64_t bytes = 0;
  {
    const SingleThread single;
    for (const int64_t i : {int64_t{0}, tiling.col_tiles - 1, per_matrix - tiling.col_tiles, per_matrix - 1}) {
      const MatmulProblem tile = tile_product(p, tiling, i);
      int64_t needed = 0;
      const SkipReason reason = is_small(tile) ? nullptr : MatmulRequest(tile).prepare(&needed);
      if (reason != nullptr) return reason;
      bytes = std::max(bytes, needed);
    }
  }
  char* workspace = nullptr;
  *status = bytes > 0 ? diopi::Workspace(p.ctx).take(omp_get_max_threads() * bytes, &workspace) : Status();
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  const bool nested = omp_in_parallel() != 0;  // if so, parallel_for uses only this thread
  *status = for_each_tile(p, [&](const MatmulProblem& tile) {
    Status result;
    const int64_t thread = nested ? 0 : omp_get_thread_num();
    const SkipReason reason = is_small(tile) ? matmul_reference(tile, &result)
                                             : MatmulRequest(tile).run_in(workspace + thread * bytes, &result);
    return reason == nullptr ? result : diopi::fail(diopiErrorOccurred, "%s", reason);
  });
  return nullptr;
}

SkipReason run_float32(MatmulProblem p, Status* status) {
  if (onednn_runs_whole(p) && run_once(p, status) == nullptr) return nullptr;
  *status = as_blas_operand(p.ctx, p.a, &p.a);
  if (status->ok()) *status = as_blas_operand(p.ctx, p.b, &p.b);
  if (!status->ok()) return nullptr;
  if (onednn_has_depth_chunks(p) && run_float32_depth_chunks(p, status) == nullptr) return nullptr;
  if (onednn_has_columns(p) && run_float32_columns(p, status) == nullptr) return nullptr;
  return run_tiles(p, status);
}

// The depth of the next tile if `left` terms are left.
int64_t tile_depth(int64_t left) {
  const int64_t depth = std::min(kDepthBfloat16, left);
  return depth == kWrongDepthBfloat16 ? depth / 2 : depth;
}

// Adds the products of packed tiles of the sum to `out`, which must be packed and, for more than one tile, float32.
Status run_depth_tiles(MatmulProblem p) {
  const int row = p.a.ndim() - 2, col = p.a.ndim() - 1;
  const MatmulProblem whole = p;
  const int64_t k = p.a.shape[col];
  int64_t count = 0;
  for (int64_t begin = 0; begin < k; begin += count) {
    count = tile_depth(k - begin);
    Status status;
    p.a = whole.a.narrow(col, begin, count);
    p.b = whole.b.narrow(row, begin, count);
    DIOPI_TRY(pack(p.ctx, &p.a));
    DIOPI_TRY(pack(p.ctx, &p.b));
    const SkipReason reason = run_once(p, &status);
    DIOPI_REQUIRE(reason == nullptr, diopiErrorOccurred, "%s", reason);
    DIOPI_TRY(status);
    p.bias = nullptr;
    p.accumulate = true;
  }
  return diopiSuccess;
}

// Whether tiles of one thread each are faster than oneDNN's own threading.
bool is_large(const MatmulProblem& p) {
  constexpr int64_t kLarge = int64_t{1} << 27;  // multiply-adds
  const int64_t k = p.a.shape[p.a.ndim() - 1];
  return p.out.ndim() == 2 && (k > kDepthBfloat16 || p.out.numel * k > kLarge);
}

// out^T = b^T @ a^T; such a product has no bias.
void transpose(MatmulProblem* p) {
  const int row = p->out.ndim() - 2, col = p->out.ndim() - 1;
  const TensorView a = p->a;
  p->a = p->b.transposed(row, col);
  p->b = a.transposed(row, col);
  p->out = p->out.transposed(row, col);
}

// Whether the transposed product saves more than it costs. Tiles need the rows of a, and copy them if its columns are
// packed. The rows of a transposed result are copied as well.
bool is_better_transposed(const MatmulProblem& p) {
  const int64_t m = p.out.shape[0], n = p.out.shape[1], k = p.a.shape[1];
  BlasLayout a, b;
  const bool copies = blas_layout(p.a, &a) && blas_layout(p.b, &b) && a.transposed && !b.transposed;
  return copies && p.bias == nullptr && m > n && m * n < (m - n) * k;
}

Status run_bfloat16(MatmulProblem p) {
  if (is_large(p) && !p.accumulate) {
    Status status;
    DIOPI_TRY(as_blas_operand(p.ctx, p.a, &p.a));
    DIOPI_TRY(as_blas_operand(p.ctx, p.b, &p.b));
    MatmulProblem tiles = p;
    if (is_better_transposed(p)) transpose(&tiles);
    if (run_bfloat16_tiles(tiles, &status) == nullptr) return status;
  }
  const TensorView out = p.out;
  const int64_t k = p.a.shape[p.a.ndim() - 1];
  const bool one_tile = tile_depth(k) == k;
  if (is_packed(out) && (one_tile || out.dtype == diopi_dtype_float32)) return run_depth_tiles(p);
  DIOPI_TRY(make_temporary(p.ctx, out.shape, diopi_dtype_float32, &p.out));
  DIOPI_TRY(run_depth_tiles(p));
  copy_view(out, p.out);
  return diopiSuccess;
}

// Copies `a` if neither operand varies along a batch dimension, because oneDNN needs the batch in one of them.
Status copy_repeated_batch(MatmulProblem* p) {
  bool repeated = false;
  for (int dim = 0; dim < p->out.ndim() - 2; ++dim) {
    repeated = repeated || (p->out.shape[dim] > 1 && p->a.stride[dim] == 0 && p->b.stride[dim] == 0);
  }
  if (!repeated) return diopiSuccess;
  TensorView copy;
  DIOPI_TRY(make_temporary(p->ctx, p->a.shape, p->a.dtype, &copy));
  copy_view(copy, p->a);
  p->a = copy;
  return diopiSuccess;
}

SkipReason run_any(MatmulProblem p, bool transposed, Status* status) {
  *status = copy_repeated_batch(&p);
  if (!status->ok()) return nullptr;
  if (transposed) transpose(&p);
  if (p.a.dtype == diopi_dtype_float32) return run_float32(p, status);
  *status = run_bfloat16(p);
  return nullptr;
}

}  // namespace

MatmulRequest::MatmulRequest(const MatmulProblem& p, bool vnni)
    : problem{p.a, p.b, p.out, p.bias != nullptr, p.accumulate, vnni},
      key(static_cast<int64_t>(dnnl::primitive::kind::matmul)),
      slots{p.a.data, p.b.data, p.out.data, const_cast<char*>(p.bias)} {
  key.add(p.a);
  key.add(p.b);
  key.add(p.out);
  key.add((problem.bias ? 1 : 0) + (problem.accumulate ? 2 : 0) + (problem.vnni ? 4 : 0));
}

const char* MatmulRequest::prepare(int64_t* workspace_bytes) const {
  return onednn::prepare(key, build, &problem, workspace_bytes);
}

const char* MatmulRequest::run(diopiContextHandle_t ctx, Status* status) const {
  return onednn::run(key, build, &problem, ctx, slots, status);
}

const char* MatmulRequest::run_in(char* workspace, Status* status) const {
  return onednn::run_in(key, build, &problem, workspace, slots, status);
}

bool onednn_runs_whole(const MatmulProblem& p) {
  const int64_t k = p.a.shape[p.a.ndim() - 1];
  return onednn::has_avx512() && k <= kDepthFloat32 && is_packed(p.a) && is_packed(p.b) && is_packed(p.out);
}

SkipReason matmul_onednn(const MatmulProblem& product, Status* status) {
  const diopiDtype_t dtype = product.a.dtype;
  if (dtype != diopi_dtype_float32 && dtype != diopi_dtype_bfloat16) {
    return "oneDNN is used only for float32 and bfloat16";
  }
  if (dtype == diopi_dtype_bfloat16 && !onednn::multiplies_bfloat16()) {
    return "the processor has no bfloat16 products";
  }
  constexpr int64_t kLongRow = 2048;
  const int64_t* const shape = product.out.shape.v + product.out.ndim() - 2;
  if (std::min(shape[0], shape[1]) == 1 && product.a.shape[product.a.ndim() - 1] > kLongRow) {
    return "oneDNN adds the terms of a single row or column one after another";
  }
  BlasLayout layout;
  if (!blas_layout(product.out, &layout)) return "neither the rows nor the columns of out are packed";
  return run_any(product, layout.transposed, status);
}

}  // namespace impl::cpu
