// SPDX-License-Identifier: BSD-3-Clause
// Vector norms: kernels of the reduction engine and row kernels.
#ifndef IMPL_CPU_NORM_VECTOR_NORM_HPP_
#define IMPL_CPU_NORM_VECTOR_NORM_HPP_

#include <cmath>

#include "impl/common/engine/reduce.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/engine/reduce/reduce.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

// The norm of order p, given the sum of powers or the extreme magnitude.
inline double finish_norm(double sum, double p) {
  if (p == 2) return std::sqrt(sum);
  return p == 0 || p == 1 || std::isinf(p) ? sum : std::pow(sum, 1 / p);
}

// The kernel for elements of a floating point dtype. Its `params` must be set to the address of the order, a double;
// accumulators and results are doubles. 16-bit elements are added in float32 in short runs, unless `precise`.
const ReduceKernel* vector_norm_kernel(diopiDtype_t dtype, double p, bool precise = false);

struct NormalizeParams {
  double p, eps;
};
// x -> x / max(norm of x, eps); params: NormalizeParams.
RowFn normalize_kernel(diopiDtype_t dtype);
// dy, x -> dx; params: NormalizeParams.
RowFn normalize_backward_kernel(diopiDtype_t dtype);

// Element-wise, in float32 or float64; params: the order, a double.
// g, x, norm -> the gradient with respect to x. If the order is infinite, g is divided by the number of extremes.
BlockFn vector_norm_backward_kernel(diopiDtype_t dtype);
// x, norm -> 1 if |x| equals the norm or x is NaN, else 0.
BlockFn is_extreme_kernel(diopiDtype_t dtype);
// dy, x, norm, sum of dy * x -> dx of x / max(norm, eps), of a finite order; params: NormalizeParams.
BlockFn normalize_backward_block_kernel(diopiDtype_t dtype);
// x, norm -> x / max(norm, eps); params: eps, a double.
BlockFn divide_by_norm_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_VECTOR_NORM_HPP_
