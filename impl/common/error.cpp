// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/error.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "impl/common/thread_state.hpp"

namespace diopi {

namespace {
constexpr int kMessageCapacity = 1024;
constexpr size_t kStateBytes = 16384;  // more than the thread-local variables and their table need
thread_local char message[kMessageCapacity] = "";
thread_local uint64_t messages = 0;

constexpr const char* kNoMemory = "out of memory for the state of the calling thread";
std::atomic<const char*> complaint_without_state{""};

// A thread's value of this key is set if the thread has memory for its state. Reading the key allocates no memory;
// reading a thread-local variable could.
struct Prepared {
  pthread_key_t key;
  bool made;
  Prepared() : made(pthread_key_create(&key, nullptr) == 0) {}
};
const Prepared prepared;

__attribute__((cold)) bool prepare_thread(const char* complaint) {
  void* volatile room = std::malloc(kStateBytes);
  if (room == nullptr || pthread_setspecific(prepared.key, &prepared) != 0) {
    complaint_without_state.store(complaint);
    std::free(room);
    return false;
  }
  std::free(room);
  message[0] = '\0';
  static_cast<void>(std::uncaught_exceptions());  // the C++ library keeps these in a thread-local variable too
  return true;
}

// If the key could not be created, every thread is assumed to have memory.
bool has_state() { return !prepared.made || pthread_getspecific(prepared.key) != nullptr; }
}  // namespace

thread_local const char* OperatorScope::current_ = nullptr;

bool thread_is_ready(const char* complaint) { return has_state() || prepare_thread(complaint); }

Status fail(diopiError_t code, const char* format, ...) {
  if (!thread_is_ready(kNoMemory)) return code;
  // The message is formatted in a second buffer, because an argument may point into the current message.
  char text[kMessageCapacity];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  const char* name = OperatorScope::current();
  std::snprintf(message, sizeof(message), "%s%s%.*s", name != nullptr ? name : "", name != nullptr ? ": " : "",
                kMessageCapacity - 128, text);
  ++messages;
  return code;
}

const char* last_error() { return has_state() ? message : complaint_without_state.load(); }

uint64_t message_count() { return messages; }

}  // namespace diopi
