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
constexpr size_t kStateBytes = 16384;  // more than the thread-local variables of other libraries and their table need

constexpr const char* kNoMemory = "out of memory for the state of the calling thread";
constexpr const char* kNoKey = "there is no message, because the process has no more keys of the thread library";
std::atomic<const char*> complaint_without_message{""};

// A thread's value of this key is its message. The C library frees it when the thread ends. The message is no
// thread-local variable, because these are in memory that the process has little of (DIOPI_THREAD_STATE_OPTIONS).
struct MessageKey {
  pthread_key_t key;
  bool made;
  MessageKey() : made(pthread_key_create(&key, std::free) == 0) {}
};
const MessageKey message_key;

// The message of the calling thread; null before the thread is prepared, and while it ends.
char* message() { return message_key.made ? static_cast<char*>(pthread_getspecific(message_key.key)) : nullptr; }

// Whether the calling thread has a message; it makes an empty one if there was none.
bool make_message() {
  if (message() != nullptr) return true;
  auto* const made = static_cast<char*>(std::malloc(kMessageCapacity));
  if (made == nullptr || pthread_setspecific(message_key.key, made) != 0) {
    std::free(made);
    return false;
  }
  made[0] = '\0';
  return true;
}
}  // namespace

thread_local const char* OperatorScope::current_ = nullptr;
__thread ThreadState thread_state = {0, 0, false};

bool prepare_thread(const char* complaint) {
  void* volatile room = std::malloc(kStateBytes);
  const bool has_memory = room != nullptr && (!message_key.made || make_message());
  std::free(room);
  if (!has_memory || !message_key.made) complaint_without_message.store(has_memory ? kNoKey : complaint);
  if (!has_memory) return false;
  static_cast<void>(std::uncaught_exceptions());  // the C++ library keeps these in a thread-local variable too
  thread_state.ready = true;
  return true;
}

Status fail(diopiError_t code, const char* format, ...) {
  if (message() == nullptr && !prepare_thread(kNoMemory)) return code;
  ++thread_state.messages;
  char* const kept = message();
  if (kept == nullptr) return code;
  // The message is formatted in a second buffer, because an argument may point into the current message.
  char text[kMessageCapacity];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  const char* name = OperatorScope::current();
  std::snprintf(kept, kMessageCapacity, "%s%s%.*s", name != nullptr ? name : "", name != nullptr ? ": " : "",
                kMessageCapacity - 128, text);
  return code;
}

const char* last_error() {
  const char* const kept = message();
  return kept != nullptr ? kept : complaint_without_message.load();
}

}  // namespace diopi
