// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/elementwise/elementwise.hpp"

#include <algorithm>
#include <numeric>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/elementwise/loops.hpp"

namespace impl::cpu {

namespace {

using namespace elementwise;

// If all operands together take more bytes, the results do not fit a cache and are written with non-temporal stores.
// Measured on a Xeon with 2 MiB of second-level cache: no gain up to 48 MiB, a third more bandwidth from 96 MiB on. On
// an AMD EPYC (Zen 4) with 32 MiB of third-level cache they gain 20 % in Relu and lose up to 20 % in Add of int64, and
// other operators gain or lose less than runs differ. The size of the last-level cache does not replace the constant:
// virtual machines report that of the whole host.
constexpr int64_t kStreamedOperandBytes = 64 << 20;
// Transposed inputs of at least this many elements are packed first: a copy in tiles is faster than reading across
// rows.
constexpr int64_t kMinTransposed = 4096, kMinTransposedSide = 16;

// Whether writing `output` could change elements of `input` before they are read.
bool conflicts(const TensorView& output, const TensorView& input) {
  return diopi::may_overlap(output, input) && !diopi::is_same_view(output, input);
}

bool all_packed(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  for (int k = 0; k < kernel.num_outputs; ++k) {
    if (outputs[k].dtype != kernel.out[k] || !outputs[k].is_contiguous()) return false;
  }
  for (int k = 0; k < kernel.num_inputs; ++k) {
    if (inputs[k].dtype != kernel.in[k] || inputs[k].shape != outputs[0].shape || !inputs[k].is_contiguous()) {
      return false;
    }
  }
  return true;
}

// conflicts() for packed views of one shape.
bool packed_conflict(const TensorView& output, const TensorView& input) {
  const int64_t output_bytes = output.numel * output.itemsize(), input_bytes = input.numel * input.itemsize();
  if (output.data >= input.data + input_bytes || input.data >= output.data + output_bytes) return false;
  return output.data != input.data || output.dtype != input.dtype;
}

bool any_packed_conflict(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  for (int o = 0; o < kernel.num_outputs; ++o) {
    for (int i = 0; i < kernel.num_inputs; ++i) {
      if (packed_conflict(outputs[o], inputs[i])) return true;
    }
  }
  return false;
}

void run_packed(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  diopi::parallel_for(outputs[0].numel, kernel.grain, [&](int64_t begin, int64_t end) {
    void* out[kMaxOutputs];
    const void* in[kMaxInputs];
    for (int k = 0; k < kernel.num_outputs; ++k) out[k] = outputs[k].data + begin * outputs[k].itemsize();
    for (int k = 0; k < kernel.num_inputs; ++k) in[k] = inputs[k].data + begin * inputs[k].itemsize();
    kernel.fn(out, in, end - begin, kernel.params);
  });
}

// Whether input k is transposed: it is not packed along rows, but along another dimension.
bool is_transposed(const Plan& plan, int k) {
  const Operand& op = plan.op[k];
  const int64_t stride = plan.inner_stride(k);
  if (stride == 0 || stride == op.itemsize || plan.inner() < kMinTransposedSide) return false;
  int64_t covered = plan.inner();
  bool packed = false;
  for (int i = 1; i < plan.nest.n; ++i) {
    const auto& loop = plan.nest[i];
    if (loop.stride[k] != 0) covered *= loop.extent;
    packed = packed || (loop.stride[k] == op.itemsize && loop.extent >= kMinTransposedSide);
  }
  return packed && covered == plan.numel && covered >= kMinTransposed;
}

// The strides of a packed copy of `view` whose dimensions are in memory in the order of those of `out`.
diopi::Dims strides_in_order_of(const TensorView& out, const TensorView& view) {
  const int lead = out.ndim() - view.ndim();
  int order[diopi::kMaxDims];
  std::iota(order, order + view.ndim(), 0);
  std::sort(order, order + view.ndim(), [&](int a, int b) {  // std::stable_sort would allocate memory
    const int64_t x = out.stride[lead + a], y = out.stride[lead + b];
    return x != y ? x > y : a < b;
  });
  diopi::Dims stride = view.stride;
  int64_t step = 1;
  for (int i = view.ndim() - 1; i >= 0; step *= view.shape[order[i--]]) stride[order[i]] = step;
  return stride;
}

Status pack_transposed(diopiContextHandle_t ctx, const TensorView* outputs, const TensorView** inputs,
                       TensorView (&packed)[kMaxInputs], Plan* plan) {
  const ElementwiseKernel& kernel = *plan->kernel;
  bool any = false;
  for (int k = 0; k < kernel.num_inputs; ++k) {
    if (!is_transposed(*plan, kernel.num_outputs + k)) continue;
    if (!any && *inputs != packed) std::copy_n(*inputs, kernel.num_inputs, packed);
    any = true;
    const TensorView source = packed[k];
    DIOPI_TRY(packed_copy(ctx, source, strides_in_order_of(outputs[0], source), &packed[k]));
  }
  if (!any) return diopiSuccess;
  *inputs = packed;
  *plan = Plan();
  make_plan(kernel, outputs, *inputs, plan);
  return diopiSuccess;
}

void run_planned(const Plan& plan) {
  const int64_t grain = plan.kernel->grain;
  if (prefers_blocks(plan)) {
    diopi::parallel_for(plan.numel / plan.tile, grain / plan.tile,
                        [&](int64_t begin, int64_t end) { run_blocks(plan, begin * plan.tile, end * plan.tile); });
  } else if (!plan.streams && is_direct(plan)) {
    diopi::parallel_for(plan.numel, grain, [&](int64_t begin, int64_t end) { run_direct(plan, begin, end); });
  } else {
    diopi::parallel_for(plan.numel, grain, [&](int64_t begin, int64_t end) { run_rows(plan, begin, end); });
  }
}

// Whether all operands together are too large for any cache.
bool exceeds_caches(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  int64_t bytes = 0;
  for (int k = 0; k < kernel.num_outputs; ++k) bytes += outputs[k].numel * outputs[k].itemsize();
  for (int k = 0; k < kernel.num_inputs; ++k) bytes += inputs[k].numel * inputs[k].itemsize();
  return bytes > kStreamedOperandBytes;
}

// run_elementwise() for operands that are not all packed, or of which an input lies partly on an output.
Status run_planned_copies(diopiContextHandle_t ctx, const ElementwiseKernel& kernel, const TensorView* outputs,
                          const TensorView* inputs) {
  TensorView safe[kMaxInputs];
  const TensorView* sources = inputs;
  for (int i = 0; i < kernel.num_inputs; ++i) {
    for (int o = 0; o < kernel.num_outputs; ++o) {
      if (!conflicts(outputs[o], inputs[i])) continue;
      if (sources == inputs) {
        std::copy_n(inputs, kernel.num_inputs, safe);
        sources = safe;
      }
      DIOPI_TRY(packed_copy(ctx, inputs[i], &safe[i]));
      break;
    }
  }
  const bool streams = !kernel.costly && exceeds_caches(kernel, outputs, sources);
  if (!streams && all_packed(kernel, outputs, sources)) {
    if (!diopi::in_dry_run()) run_packed(kernel, outputs, sources);
    return diopiSuccess;
  }
  Plan plan;
  make_plan(kernel, outputs, sources, &plan);
  DIOPI_TRY(pack_transposed(ctx, outputs, &sources, safe, &plan));
  plan.streams = streams;
  if (!diopi::in_dry_run()) run_planned(plan);
  return diopiSuccess;
}

}  // namespace

ElementwiseKernel uniform_kernel(BlockFn fn, diopiDtype_t dtype, int num_inputs, const void* params, int num_outputs) {
  ElementwiseKernel kernel;
  kernel.fn = fn;
  kernel.params = params;
  kernel.num_inputs = num_inputs;
  kernel.num_outputs = num_outputs;
  std::fill_n(kernel.in, num_inputs, dtype);
  std::fill_n(kernel.out, num_outputs, dtype);
  return kernel;
}

ElementwiseKernel mixed_kernel(BlockFn fn, diopiDtype_t in, int num_inputs, diopiDtype_t out, const void* params) {
  ElementwiseKernel kernel = uniform_kernel(fn, in, num_inputs, params);
  kernel.out[0] = out;
  return kernel;
}

Status run_elementwise(diopiContextHandle_t ctx, const ElementwiseKernel& kernel, const TensorView* outputs,
                       const TensorView* inputs) {
  for (int k = 0; k < kernel.num_outputs; ++k) DIOPI_TRY(diopi::require_writable(outputs[k]));
  if (outputs[0].numel == 0) return diopiSuccess;
  // Most calls are of this kind; small ones take most of their time for checks.
  if (all_packed(kernel, outputs, inputs) && !exceeds_caches(kernel, outputs, inputs) &&
      !any_packed_conflict(kernel, outputs, inputs)) {
    if (!diopi::in_dry_run()) run_packed(kernel, outputs, inputs);
    return diopiSuccess;
  }
  return run_planned_copies(ctx, kernel, outputs, inputs);
}

}  // namespace impl::cpu
