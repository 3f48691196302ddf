// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/elementwise/plan.hpp"

#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu::elementwise {

namespace {

void add_operand(Plan* plan, const TensorView& view, const Dims& shape, diopiDtype_t kernel_dtype, bool is_output) {
  Operand& op = plan->op[plan->count++];
  op.data = view.data;
  op.itemsize = view.itemsize();
  op.kernel_size = diopi::dtype_size(kernel_dtype);
  if (view.dtype != kernel_dtype) {
    op.cast = is_output ? cast_function(kernel_dtype, view.dtype) : cast_function(view.dtype, kernel_dtype);
  }
  const int lead = shape.n - view.ndim();
  for (int i = 0; i < shape.n; ++i) {
    const bool varies = i >= lead && view.shape[i - lead] == shape[i] && shape[i] != 1;
    op.stride[i] = varies ? view.stride[i - lead] * op.itemsize : 0;
  }
}

// Whether dimension a goes outside of dimension b: the larger stride goes outside, in the first operand whose strides
// differ.
bool goes_outside(const Plan& plan, int a, int b) {
  for (int k = 0; k < plan.count; ++k) {
    const int64_t x = plan.op[k].stride[a], y = plan.op[k].stride[b];
    if (x == 0 || y == 0 || x == y) continue;
    return x > y;
  }
  return a < b;
}

void move_dim(Plan* plan, int from, int to) {
  plan->shape[to] = plan->shape[from];
  for (int k = 0; k < plan->count; ++k) plan->op[k].stride[to] = plan->op[k].stride[from];
}

void sort_dims(Plan* plan) {
  for (int i = 1; i < plan->ndim; ++i) {
    for (int j = i; j > 0 && goes_outside(*plan, j, j - 1); --j) {
      std::swap(plan->shape[j], plan->shape[j - 1]);
      for (int k = 0; k < plan->count; ++k) std::swap(plan->op[k].stride[j], plan->op[k].stride[j - 1]);
    }
  }
}

// Drops dimensions of extent 1 and merges dimensions that every operand steps through as one.
void collapse(Plan* plan) {
  int n = 0;
  for (int i = 0; i < plan->ndim; ++i) {
    if (plan->shape[i] != 1) move_dim(plan, i, n++);
  }
  plan->ndim = n;
  sort_dims(plan);
  int last = 0;
  for (int i = 1; i < plan->ndim; ++i) {
    bool mergeable = true;
    for (int k = 0; k < plan->count && mergeable; ++k) {
      mergeable = plan->op[k].stride[last] == plan->op[k].stride[i] * plan->shape[i];
    }
    if (mergeable) {
      plan->shape[i] *= plan->shape[last];
      move_dim(plan, i, last);
    } else {
      move_dim(plan, i, ++last);
    }
  }
  plan->ndim = plan->ndim == 0 ? 0 : last + 1;
  if (plan->ndim == 0) {
    plan->ndim = 1;
    plan->shape[0] = 1;
    for (int k = 0; k < plan->count; ++k) plan->op[k].stride[0] = plan->op[k].itemsize;
  }
}

void classify(Plan* plan) {
  int first = plan->ndim - 1;  // outermost dimension of a tile
  plan->tile = plan->inner();
  while (first > 0 && plan->tile * plan->shape[first - 1] <= kBlock / 2) plan->tile *= plan->shape[--first];
  for (int k = 0; k < plan->count; ++k) {
    Operand& op = plan->op[k];
    int64_t packed = op.itemsize;
    op.linear = true;
    op.repeats = first > 0;
    op.scalar = plan->numel > 1;
    for (int i = plan->ndim - 1; i >= 0; --i) {
      op.linear = op.linear && op.stride[i] == packed;
      op.scalar = op.scalar && op.stride[i] == 0;
      op.repeats = op.repeats && (i >= first || op.stride[i] == 0);
      packed *= plan->shape[i];
    }
  }
}

void find_one(Plan* plan) {
  const ElementwiseKernel& kernel = *plan->kernel;
  if (kernel.num_inputs != 2 || plan->inner() == 1) return;
  for (int k = 0; k < 2; ++k) {
    const Operand& op = plan->op[kernel.num_outputs + k];
    if (kernel.with_one[k] != nullptr && op.cast == nullptr && op.stride[plan->ndim - 1] == 0) {
      plan->one = kernel.num_outputs + k;
    }
  }
}

}  // namespace

void make_plan(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs, Plan* plan) {
  plan->kernel = &kernel;
  plan->ndim = outputs[0].ndim();
  plan->numel = outputs[0].numel;
  std::copy(outputs[0].shape.begin(), outputs[0].shape.end(), plan->shape);
  for (int k = 0; k < kernel.num_outputs; ++k) add_operand(plan, outputs[k], outputs[0].shape, kernel.out[k], true);
  for (int k = 0; k < kernel.num_inputs; ++k) add_operand(plan, inputs[k], outputs[0].shape, kernel.in[k], false);
  collapse(plan);
  classify(plan);
  find_one(plan);
}

}  // namespace impl::cpu::elementwise
