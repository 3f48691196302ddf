// SPDX-License-Identifier: BSD-3-Clause
// A number that replaces a tensor operand.
#ifndef IMPL_COMMON_NUMBER_OPERAND_HPP_
#define IMPL_COMMON_NUMBER_OPERAND_HPP_

#include "impl/common/scalar.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// Writes a number as an element of `dtype`; integers wrap around. `bytes` has room for 16 bytes.
void store_number(const diopiScalar_t& value, diopiDtype_t dtype, void* bytes);
// store_number() for a value, which must fit `dtype`.
Status store_value(const diopiScalar_t& value, const char* name, diopiDtype_t dtype, void* bytes);

// Keeps the element of a 0-d view. Numbers of float16 and bfloat16 are stored as float32, so that they are not rounded
// before the computation.
struct NumberOperand {
  NumberOperand() = default;
  NumberOperand(const NumberOperand&) = delete;  // `view` points into it
  NumberOperand& operator=(const NumberOperand&) = delete;

  // Makes `view` a 0-d operand of the compute dtype of `dtype`.
  void set(const diopiScalar_t& value, const char* name, diopiDtype_t dtype, TensorView* view);

  const diopiScalar_t* scalar = nullptr;  // the number of the caller; null if the operand is a tensor
  alignas(16) char bytes[16];
};

}  // namespace diopi

#endif  // IMPL_COMMON_NUMBER_OPERAND_HPP_
