// SPDX-License-Identifier: BSD-3-Clause
// Powers: tensor to scalar, scalar to tensor, tensor to tensor. impl/<vendor>/functions/pow.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_POW_HPP_
#define IMPL_COMMON_FAMILIES_POW_HPP_

#include "arguments/pow.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/families/promoted_operands.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

inline bool equals(const diopiScalar_t& number, int64_t value) {
  return diopi::is_floating(number) ? number.fval == static_cast<double>(value) : number.ival == value;
}

inline Status run(diopiContextHandle_t ctx, diopi::PowArgs& args) {
  diopi::NumberOperand number;
  TensorView exponent;
  if (args.promoted == diopi_dtype_bool) {  // x ^ true is x, and x ^ false is true
    diopiScalar_t negated = *args.exponent;
    negated.ival = args.exponent->ival == 0 ? 1 : 0;
    number.set(negated, "exponent", args.promoted, &exponent);
    return run_binary(ctx, BinaryOp::kLogicalOr, args.out, args.input, exponent, args.promoted);
  }
  // x ^ 1 is x for every x, and an exponent of 2 is one multiplication.
  if (equals(*args.exponent, 1) && args.input.dtype == args.promoted) {
    DIOPI_TRY(diopi::require_writable(args.out));
    return copy(ctx, args.out, args.input);
  }
  if (equals(*args.exponent, 2)) {
    return run_binary(ctx, BinaryOp::kMul, args.out, args.input, args.input, args.promoted);
  }
  number.set(*args.exponent, "exponent", args.promoted, &exponent);
  return run_binary(ctx, BinaryOp::kPow, args.out, args.input, exponent, args.promoted);
}

inline Status run(diopiContextHandle_t ctx, diopi::PowTensorArgs& args) {
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input, &args.exponent}));
  return run_binary(ctx, BinaryOp::kPow, args.out, args.input, args.exponent, args.promoted);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/pow.hpp"

#endif  // IMPL_COMMON_FAMILIES_POW_HPP_
