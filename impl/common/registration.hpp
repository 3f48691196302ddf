// SPDX-License-Identifier: BSD-3-Clause
// The functions with which a vendor registers its callbacks. They are weak here, so that a process whose runtime lacks
// them can load the library.
#ifndef IMPL_COMMON_REGISTRATION_HPP_
#define IMPL_COMMON_REGISTRATION_HPP_

#include <diopi/diopi_register.h>

#include "impl/common/error.hpp"

extern "C" {
#define DIOPI_WEAK __attribute__((weak))
DIOPI_WEAK diopiError_t diopiRegisterStreamCreateFunc(create_stream_func_t);
DIOPI_WEAK diopiError_t diopiRegisterStreamDestroyFunc(destroy_stream_func_t);
DIOPI_WEAK diopiError_t diopiRegisterSynchronizeStreamFunc(sync_stream_func_t);
DIOPI_WEAK diopiError_t diopiRegisterDeviceMallocFunc(malloc_func_t);
DIOPI_WEAK diopiError_t diopiRegisterDevMemFreeFunc(free_func_t);
DIOPI_WEAK diopiError_t diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t);
DIOPI_WEAK diopiError_t diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t);
DIOPI_WEAK diopiError_t diopiRegisterMemcpyD2DAsyncFunc(memcpy_d2d_async_func_t);
DIOPI_WEAK diopiError_t diopiRegisterGetLastErrorFunc(get_last_error_string_func_t);
#undef DIOPI_WEAK
}

namespace diopi {

// The device of a vendor.
struct DeviceCallbacks {
  malloc_func_t allocate;
  free_func_t release;
  memcpy_h2d_async_func_t copy_to_device;
  memcpy_d2h_async_func_t copy_to_host;
  memcpy_d2d_async_func_t copy_on_device;
  create_stream_func_t create_stream;
  destroy_stream_func_t destroy_stream;
  sync_stream_func_t synchronize_stream;
};

// Registers each callback, and the function that gives the last error's message, if the runtime has the registering
// function. A framework that provides only diopirt.h manages its own device: then nothing is registered.
inline Status register_device(const DeviceCallbacks& device) {
  const auto offer = [](auto* registration, auto* callback) -> Status {
    return registration != nullptr ? Status(registration(callback)) : Status();
  };
  DIOPI_TRY(offer(diopiRegisterDeviceMallocFunc, device.allocate));
  DIOPI_TRY(offer(diopiRegisterDevMemFreeFunc, device.release));
  DIOPI_TRY(offer(diopiRegisterMemcpyH2DAsyncFunc, device.copy_to_device));
  DIOPI_TRY(offer(diopiRegisterMemcpyD2HAsyncFunc, device.copy_to_host));
  DIOPI_TRY(offer(diopiRegisterMemcpyD2DAsyncFunc, device.copy_on_device));
  DIOPI_TRY(offer(diopiRegisterStreamCreateFunc, device.create_stream));
  DIOPI_TRY(offer(diopiRegisterStreamDestroyFunc, device.destroy_stream));
  DIOPI_TRY(offer(diopiRegisterSynchronizeStreamFunc, device.synchronize_stream));
  return offer(diopiRegisterGetLastErrorFunc, last_error);
}

}  // namespace diopi

#endif  // IMPL_COMMON_REGISTRATION_HPP_
