// SPDX-License-Identifier: BSD-3-Clause
// Calls of the functions of diopirt.h, whose failures come without a message.
#pragma once

#include "error.hpp"

namespace diopi {

// Stores the message of a function of the runtime that failed. `subject` is what the call was about: a parameter, or
// what the memory was for.
Status runtime_failed(const char* function, const char* subject, diopiError_t code) __attribute__((cold));

}  // namespace diopi

// Leaves the function with a message where `function`, of the runtime, fails:
// DIOPI_TRY_RUNTIME("input", diopiGetTensorShape, handle, &shape).
#define DIOPI_TRY_RUNTIME(subject, function, ...)                        \
  do {                                                                   \
    const diopiError_t diopi_code_ = function(__VA_ARGS__);              \
    if (__builtin_expect(diopi_code_ != diopiSuccess, 0)) {              \
      return ::diopi::runtime_failed(#function, (subject), diopi_code_); \
    }                                                                    \
  } while (0)
