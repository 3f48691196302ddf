// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/pointwise/dropout.hpp"

namespace impl::cpu {

namespace {

template <typename T>
void multiply_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const T scale = static_cast<T>(*static_cast<const double*>(params));
  const T *x = static_cast<const T*>(in[0]), *mask = static_cast<const T*>(in[1]);
  T* result = static_cast<T*>(out[0]);
  for (int64_t i = 0; i < n; ++i) result[i] = x[i] * (mask[i] * scale);
}

}  // namespace

Status multiply_by_mask(diopiContextHandle_t ctx, const TensorView& out, const TensorView& x, const TensorView& mask,
                        double scale) {
  const diopiDtype_t compute = diopi::compute_dtype(x.dtype);
  const BlockFn fn = compute == diopi_dtype_float64 ? multiply_block<double> : multiply_block<float>;
  const TensorView inputs[] = {x, mask};
  return run_elementwise(ctx, uniform_kernel(fn, compute, 2, &scale), &out, inputs);
}

}  // namespace impl::cpu
