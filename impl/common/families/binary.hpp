// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of two operands with broadcasting. impl/<vendor>/functions/binary.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_BINARY_HPP_
#define IMPL_COMMON_FAMILIES_BINARY_HPP_

#include "arguments/binary.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

// The factor of the second operand as an element of the compute dtype.
struct Alpha {
  alignas(16) char bytes[16];
  bool is_one = true;
};

// Reads the factor, which fits the promoted dtype. A factor of integers that is floating point counts as an int64.
inline Status read_alpha(const diopiScalar_t* alpha, diopiDtype_t promoted, bool negate, Alpha* result) {
  if (alpha == nullptr) return diopiSuccess;
  diopiScalar_t factor = *alpha;
  if (diopi::is_exact(promoted) && diopi::is_floating(factor)) {
    DIOPI_TRY(diopi::require_fits(factor, "alpha", diopi_dtype_int64));
    factor = diopi::whole_part(*alpha);
  }
  result->is_one = diopi::is_floating(factor) ? factor.fval == 1 : factor.ival == 1;
  if (negate && diopi::is_floating(factor)) factor.fval = -factor.fval;
  if (negate && !diopi::is_floating(factor)) factor.ival = static_cast<int64_t>(-static_cast<uint64_t>(factor.ival));
  return diopi::store_value(factor, "alpha", diopi::compute_dtype(promoted), result->bytes);
}

inline Status run(diopiContextHandle_t ctx, diopi::AddArgs& args) {
  Alpha alpha;
  DIOPI_TRY(read_alpha(args.alpha, args.promoted, false, &alpha));
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input, &args.other}));
  const bool is_bool = args.promoted == diopi_dtype_bool;
  if (!alpha.is_one && !is_bool) {
    return run_binary(ctx, BinaryOp::kAddScaled, args.out, args.input, args.other, args.promoted, alpha.bytes);
  }
  // The sum of bools is a or (b and alpha).
  const bool without_other = is_bool && !alpha.is_one && alpha.bytes[0] == 0;
  return run_binary(ctx, BinaryOp::kAdd, args.out, args.input, without_other ? args.input : args.other, args.promoted);
}

inline Status run(diopiContextHandle_t ctx, diopi::SubArgs& args) {
  Alpha alpha;
  DIOPI_TRY(read_alpha(args.alpha, args.promoted, true, &alpha));
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input, &args.other}));
  const BinaryOp op = alpha.is_one ? BinaryOp::kSub : BinaryOp::kAddScaled;
  return run_binary(ctx, op, args.out, args.input, args.other, args.promoted, alpha.is_one ? nullptr : alpha.bytes);
}

// Rounds integers of a product or quotient. PyTorch does not round a factor or divisor `other` of one element.
template <typename Args>
Status round_factors(diopiContextHandle_t ctx, Args& args) {
  DIOPI_TRY(round_integers(ctx, args.promoted, args.out, {&args.input}));
  return args.other.numel == 1 ? Status(diopiSuccess) : round_integers(ctx, args.promoted, args.out, {&args.other});
}

inline Status run(diopiContextHandle_t ctx, diopi::MulArgs& args) {
  DIOPI_TRY(round_factors(ctx, args));
  return run_binary(ctx, BinaryOp::kMul, args.out, args.input, args.other, args.promoted);
}

inline Status refuse_zero(const char* divisor) {
  return diopi::fail(diopiErrorOccurred, "%s contains zero: integer division by zero", divisor);
}

// Returns an error if integers are divided by zero. An empty result needs no quotient. A number of the caller may have
// become zero by wrapping around. This is the last check.
inline Status require_nonzero(diopiContextHandle_t ctx, const TensorView& out, const TensorView& divisor,
                              const diopiScalar_t* number, diopiDtype_t promoted) {
  bool found = false;
  if (diopi::is_exact(promoted) && out.numel > 0) DIOPI_TRY(any_zero(ctx, divisor, &found));
  if (found && number == nullptr) return refuse_zero(divisor.name);
  DIOPI_REQUIRE(!found, diopiErrorOccurred, "%s = %s is zero in dtype %s: integer division by zero", divisor.name,
                diopi::ScalarText(*number).c_str(), diopi::dtype_name(divisor.dtype));
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::DivArgs& args) {
  if (args.rounding_mode == RoundModeNone) {
    const diopiDtype_t quotient = diopi::floating_dtype(args.promoted);
    DIOPI_TRY(diopi::require_castable(quotient, args.out));
    // This quotient uses the number unchanged: 256 is not zero, although it would wrap to zero in uint8.
    diopi::NumberOperand number;
    if (args.other_number.scalar != nullptr) number.set(*args.other_number.scalar, "other", quotient, &args.other);
    DIOPI_TRY(round_factors(ctx, args));
    return run_binary(ctx, BinaryOp::kDiv, args.out, args.input, args.other, quotient);
  }
  DIOPI_TRY(diopi::require_castable(args.promoted, args.out));
  DIOPI_TRY(require_nonzero(ctx, args.out, args.other, args.other_number.scalar, args.promoted));
  DIOPI_TRY(round_factors(ctx, args));
  const BinaryOp op = args.rounding_mode == RoundModeTrunc ? BinaryOp::kDivTrunc : BinaryOp::kDivFloor;
  return run_binary(ctx, op, args.out, args.input, args.other, args.promoted);
}

// A 0-d `input` in the place of a number of the caller is the dividend; `other` is always a tensor or such a number.
inline Status run(diopiContextHandle_t ctx, diopi::RemainderTensorArgs& args) {
  DIOPI_TRY(require_nonzero(ctx, args.out, args.other, args.other_number.scalar, args.promoted));
  DIOPI_TRY(round_operands(ctx, args.promoted, args.out, {&args.input, &args.other}));
  return run_binary(ctx, BinaryOp::kRemainder, args.out, args.input, args.other, args.promoted);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/binary.hpp"

#endif  // IMPL_COMMON_FAMILIES_BINARY_HPP_
