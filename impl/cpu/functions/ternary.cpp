// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/pointwise/ternary.hpp"

#include <cstring>

#include "impl/common/unsupported.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

namespace {

// Whether a bound is one number of the compute dtype, which the kernel takes as a parameter.
bool is_number(const TensorView& view, diopiDtype_t compute) { return view.ndim() == 0 && view.dtype == compute; }

}  // namespace

Status run_ternary(diopiContextHandle_t ctx, TernaryOp op, const TensorView& out, const TensorView& a,
                   const TensorView& b, const TensorView& c, diopiDtype_t promoted, const void* params) {
  const diopiDtype_t compute = diopi::compute_dtype(promoted);
  if (op == TernaryOp::kClamp && is_number(b, compute) && is_number(c, compute)) {
    if (const BlockFn between = clamp_between_kernel(compute)) {
      alignas(16) char bounds[2 * sizeof(double)];
      const int size = b.itemsize();
      std::memcpy(bounds, b.data, size);
      std::memcpy(bounds + size, c.data, size);
      return run_elementwise(ctx, uniform_kernel(between, compute, 1, bounds), &out, &a);
    }
  }
  const TensorView inputs[] = {a, b, c};
  const bool uniform = out.dtype == promoted && a.dtype == promoted && b.dtype == promoted;
  if (op == TernaryOp::kLerp && is_number(c, compute)) {
    const BlockFn half = uniform ? half_lerp_by_number_kernel(promoted) : nullptr;
    const BlockFn by_number = half != nullptr ? half : lerp_by_number_kernel(compute);
    const diopiDtype_t dtype = half != nullptr ? promoted : compute;
    if (by_number != nullptr) {
      alignas(16) char weight[sizeof(double)];  // a copy: it may lie in the output
      std::memcpy(weight, c.data, c.itemsize());
      return run_elementwise(ctx, uniform_kernel(by_number, dtype, 2, weight), &out, inputs);
    }
  }
  const BlockFn half = uniform && c.dtype == promoted ? half_ternary_kernel(op, promoted) : nullptr;
  if (half != nullptr) return run_elementwise(ctx, uniform_kernel(half, promoted, 3, params), &out, inputs);
  const BlockFn fn = ternary_kernel(op, compute);
  if (fn == nullptr) return diopi::unsupported_dtype(promoted, {&a, &b, &c});
  ElementwiseKernel kernel = uniform_kernel(fn, compute, 3, params);
  for (int k = 1; k < 3; ++k) kernel.with_one[k] = ternary_with_one(op, compute, k);
  return run_elementwise(ctx, kernel, &out, inputs);
}

Status run_select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& a,
                  const TensorView& b, diopiDtype_t dtype) {
  ElementwiseKernel kernel = uniform_kernel(select_kernel(diopi::dtype_size(dtype)), dtype, 3);
  kernel.in[0] = mask.dtype;
  const TensorView inputs[] = {mask, a, b};
  return run_elementwise(ctx, kernel, &out, inputs);
}

}  // namespace impl::cpu
