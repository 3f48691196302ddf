// SPDX-License-Identifier: BSD-3-Clause
// The linker replaces the registering functions that the vendor's objects call by __wrap_... (option --wrap), which
// keep the callbacks and pass them on to the runtime.
#include "adaptor/entry/fallback/device.hpp"

#include <diopi/diopi_register.h>

#include <atomic>

#include "impl/common/runtime_call.hpp"
#include "impl/common/thread_state.hpp"

namespace {

std::atomic<memcpy_h2d_async_func_t> copy_to_device{nullptr};
std::atomic<memcpy_d2h_async_func_t> copy_to_host{nullptr};
std::atomic<sync_stream_func_t> synchronize{nullptr};

// Passes a callback on to the runtime, if the runtime has the registering function.
template <typename Callback>
diopiError_t keep(std::atomic<Callback>* kept, Callback callback, diopiError_t (*registration)(Callback)) {
  kept->store(callback);
  return registration != nullptr ? registration(callback) : diopiSuccess;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker prescribes these names.
extern "C" {
__attribute__((weak)) diopiError_t __real_diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t);
__attribute__((weak)) diopiError_t __real_diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t);
__attribute__((weak)) diopiError_t __real_diopiRegisterSynchronizeStreamFunc(sync_stream_func_t);

diopiError_t __wrap_diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t callback) {
  return keep(&copy_to_device, callback, __real_diopiRegisterMemcpyH2DAsyncFunc);
}

diopiError_t __wrap_diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t callback) {
  return keep(&copy_to_host, callback, __real_diopiRegisterMemcpyD2HAsyncFunc);
}

diopiError_t __wrap_diopiRegisterSynchronizeStreamFunc(sync_stream_func_t callback) {
  return keep(&synchronize, callback, __real_diopiRegisterSynchronizeStreamFunc);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace diopi::fallback {

namespace {

// What a callback of the vendor returned, and the message that it stored, if any.
struct Answer {
  int32_t code;
  const char *separator, *text;
};

template <typename Callback, typename... Arguments>
Answer ask(const std::atomic<Callback>& callback, Arguments... arguments) {
  const uint64_t before = message_count();
  const OperatorScope nameless(nullptr);  // the message of the call that fails names the operator
  const int32_t code = callback.load()(arguments...);
  const bool speaks = code != 0 && message_count() != before;
  return {code, speaks ? ": " : "", speaks ? last_error() : ""};
}

}  // namespace

Status Device::open() {
  DIOPI_REQUIRE(copy_to_device.load() != nullptr && copy_to_host.load() != nullptr && synchronize.load() != nullptr,
                diopiNotInited,
                "the call needs the host, but initLibrary has not registered copies to and from the device and the "
                "synchronisation of a stream");
  DIOPI_TRY_RUNTIME("stream", diopiGetStream, ctx_, &stream_);
  return diopiSuccess;
}

Status Device::to_host(void* host, const void* device, uint64_t bytes) {
  const Answer answer = ask(copy_to_host, stream_, host, device, bytes);
  DIOPI_REQUIRE(answer.code == 0, diopiErrorOccurred,
                "the vendor's copy of %llu bytes from the device failed with code %d%s%s",
                static_cast<unsigned long long>(bytes), answer.code, answer.separator, answer.text);
  return diopiSuccess;
}

Status Device::to_device(void* device, const void* host, uint64_t bytes) {
  const Answer answer = ask(copy_to_device, stream_, device, host, bytes);
  DIOPI_REQUIRE(answer.code == 0, diopiErrorOccurred,
                "the vendor's copy of %llu bytes to the device failed with code %d%s%s",
                static_cast<unsigned long long>(bytes), answer.code, answer.separator, answer.text);
  return diopiSuccess;
}

Status Device::wait() {
  const Answer answer = ask(synchronize, stream_);
  DIOPI_REQUIRE(answer.code == 0, diopiErrorOccurred, "waiting for the stream failed with code %d%s%s", answer.code,
                answer.separator, answer.text);
  return diopiSuccess;
}

}  // namespace diopi::fallback
