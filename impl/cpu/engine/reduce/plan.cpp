// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/reduce/plan.hpp"

#include <algorithm>

namespace impl::cpu::reduce_detail {

namespace {

Nest output_nest(const TensorView& out, const TensorView& input, uint32_t mask) {
  Nest nest;
  const bool keepdim = out.ndim() == input.ndim();
  for (int i = 0, k = 0; i < input.ndim(); ++i) {
    const bool reduced = (mask >> i & 1) != 0;
    if (!reduced) nest.push_back(input.shape[i], out.stride[k] * out.itemsize());
    if (!reduced || keepdim) ++k;
  }
  nest.collapse();
  return nest;
}

void plan_loops(Plan* plan, const TensorView& input, uint32_t mask) {
  Nest kept, reduced;
  for (int i = 0; i < input.ndim(); ++i) {
    Nest& nest = (mask >> i & 1) != 0 ? reduced : kept;
    nest.push_back(input.shape[i], input.stride[i] * input.itemsize());
  }
  plan->outputs = kept.numel();
  plan->count = reduced.numel();
  kept.collapse();
  if (!plan->kernel->ordered) reduced.sort();
  reduced.collapse();
  plan->kept = kept;
  plan->reduced = reduced;
}

// Chooses rows if the reduced elements have the smaller stride, and columns if the outputs have.
void plan_strategy(Plan* plan) {
  const int64_t inner_kept = plan->kept.inner_extent();
  plan->by_columns = plan->kept.n > 0 && plan->reduced.n > 0 && inner_kept >= 4 && plan->count > 1 &&
                     plan->kept.inner_stride() < plan->reduced.inner_stride();
  if (plan->by_columns) {
    plan->strip = std::min<int64_t>(inner_kept, kMaxStrip);
    plan->chunk = std::max<int64_t>(kChunk / plan->strip, kColumnRun);
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

Unit unit_of(const Plan& plan, int64_t index) {
  const int64_t item = index / plan.chunks, piece = index % plan.chunks;
  Unit unit{item, 1, piece * plan.chunk, std::min(plan.count, (piece + 1) * plan.chunk)};
  if (plan.by_columns) {
    const int64_t inner = plan.kept.inner_extent(), strips = (inner + plan.strip - 1) / plan.strip;
    const int64_t start = item % strips * plan.strip;
    unit.first = item / strips * inner + start;
    unit.width = std::min(plan.strip, inner - start);
  }
  return unit;
}

int64_t num_items(const Plan& plan) {
  if (!plan.by_columns) return plan.outputs;
  const int64_t inner = plan.kept.inner_extent();
  return plan.outputs / inner * ((inner + plan.strip - 1) / plan.strip);
}

}  // namespace impl::cpu::reduce_detail
