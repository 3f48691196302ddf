// SPDX-License-Identifier: BSD-3-Clause
// The error of an engine that has no kernel for a dtype.
#ifndef IMPL_CPU_ENGINE_UNSUPPORTED_HPP_
#define IMPL_CPU_ENGINE_UNSUPPORTED_HPP_

#include <initializer_list>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// The error for an operation that has no kernel for `dtype`, in which these operands would be computed. Null operands
// are skipped.
diopi::Status unsupported_dtype(diopiDtype_t dtype, std::initializer_list<const diopi::TensorView*> operands);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_UNSUPPORTED_HPP_
