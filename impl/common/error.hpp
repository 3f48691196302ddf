// SPDX-License-Identifier: BSD-3-Clause
// The result type of every internal function, and the thread's last error message.
#ifndef IMPL_COMMON_ERROR_HPP_
#define IMPL_COMMON_ERROR_HPP_

#include <diopi/diopirt.h>

namespace diopi {

// A `diopiError_t` whose value must not be ignored: the compiler warns.
class [[nodiscard]] Status {
 public:
  // Implicit conversions in both directions are intended.
  constexpr Status(diopiError_t code = diopiSuccess) : code_(code) {}  // NOLINT
  constexpr operator diopiError_t() const { return code_; }            // NOLINT
  constexpr bool ok() const { return code_ == diopiSuccess; }

 private:
  diopiError_t code_;
};

// Stores `<operator>: <message>` as the thread's last error and returns `code`. Long messages are cut; nothing is
// allocated.
Status fail(diopiError_t code, const char* format, ...) __attribute__((format(printf, 2, 3), cold));

// The thread's last error message; empty before the first failure.
const char* last_error();

// Sets the operator that the thread is executing, for messages. The entries use it; scopes may be nested.
class OperatorScope {
 public:
  explicit OperatorScope(const char* name) : previous_(current_) { current_ = name; }
  ~OperatorScope() { current_ = previous_; }
  OperatorScope(const OperatorScope&) = delete;
  OperatorScope& operator=(const OperatorScope&) = delete;
  static const char* current() { return current_; }

 private:
  static thread_local const char* current_;
  const char* previous_;
};

}  // namespace diopi

// Returns `code` from the enclosing function and stores a message, unless `cond` holds.
#define DIOPI_REQUIRE(cond, code, ...)           \
  do {                                           \
    if (__builtin_expect(!(cond), 0)) {          \
      return ::diopi::fail((code), __VA_ARGS__); \
    }                                            \
  } while (0)

// Returns the status of `expr` from the enclosing function, unless it is success.
#define DIOPI_TRY(expr)                             \
  do {                                              \
    const ::diopi::Status diopi_status_ = (expr);   \
    if (__builtin_expect(!diopi_status_.ok(), 0)) { \
      return diopi_status_;                         \
    }                                               \
  } while (0)

#endif  // IMPL_COMMON_ERROR_HPP_
