// SPDX-License-Identifier: BSD-3-Clause
#include "error.hpp"

#include <cstdarg>
#include <cstdio>

namespace diopi {

namespace {
constexpr int kMessageCapacity = 1024;
thread_local char message[kMessageCapacity] = "";
}  // namespace

thread_local const char* OperatorScope::current_ = nullptr;

Status fail(diopiError_t code, const char* format, ...) {
  // Formatted into a second buffer first: an argument may point into the current message.
  char text[kMessageCapacity];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  const char* name = OperatorScope::current();
  std::snprintf(message, sizeof(message), "%s%s%.*s", name != nullptr ? name : "", name != nullptr ? ": " : "",
                kMessageCapacity - 128, text);
  return code;
}

const char* last_error() { return message; }

}  // namespace diopi
