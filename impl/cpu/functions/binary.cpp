// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/binary.hpp"

#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/common/openmp.hpp"
#include "impl/common/unsupported.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

namespace {

// Rounds a 0-d operand to the dtype of a comparison, because a 0-d operand does not widen the computation.
void round_number(diopiDtype_t dtype, char* storage, TensorView* view) {
  if (view->ndim() != 0 || view->dtype == dtype) return;
  cast_function(view->dtype, dtype)(storage, view->data, 1);
  view->data = storage;
  view->dtype = dtype;
}

// Whether the only element of a divisor, which is not zero itself, is zero in the dtype of the computation.
Status rounds_to_zero(diopiContextHandle_t ctx, BinaryOp op, diopiDtype_t promoted, const TensorView& divisor,
                      bool* zero) {
  *zero = false;
  const bool divides = op == BinaryOp::kDivTrunc || op == BinaryOp::kDivFloor || op == BinaryOp::kRemainder;
  if (!divides || !diopi::is_exact(promoted) || divisor.ndim() != 0 || divisor.dtype == promoted) return diopiSuccess;
  alignas(16) char storage[16];
  TensorView rounded = divisor;
  round_number(promoted, storage, &rounded);
  return any_zero(ctx, rounded, zero);
}

// The kernel of a 16-bit operand and a float32 number, which is not rounded; null if the call is another one.
BlockFn half_by_number(BinaryOp op, diopiDtype_t promoted, const TensorView& out, const TensorView& a,
                       const TensorView& b) {
  if (b.ndim() != 0 || b.dtype != diopi_dtype_float32 || a.dtype != promoted || out.dtype != promoted) return nullptr;
  return half_by_number_kernel(op, promoted);
}

// Whether memory waits while 16-bit elements are computed: it does not if other threads use it meanwhile.
bool memory_waits(int64_t numel) {
  constexpr int64_t kLarge = int64_t{1} << 22;  // smaller results stay in a cache
  return numel >= kLarge && omp_get_max_threads() == 1;
}

}  // namespace

Status run_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                  const TensorView& b, diopiDtype_t promoted, const void* params) {
  if (const BlockFn by_number = half_by_number(op, promoted, out, a, b)) {
    const float number = *b.ptr<float>();  // it may lie in the output
    return run_elementwise(ctx, uniform_kernel(by_number, promoted, 1, &number), &out, &a);
  }
  const bool uniform = out.dtype == promoted && a.dtype == promoted && b.dtype == promoted;
  const BlockFn half = uniform ? half_binary_kernel(op, promoted) : nullptr;
  const diopiDtype_t compute = half != nullptr ? promoted : diopi::compute_dtype(promoted);
  const BlockFn fn = half != nullptr ? half : binary_kernel(op, compute);
  if (fn == nullptr) return diopi::unsupported_dtype(promoted, {&a, &b});
  bool zero = false;
  if (out.numel > 0) DIOPI_TRY(rounds_to_zero(ctx, op, promoted, b, &zero));
  if (zero) return refuse_zero(b.name);
  TensorView inputs[] = {a, b};
  alignas(16) char rounded[2][16];
  if (is_predicate(op) && diopi::is_reduced_float(promoted)) {
    for (int i = 0; i < 2; ++i) round_number(promoted, rounded[i], &inputs[i]);
  }
  ElementwiseKernel kernel = mixed_kernel(fn, compute, 2, is_predicate(op) ? diopi_dtype_bool : compute, params);
  kernel.costly = op == BinaryOp::kPow || (half != nullptr && memory_waits(out.numel));
  if (out.ndim() > 1 || a.numel != out.numel || b.numel != out.numel) {
    const OneSided one = half != nullptr ? half_one_sided_kernels(op, compute) : one_sided_kernels(op, compute);
    kernel.with_one[0] = one.first;
    kernel.with_one[1] = one.second;
    kernel.rows = one.rows;
  }
  return run_elementwise(ctx, kernel, &out, inputs);
}

}  // namespace impl::cpu
