// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for functions that compute each element on its own. Families have checked all arguments;
// the functions return diopiDtypeNotSupported, before the first write, for dtypes in which the vendor does not compute.
#ifndef IMPL_COMMON_ENGINE_ELEMENTWISE_HPP_
#define IMPL_COMMON_ENGINE_ELEMENTWISE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class UnaryOp {
  // Operations whose results have the operand's dtype; the absolute value of a complex number is real.
  kAbs,
  kNeg,
  kSign,
  kSgn,
  kFloor,
  kCeil,
  kRelu,
  kSilu,
  kGelu,
  kGeluTanh,
  kHardswish,
  // Operations that return float32 for integers and bool.
  kReciprocal,
  kSqrt,
  kRsqrt,
  kExp,
  kExpm1,
  kLog,
  kLog2,
  kLog10,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kSigmoid,
  kErf,
  kErfinv,
};

constexpr bool gives_floating(UnaryOp op) { return op >= UnaryOp::kReciprocal; }

enum class BinaryOp {
  // Operations whose results have the operands' dtype.
  kAdd,        // bool: logical or
  kAddScaled,  // a + alpha * b; params: alpha in the compute dtype
  kSub,
  kMul,  // bool: logical and
  kDiv,
  kDivTrunc,
  kDivFloor,
  kRemainder,  // the result has the sign of the divisor
  kMaximum,    // NaN if an operand is NaN
  kMinimum,
  kPow,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  // Operations whose results are bool.
  kEq,
  kNe,
  kLt,
  kLe,
  kLogicalAnd,
  kLogicalOr,
};

constexpr bool is_predicate(BinaryOp op) { return op >= BinaryOp::kEq; }

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::BinaryOp;
using diopi::Status;
using diopi::TensorView;
using diopi::UnaryOp;

// out = op(in). `out` has the shape of `in`; it may be `in` itself. The result is converted to the dtype of `out`.
Status run_unary(diopiContextHandle_t ctx, UnaryOp op, const TensorView& out, const TensorView& in);

// out = op(a, b), computed in the dtype `promoted`. `out` has the broadcast shape of `a` and `b`; it may be one of
// them. `params`: what the operation needs besides, in the compute dtype of `promoted`. Divisors have been checked.
Status run_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                  const TensorView& b, diopiDtype_t promoted, const void* params = nullptr);

// Whether an element of a tensor of integers or bools is zero. A device that reports it at synchronisation says no.
Status any_zero(diopiContextHandle_t ctx, const TensorView& view, bool* found);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ELEMENTWISE_HPP_
