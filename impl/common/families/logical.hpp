// SPDX-License-Identifier: BSD-3-Clause
// Logical and bitwise operators. impl/<vendor>/functions/logical.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LOGICAL_HPP_
#define IMPL_COMMON_FAMILIES_LOGICAL_HPP_

#include "arguments/logical.hpp"
#include "impl/common/engine/elementwise.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status connect(diopiContextHandle_t ctx, BinaryOp op, const Args& args) {
  return run_binary(ctx, op, args.out, args.input, args.other, diopi::promoted_dtype(args.input, args.other));
}

inline Status run(diopiContextHandle_t ctx, diopi::LogicalAndArgs& args) {
  return connect(ctx, BinaryOp::kLogicalAnd, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::LogicalOrArgs& args) {
  return connect(ctx, BinaryOp::kLogicalOr, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::BitwiseAndArgs& args) {
  return run_binary(ctx, BinaryOp::kBitwiseAnd, args.out, args.input, args.other, args.promoted);
}
inline Status run(diopiContextHandle_t ctx, diopi::BitwiseOrArgs& args) {
  return run_binary(ctx, BinaryOp::kBitwiseOr, args.out, args.input, args.other, args.promoted);
}

// Runs `op` with the number `value` as the second operand.
template <typename Args>
Status connect_number(diopiContextHandle_t ctx, BinaryOp op, const Args& args, int64_t value) {
  diopiScalar_t scalar{diopi_dtype_int64, {0}};
  scalar.ival = value;
  diopi::NumberOperand number;
  TensorView other;
  number.set(scalar, "number", args.input.dtype, &other);
  return run_binary(ctx, op, args.out, args.input, other, args.input.dtype);
}

// Logical not is the comparison with zero.
inline Status run(diopiContextHandle_t ctx, diopi::LogicalNotArgs& args) {
  return connect_number(ctx, BinaryOp::kEq, args, 0);
}
// Bitwise not is the exclusive or with all ones; for bool it is the logical not.
inline Status run(diopiContextHandle_t ctx, diopi::BitwiseNotArgs& args) {
  return connect_number(ctx, BinaryOp::kBitwiseXor, args, args.input.dtype == diopi_dtype_bool ? 1 : -1);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/logical.hpp"

#endif  // IMPL_COMMON_FAMILIES_LOGICAL_HPP_
