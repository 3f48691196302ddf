// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for reductions. A mask has bit i for dimension i. Outputs have the shape of `in` with the
// reduced dimensions removed or kept with extent 1 (a vector of one element counts as 0-d). Families have checked
// shapes and dtypes; the functions refuse outputs whose elements share an address, and outputs may overlap `in`.
#ifndef IMPL_COMMON_ENGINE_REDUCE_HPP_
#define IMPL_COMMON_ENGINE_REDUCE_HPP_

#include <limits>

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class ReduceOp {
  kSum,      // int64, floating point and complex dtypes; the sum of nothing is 0
  kMean,     // floating point and complex dtypes; the mean of nothing is NaN
  kProd,     // the dtypes of kSum; the product of nothing is 1
  kMaximum,  // real dtypes and bool; NaN if an element is NaN; there is an element for each result
  kMinimum,
  kAny,  // bool; an element is true if it is not 0; false for nothing
  kAll,  // bool; true for nothing
};

// An order whose norm of `elements` elements is that of order p. Of one element, every norm but that of order 0 is the
// magnitude, although a power of it may be too large or too small for float64.
inline double norm_order(double p, int64_t elements) {
  return elements == 1 && p != 0 ? std::numeric_limits<double>::infinity() : p;
}

// As above, for a norm that is `out` of the elements `in`.
inline double norm_order(double p, const TensorView& out, const TensorView& in) {
  return norm_order(p, out.numel > 0 ? in.numel / out.numel : 0);
}

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ReduceOp;
using diopi::Status;
using diopi::TensorView;

// Reduces the dimensions of `mask`. Elements are read in `dtype`, one of those that the operation lists; float16 and
// bfloat16 are computed in float32. The result is converted to the dtype of `out`. Sums are pairwise, and their bits
// do not depend on the number of threads.
Status run_reduce(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, const TensorView& in, uint32_t mask,
                  diopiDtype_t dtype);

// Writes the largest (kMaximum) or smallest (kMinimum) elements and their positions among the reduced elements in
// row-major order: the first position if several elements are equal. The first NaN is both the largest and the smallest
// element. `value` may be null. There is an element for each result; the dtype of `position` is int32 or int64.
Status run_extremum(diopiContextHandle_t ctx, ReduceOp op, const TensorView* value, const TensorView& position,
                    const TensorView& in, uint32_t mask);

// Writes the standard deviations of floating point or complex elements: sqrt(sum of |x - mean|^2 / max(0, n -
// correction)). Real elements are read in the dtype of `out`. Sums are merged in float64.
Status run_std(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask, double correction);

// Writes norms of order p of floating point elements: (sum of |x|^p)^(1/p). Order 0 counts the elements that are not 0;
// an infinite order is the largest or smallest magnitude, and there is an element for each result. The norm of one
// element is its magnitude. Elements are read in the dtype of `out`. Sums are in float64.
Status run_vector_norm(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask, double p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_REDUCE_HPP_
