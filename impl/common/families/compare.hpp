// SPDX-License-Identifier: BSD-3-Clause
// Comparisons with a bool result, maximum and minimum. impl/<vendor>/functions/compare.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_COMPARE_HPP_
#define IMPL_COMMON_FAMILIES_COMPARE_HPP_

#include "arguments/compare.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

inline Status compare(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, TensorView a, TensorView b,
                      diopiDtype_t promoted) {
  DIOPI_TRY(round_integers(ctx, promoted, out, {&a, &b}));
  return run_binary(ctx, op, out, a, b, promoted);
}
template <typename Args>
Status compare(diopiContextHandle_t ctx, BinaryOp op, const Args& args) {
  return compare(ctx, op, args.out, args.input, args.other, args.promoted);
}
// a > b is the same as b < a.
template <typename Args>
Status compare_swapped(diopiContextHandle_t ctx, BinaryOp op, const Args& args) {
  return compare(ctx, op, args.out, args.other, args.input, args.promoted);
}

inline Status run(diopiContextHandle_t ctx, diopi::EqArgs& args) { return compare(ctx, BinaryOp::kEq, args); }
inline Status run(diopiContextHandle_t ctx, diopi::NeArgs& args) { return compare(ctx, BinaryOp::kNe, args); }
inline Status run(diopiContextHandle_t ctx, diopi::LeArgs& args) { return compare(ctx, BinaryOp::kLe, args); }
inline Status run(diopiContextHandle_t ctx, diopi::LtArgs& args) { return compare(ctx, BinaryOp::kLt, args); }
inline Status run(diopiContextHandle_t ctx, diopi::GeArgs& args) { return compare_swapped(ctx, BinaryOp::kLe, args); }
inline Status run(diopiContextHandle_t ctx, diopi::GtArgs& args) { return compare_swapped(ctx, BinaryOp::kLt, args); }
inline Status run(diopiContextHandle_t ctx, diopi::MaximumArgs& args) { return compare(ctx, BinaryOp::kMaximum, args); }
inline Status run(diopiContextHandle_t ctx, diopi::MinimumArgs& args) { return compare(ctx, BinaryOp::kMinimum, args); }
// Only NaN differs from itself.
inline Status run(diopiContextHandle_t ctx, diopi::IsNanArgs& args) {
  return run_binary(ctx, BinaryOp::kNe, args.out, args.input, args.input, args.input.dtype);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/compare.hpp"

#endif  // IMPL_COMMON_FAMILIES_COMPARE_HPP_
