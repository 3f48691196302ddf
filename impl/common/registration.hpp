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

// Registers a callback if the runtime has the registering function. A framework that provides only diopirt.h manages
// its own device.
template <typename Callback>
Status offer(diopiError_t (*registration)(Callback), Callback callback) {
  return registration != nullptr ? registration(callback) : diopiSuccess;
}

}  // namespace diopi

#endif  // IMPL_COMMON_REGISTRATION_HPP_
