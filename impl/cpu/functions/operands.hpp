// SPDX-License-Identifier: BSD-3-Clause
// Functions that operators without a family share: numbers as operands, and a check of dtypes.
#ifndef IMPL_CPU_FUNCTIONS_OPERANDS_HPP_
#define IMPL_CPU_FUNCTIONS_OPERANDS_HPP_

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/number_operand.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/unsupported.hpp"
#include "impl/cpu/pointwise/binary.hpp"

namespace impl::cpu {

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

// Requires float16, bfloat16, float32 or float64.
Status require_floating(const TensorView& view);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_OPERANDS_HPP_
