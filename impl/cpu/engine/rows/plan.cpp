// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/rows/plan.hpp"

#include <algorithm>

#include "impl/common/alignment.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu::rows_detail {

namespace {

constexpr int64_t kMaxTile = 16;                // rows transposed together
constexpr int64_t kTileBudget = 1 << 19;        // bytes of packed rows per thread
constexpr int64_t kColumnTileBudget = 1 << 18;  // bytes of the rows in one call of the column form
constexpr int64_t kMinColumnTile = 64;
constexpr int64_t kConverted = 2048, kMaxConverted = 128;  // elements, and rows, that are converted together
constexpr int64_t kPadding = 16;                           // elements after a packed row of a tile

void add_operand(Plan* plan, const TensorView& view, const Dims& shape, uint32_t row_mask, diopiDtype_t kernel_dtype,
                 bool is_output) {
  const int k = plan->count++;
  Operand& op = plan->op[k];
  op.data = view.data;
  op.itemsize = view.itemsize();
  op.kernel_size = diopi::dtype_size(kernel_dtype);
  if (view.dtype != kernel_dtype) {
    op.cast = is_output ? cast_function(kernel_dtype, view.dtype) : cast_function(view.dtype, kernel_dtype);
  }
  const int lead = shape.n - view.ndim();
  int loop = 0;
  op.constant = !is_output;
  for (int i = shape.n - 1; i >= 0; --i) {
    const bool varies = i >= lead && view.shape[i - lead] != 1;
    const int64_t stride = varies ? view.stride[i - lead] * op.itemsize : 0;
    if ((row_mask >> i & 1) == 0) {
      if (shape[i] == 1) continue;
      plan->outer[loop++].stride[k] = stride;
      op.constant = op.constant && stride == 0;
    } else if (varies) {
      op.row.push_back(shape[i], stride);
      op.count *= shape[i];
    }
  }
  op.row.drop_ones();
  op.row.merge();
  op.direct = op.cast == nullptr && (op.row.n == 0 || (op.row.n == 1 && op.row.inner_stride() == op.itemsize));
  op.constant = op.constant && !op.direct;
  op.across = !op.direct && !op.constant && op.count > 1 && op.row.inner_stride() != op.itemsize && plan->outer.n > 0 &&
              plan->outer.inner_stride(k) == op.itemsize;
}

void add_accumulated(Plan* plan, const TensorView& view) {
  Operand& op = plan->op[plan->count++];
  op.data = view.data;
  op.itemsize = op.kernel_size = view.itemsize();
  op.direct = true;
  op.chunk_bytes = plan->n * op.itemsize;
}

// Adds the loops over rows; add_operand() sets their strides.
void add_outer_loops(Plan* plan, const Dims& shape, uint32_t row_mask) {
  for (int i = shape.n - 1; i >= 0; --i) {
    if ((row_mask >> i & 1) != 0 || shape[i] == 1) continue;
    auto& loop = plan->outer[plan->outer.n++];
    loop.extent = shape[i];
    std::fill_n(loop.stride, kMaxRowOperands, 0);
  }
}

// Plans to use the kernel's column form if rows are adjacent in memory instead of packed. Operands of other dtypes are
// converted tile by tile.
void plan_columns(Plan* plan) {
  const auto& outer = plan->outer;
  bool packed = true;
  int64_t bytes = 0, converted = 0;  // bytes of one row of all operands, and of the converted ones
  if (plan->kernel->columns == nullptr || outer.n == 0 || plan->n < 2) return;
  if (outer.inner_extent() < plan->kernel->fewest_columns) return;
  for (int k = 0; k < plan->count; ++k) {
    const Operand& op = plan->op[k];
    if (op.row.n != 1 || op.count != plan->n || outer.inner_stride(k) != op.itemsize) return;
    packed = packed && op.row.inner_stride() == op.itemsize;
    bytes += plan->n * op.itemsize;
    if (op.cast != nullptr) converted += plan->n * op.kernel_size;
  }
  if (packed || converted * kMinColumnTile > kTileBudget) return;
  const int64_t fitting =
      std::clamp<int64_t>(kColumnTileBudget / std::max<int64_t>(bytes + converted, 1), kMinColumnTile, kMaxColumns);
  plan->column_tile = std::min(outer.inner_extent(), fitting / kMinColumnTile * kMinColumnTile);
  for (int k = 0; k < plan->count; ++k) {
    Operand& op = plan->op[k];
    if (op.cast == nullptr) continue;
    op.pitch = plan->column_tile;
    op.packed_at = plan->scratch;
    plan->scratch += diopi::aligned(plan->n * op.pitch * op.kernel_size);
  }
}

}  // namespace

Status make_plan(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                 const TensorView* const* outputs, const TensorView* const* inputs, Plan* plan) {
  plan->kernel = &kernel;
  for (int i = 0; i < shape.n; ++i) ((row_mask >> i & 1) != 0 ? plan->n : plan->rows) *= shape[i];
  add_outer_loops(plan, shape, row_mask);
  for (int k = 0; k < kernel.num_outputs; ++k) {
    if (k >= kernel.first_accumulated) {
      add_accumulated(plan, *outputs[k]);
      continue;
    }
    DIOPI_TRY(diopi::require_writable(*outputs[k]));
    add_operand(plan, *outputs[k], shape, row_mask, kernel.out[k], true);
  }
  for (int k = 0; k < kernel.num_inputs; ++k) {
    const TensorView* input = inputs[k];
    TensorView apart;  // a view is only copied if it overlaps an output
    for (int o = 0; o < std::min(kernel.num_outputs, kernel.first_accumulated); ++o) {
      if (!diopi::may_overlap(*outputs[o], *input) || diopi::is_same_view(*outputs[o], *input)) continue;
      apart = *input;
      DIOPI_TRY(copy_if_overlapping(ctx, *outputs[o], &apart));
      input = &apart;
    }
    add_operand(plan, *input, shape, row_mask, kernel.in[k], false);
  }
  if (plan->rows == 0) return diopiSuccess;
  plan->outer.merge(plan->count);
  plan_columns(plan);
  return diopiSuccess;
}

void plan_scratch(Plan* plan) {
  int64_t row_bytes = 0;
  bool transposes = false, converts = false;
  for (int k = 0; k < plan->count; ++k) {
    const Operand& op = plan->op[k];
    if (!op.direct) row_bytes += op.count * (op.kernel_size + op.itemsize);
    transposes = transposes || op.across;
    converts = converts || (op.cast != nullptr && !op.constant);
  }
  if (transposes) plan->tile = std::clamp<int64_t>(kTileBudget / std::max<int64_t>(row_bytes, 1), 1, kMaxTile);
  if (!transposes && (converts || plan->kernel->takes_rows(plan->n))) {
    plan->tile = std::clamp<int64_t>(kConverted / std::max<int64_t>(plan->n, 1), 1, kMaxConverted);
  } else if (row_bytes == 0) {
    plan->tile = kMaxConverted;  // nothing is packed
  }
  for (int k = 0; k < plan->count; ++k) {
    Operand& op = plan->op[k];
    if (op.direct) continue;
    // Without padding, rows whose distance is a power of two would use the same set of the cache.
    op.pitch = op.count + (transposes && plan->tile > 1 ? kPadding : 0);
    op.packed_at = plan->scratch;
    plan->scratch += diopi::aligned(plan->tile * op.pitch * op.kernel_size);
    op.staging_at = plan->scratch;
    plan->scratch += diopi::aligned(plan->tile * op.pitch * op.itemsize);
  }
}

}  // namespace impl::cpu::rows_detail
