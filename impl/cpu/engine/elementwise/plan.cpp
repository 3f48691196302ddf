// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/elementwise/plan.hpp"

#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu::elementwise {

namespace {

void add_operand(Plan* plan, const TensorView& view, const Dims& shape, diopiDtype_t kernel_dtype, bool is_output) {
  const int k = plan->count++;
  Operand& op = plan->op[k];
  op.data = view.data;
  op.itemsize = view.itemsize();
  op.kernel_size = diopi::dtype_size(kernel_dtype);
  if (view.dtype != kernel_dtype) {
    op.cast = is_output ? cast_function(kernel_dtype, view.dtype) : cast_function(view.dtype, kernel_dtype);
  }
  const int lead = shape.n - view.ndim();
  for (int i = 0; i < shape.n; ++i) {
    const bool varies = i >= lead && view.shape[i - lead] == shape[i] && shape[i] != 1;
    plan->nest[shape.n - 1 - i].stride[k] = varies ? view.stride[i - lead] * op.itemsize : 0;
  }
}

// Sorts the loops: the larger stride goes outside, in the first operand whose strides differ. Drops loops of extent 1,
// and merges loops that every operand steps through as one.
void order_loops(Plan* plan) {
  Nest& nest = plan->nest;
  nest.drop_ones();
  nest.sort([plan](const auto& a, const auto& b) {
    for (int k = 0; k < plan->count; ++k) {
      const int64_t x = a.stride[k], y = b.stride[k];
      if (x != 0 && y != 0 && x != y) return x > y;
    }
    return false;
  });
  nest.merge(plan->count);
  if (nest.n == 0) {
    nest.n = 1;
    nest[0].extent = 1;
    for (int k = 0; k < plan->count; ++k) nest[0].stride[k] = plan->op[k].itemsize;
  }
}

void classify(Plan* plan) {
  const Nest& nest = plan->nest;
  int last = 0;  // outermost loop of a tile
  plan->tile = plan->inner();
  while (last + 1 < nest.n && plan->tile * nest[last + 1].extent <= kBlock / 2) plan->tile *= nest[++last].extent;
  for (int k = 0; k < plan->count; ++k) {
    Operand& op = plan->op[k];
    int64_t packed = op.itemsize;
    op.linear = true;
    op.repeats = last + 1 < nest.n;
    op.scalar = plan->numel > 1;
    for (int i = 0; i < nest.n; ++i) {
      const int64_t stride = nest[i].stride[k];
      op.linear = op.linear && stride == packed;
      op.scalar = op.scalar && stride == 0;
      op.repeats = op.repeats && (i <= last || stride == 0);
      packed *= nest[i].extent;
    }
  }
}

void find_one(Plan* plan) {
  const ElementwiseKernel& kernel = *plan->kernel;
  if (plan->inner() == 1) return;
  for (int k = 0; k < std::min(kernel.num_inputs, ElementwiseKernel::kMaxWithOne); ++k) {
    const Operand& op = plan->op[kernel.num_outputs + k];
    if (kernel.with_one[k] != nullptr && op.cast == nullptr && plan->inner_stride(kernel.num_outputs + k) == 0) {
      plan->one = kernel.num_outputs + k;
    }
  }
}

}  // namespace

void make_plan(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs, Plan* plan) {
  plan->kernel = &kernel;
  plan->nest.n = outputs[0].ndim();
  plan->numel = outputs[0].numel;
  for (int i = 0; i < plan->nest.n; ++i) plan->nest[i].extent = outputs[0].shape[plan->nest.n - 1 - i];
  for (int k = 0; k < kernel.num_outputs; ++k) add_operand(plan, outputs[k], outputs[0].shape, kernel.out[k], true);
  for (int k = 0; k < kernel.num_inputs; ++k) add_operand(plan, inputs[k], outputs[0].shape, kernel.in[k], false);
  order_loops(plan);
  classify(plan);
  find_one(plan);
}

}  // namespace impl::cpu::elementwise
