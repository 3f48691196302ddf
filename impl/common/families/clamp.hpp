// SPDX-License-Identifier: BSD-3-Clause
// Clamp and its one-sided forms. A null bound does not limit. The result is NaN if the input or a bound is NaN.
// impl/<vendor>/functions/clamp.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_CLAMP_HPP_
#define IMPL_COMMON_FAMILIES_CLAMP_HPP_

#include "arguments/clamp.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/ternary.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::ClampArgs& args) {
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input}));
  if (args.min) DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&*args.min}));
  if (args.max) DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&*args.max}));
  if (!args.max) return run_binary(ctx, BinaryOp::kMaximum, args.out, args.input, *args.min, args.promoted);
  if (!args.min) return run_binary(ctx, BinaryOp::kMinimum, args.out, args.input, *args.max, args.promoted);
  return run_ternary(ctx, TernaryOp::kClamp, args.out, args.input, *args.min, *args.max, args.promoted);
}
inline Status run(diopiContextHandle_t ctx, diopi::ClampMaxArgs& args) {
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input, &args.max}));
  return run_binary(ctx, BinaryOp::kMinimum, args.out, args.input, args.max, args.promoted);
}
inline Status run(diopiContextHandle_t ctx, diopi::ClampMinArgs& args) {
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input, &args.min}));
  return run_binary(ctx, BinaryOp::kMaximum, args.out, args.input, args.min, args.promoted);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/clamp.hpp"

#endif  // IMPL_COMMON_FAMILIES_CLAMP_HPP_
