// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by element-wise operators: scalars as operands, and checked calls of two-operand kernels.
#ifndef IMPL_CPU_FUNCTIONS_OPERANDS_HPP_
#define IMPL_CPU_FUNCTIONS_OPERANDS_HPP_

#include <initializer_list>
#include <optional>

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/number_operand.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/pointwise/binary.hpp"

namespace impl::cpu {

using diopi::store_value;

// A number that replaces a tensor: a 0-d operand of the given dtype, in which integers wrap around.
class ScalarOperand {
 public:
  ScalarOperand(const diopiScalar_t& value, diopiDtype_t dtype, const char* name) {
    number_.set(value, name, dtype, &view_);
  }
  const TensorView& view() const { return view_; }

 private:
  diopi::NumberOperand number_;
  TensorView view_;
};

// A number that is a value (a bound, an exponent, ...): an operand of the given dtype, which it must fit.
class ScalarValue {
 public:
  Status read(const diopiScalar_t& value, const char* name, diopiDtype_t dtype) {
    DIOPI_TRY(diopi::require_fits(value, name, dtype));
    operand_.emplace(value, dtype, name);
    return diopiSuccess;
  }
  const TensorView& view() const { return operand_->view(); }

 private:
  std::optional<ScalarOperand> operand_;
};

// Whether an element of an integral tensor is zero.
bool has_zero(const TensorView& view);

// Computes out = op(a, b) in the compute dtype of `promoted`. Checks shapes and dtypes first.
Status call_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                   const TensorView& b, diopiDtype_t promoted, const void* params = nullptr);

// Requires that `out` has the broadcast shape of `a` and `b`.
Status require_broadcast_shape(const TensorView& out, const TensorView& a, const TensorView& b);

// Requires float16, bfloat16, float32 or float64.
Status require_floating(const TensorView& view);

// The error for an operation that has no kernel for `dtype`, in which these operands would be computed. Null operands
// are skipped.
Status unsupported_dtype(diopiDtype_t dtype, std::initializer_list<const TensorView*> operands);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_OPERANDS_HPP_
