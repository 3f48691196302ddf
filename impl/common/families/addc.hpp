// SPDX-License-Identifier: BSD-3-Clause
// Addcmul, Addcdiv and Lerp: a base plus a scaled combination of two operands. impl/<vendor>/functions/addc.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_ADDC_HPP_
#define IMPL_COMMON_FAMILIES_ADDC_HPP_

#include "arguments/addc.hpp"
#include "impl/common/engine/ternary.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status add_scaled(diopiContextHandle_t ctx, TernaryOp op, Args& args) {
  alignas(16) char value[16];
  diopi::store_number(*args.value, diopi::compute_dtype(args.promoted), value);
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input, &args.tensor1, &args.tensor2}));
  return run_ternary(ctx, op, args.out, args.input, args.tensor1, args.tensor2, args.promoted, value);
}

inline Status run(diopiContextHandle_t ctx, diopi::AddcmulArgs& args) {
  return add_scaled(ctx, TernaryOp::kAddcmul, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::AddcdivArgs& args) {
  return add_scaled(ctx, TernaryOp::kAddcdiv, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::LerpTensorArgs& args) {
  return run_ternary(ctx, TernaryOp::kLerp, args.out, args.input, args.end, args.weight, args.input.dtype);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/addc.hpp"

#endif  // IMPL_COMMON_FAMILIES_ADDC_HPP_
