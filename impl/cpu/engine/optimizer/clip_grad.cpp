// SPDX-License-Identifier: BSD-3-Clause
// The joint norm of several tensors, and multiplication of tensors by a number.
#include <algorithm>
#include <cmath>

#include "impl/common/engine/optimizer.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/engine/tensor_list/chunks.hpp"
#include "impl/cpu/engine/tensor_list/norms.hpp"
#include "impl/cpu/pointwise/list.hpp"

namespace impl::cpu {

namespace {

template <typename T>
void scale_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const T factor = static_cast<T>(*static_cast<const double*>(params));
  const T* x = static_cast<const T*>(in[0]);
  T* result = static_cast<T*>(out[0]);
  for (int64_t i = 0; i < n; ++i) result[i] = x[i] * factor;
}

double term(double magnitude, double p) {
  if (p == 2) return magnitude * magnitude;
  if (p == 0) return magnitude != 0 ? 1 : 0;
  return std::isinf(p) || p == 1 ? magnitude : std::pow(magnitude, p);
}

double join(double a, double b, double p) {
  if (!std::isinf(p)) return a + b;
  if (a != a || b != b) return NAN;
  return p > 0 ? std::max(a, b) : std::min(a, b);
}

}  // namespace

Status norm_of_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double p, double* norm) {
  double* norms = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(tensors.size(), &norms));
  DIOPI_TRY(list_norms(ctx, tensors, p, true, norms));
  double joined = p == -INFINITY ? INFINITY : 0;
  for (int64_t k = 0; k < tensors.size(); ++k) joined = join(joined, term(norms[k], p), p);
  *norm = tensors.size() > 0 ? finish_norm(joined, p) : 0;
  return diopiSuccess;
}

// Elements are scaled in place, in the compute dtype, which needs no memory.
Status scale_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double factor) {
  for_list_chunks(tensors, 80, [&tensors, factor](int64_t k, int64_t, int64_t first, int64_t n) {
    if (!tensors[k].is_dense()) return;
    char* x = tensors[k].data + first * tensors[k].itemsize();
    multiply_number_kernel(tensors[k].dtype)(x, x, n, factor);
  });
  for (const TensorView& tensor : tensors) {
    if (tensor.is_dense()) continue;
    const diopiDtype_t compute = diopi::compute_dtype(tensor.dtype);
    const BlockFn fn = compute == diopi_dtype_float64 ? scale_block<double> : scale_block<float>;
    DIOPI_TRY(run_elementwise(ctx, uniform_kernel(fn, compute, 1, &factor), &tensor, &tensor));
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
