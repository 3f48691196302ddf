// SPDX-License-Identifier: BSD-3-Clause
// Calls of the functions of diopirt.h, which set no message when they fail.
#ifndef IMPL_COMMON_RUNTIME_CALL_HPP_
#define IMPL_COMMON_RUNTIME_CALL_HPP_

#include "impl/common/error.hpp"

namespace diopi {

// Stores a message for a failed function of the runtime. `subject` names the parameter of the call, or the purpose of
// the memory.
Status runtime_failed(const char* function, const char* subject, diopiError_t code) __attribute__((cold));

}  // namespace diopi

// Returns from the enclosing function with a message if the runtime's `function` fails:
// DIOPI_TRY_RUNTIME("input", diopiGetTensorShape, handle, &shape).
#define DIOPI_TRY_RUNTIME(subject, function, ...)                        \
  do {                                                                   \
    const diopiError_t diopi_code_ = function(__VA_ARGS__);              \
    if (__builtin_expect(diopi_code_ != diopiSuccess, 0)) {              \
      return ::diopi::runtime_failed(#function, (subject), diopi_code_); \
    }                                                                    \
  } while (0)

#endif  // IMPL_COMMON_RUNTIME_CALL_HPP_
