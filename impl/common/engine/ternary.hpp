// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for functions that compute each element from three operands. Families have checked all
// arguments; run_ternary() returns diopiDtypeNotSupported, before the first write, for dtypes in which the vendor does
// not compute.
#ifndef IMPL_COMMON_ENGINE_TERNARY_HPP_
#define IMPL_COMMON_ENGINE_TERNARY_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class TernaryOp {
  kAddcmul,  // a + value * b * c; params: value in the compute dtype
  kAddcdiv,  // a + value * (b / c); params: value in the compute dtype
  kLerp,     // a + c * (b - a), computed from the nearer end
  kClamp,    // min(max(a, b), c); NaN if an operand is NaN
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;
using diopi::TernaryOp;

// out = op(a, b, c), computed in the dtype `promoted`. `out` has the broadcast shape of the operands; it may be one of
// them. `params`: what the operation needs besides, in the compute dtype of `promoted`.
Status run_ternary(diopiContextHandle_t ctx, TernaryOp op, const TensorView& out, const TensorView& a,
                   const TensorView& b, const TensorView& c, diopiDtype_t promoted, const void* params = nullptr);

// out = mask ? a : b. The elements are converted to `dtype`, then to the dtype of `out`. `mask` is bool or uint8, and
// true where it is not zero. `out` has the broadcast shape of the operands; it may be `a` or `b`.
Status run_select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& a,
                  const TensorView& b, diopiDtype_t dtype);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_TERNARY_HPP_
