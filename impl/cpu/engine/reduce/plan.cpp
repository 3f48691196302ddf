// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/reduce/plan.hpp"

#include <algorithm>

namespace impl::cpu::reduce_detail {

namespace {

Nest output_nest(const TensorView& out, const TensorView& input, uint32_t mask) {
  Nest nest;
  const bool keepdim = out.ndim() == input.ndim();
  for (int i = input.ndim() - 1, k = out.ndim() - 1; i >= 0; --i) {
    const bool reduced = (mask >> i & 1) != 0;
    if (!reduced) nest.push_back(input.shape[i], out.stride[k] * out.itemsize());
    if (!reduced || keepdim) --k;
  }
  nest.drop_ones();
  nest.merge();
  return nest;
}

void plan_loops(Plan* plan, const TensorView& input, uint32_t mask) {
  Nest kept, reduced;
  for (int i = input.ndim() - 1; i >= 0; --i) {
    Nest& nest = (mask >> i & 1) != 0 ? reduced : kept;
    nest.push_back(input.shape[i], input.stride[i] * input.itemsize());
  }
  plan->outputs = kept.numel();
  plan->count = reduced.numel();
  kept.drop_ones();
  kept.merge();
  reduced.drop_ones();
  if (!plan->kernel->ordered) {
    reduced.sort([](const auto& a, const auto& b) { return a.stride[0] > b.stride[0]; });
  }
  reduced.merge();
  if (plan->count == 1) reduced.push_back(1, plan->itemsize);  // a packed row of one element
  plan->kept = kept;
  plan->reduced = reduced;
}

// The number of short rows that are folded as one row.
int64_t rows_to_join(const Plan& plan) {
  constexpr int64_t kFewestJoined = 64;  // so many times, because the merge of the parts takes as long as several rows
  const int64_t width = plan.kept.inner_extent();
  const bool packed = plan.reduced.n == 1 && plan.kept.inner_stride() == plan.itemsize &&
                      plan.reduced.inner_stride() == width * plan.itemsize;
  const bool is_narrow = 4 * width <= kJoined;
  if (!packed || !is_narrow || (plan.kernel->ordered && plan.kernel->place == nullptr)) return 1;
  int64_t joined = 1;
  while (2 * joined * width <= kJoined && 2 * joined * kFewestJoined <= plan.count) joined *= 2;
  return joined;
}

// The fewest adjacent outputs that are folded by columns. A kernel that folds several rows in one call is fast for two
// outputs too; its sums are not divided, so they must be short.
int64_t fewest_columns(const Plan& plan) {
  const ReduceKernel& kernel = *plan.kernel;
  if (plan.joined > 1) return 2;
  const bool folds_rows = kernel.fold_rows != nullptr && !kernel.ordered && plan.cast == nullptr;
  return folds_rows && plan.count <= kernel.run ? 2 : 4;
}

// Chooses rows if the reduced elements have the smaller stride, and columns if the outputs have.
void plan_strategy(Plan* plan) {
  const int64_t inner_kept = plan->kept.inner_extent();
  plan->joined = rows_to_join(*plan);
  plan->by_columns = plan->kept.n > 0 && plan->reduced.n > 0 && inner_kept >= fewest_columns(*plan) &&
                     plan->count > 1 && plan->kept.inner_stride() < plan->reduced.inner_stride();
  if (plan->by_columns) {
    const bool direct = plan->cast == nullptr && plan->kept.inner_stride() == plan->itemsize;
    const bool converts = plan->kernel->fold_rows != nullptr && !direct;
    plan->tile = std::min(inner_kept, converts ? elements_of_block(*plan) / kRowsTogether : kMaxTileWidth);
    plan->chunk = std::max<int64_t>(kChunk / plan->tile, kColumnRun);
  } else {
    plan->chunk = kChunk;
  }
  plan->chunks = std::max<int64_t>(1, (plan->count + plan->chunk - 1) / plan->chunk);
}

}  // namespace

void make_plan(const ReduceKernel& kernel, const TensorView* outputs, const TensorView& input, uint32_t mask,
               Plan* plan) {
  plan->kernel = &kernel;
  plan->input = input.data;
  plan->itemsize = input.itemsize();
  plan->cast = input.dtype == kernel.in ? nullptr : cast_function(input.dtype, kernel.in);
  for (int k = 0; k < kernel.num_outputs; ++k) {
    plan->output[k] = outputs[k].data;
    plan->out_itemsize[k] = outputs[k].itemsize();
    plan->out_cast[k] = outputs[k].dtype == kernel.out[k] ? nullptr : cast_function(kernel.out[k], outputs[k].dtype);
    plan->out[k] = output_nest(outputs[k], input, mask);
  }
  plan_loops(plan, input, mask);
  if (plan->outputs > 0) plan_strategy(plan);
}

Work work_at(const Plan& plan, int64_t index) {
  const int64_t item = index / plan.chunks, part = index % plan.chunks;
  Work work{item, 1, part * plan.chunk, std::min(plan.count, (part + 1) * plan.chunk)};
  if (plan.by_columns) {
    const int64_t inner = plan.kept.inner_extent(), tiles = (inner + plan.tile - 1) / plan.tile;
    const int64_t start = item % tiles * plan.tile;
    work.first = item / tiles * inner + start;
    work.width = std::min(plan.tile, inner - start);
  }
  return work;
}

int64_t num_items(const Plan& plan) {
  if (!plan.by_columns) return plan.outputs;
  const int64_t inner = plan.kept.inner_extent();
  return plan.outputs / inner * ((inner + plan.tile - 1) / plan.tile);
}

}  // namespace impl::cpu::reduce_detail
