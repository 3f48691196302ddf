// SPDX-License-Identifier: BSD-3-Clause
// The error of an engine that has no kernel for a dtype.
#ifndef IMPL_COMMON_UNSUPPORTED_HPP_
#define IMPL_COMMON_UNSUPPORTED_HPP_

#include <initializer_list>

#include "impl/common/tensor_view.hpp"

namespace diopi {

// The error for an operation that has no kernel for `dtype`, in which these operands would be computed. Null operands
// are skipped.
Status unsupported_dtype(diopiDtype_t dtype, std::initializer_list<const TensorView*> operands);

}  // namespace diopi

#endif  // IMPL_COMMON_UNSUPPORTED_HPP_
