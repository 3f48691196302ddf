// SPDX-License-Identifier: BSD-3-Clause
// The functions of a vendor's library that are no operators, and the registering functions of the runtime.
#include <diopi/diopi_register.h>
#include <diopi/diopirt.h>
#include <diopi_fallback.h>
#include <dlfcn.h>

#include "adaptor/layer/dispatch.hpp"
#include "adaptor/layer/library/library.hpp"
#include "adaptor/layer/output.hpp"
#include "impl/common/error.hpp"

#define DIOPI_LAYER_EXPORT __attribute__((visibility("default")))

namespace {

using namespace diopi::layer;

template <typename Function>
Function below(const char* name) {
  return reinterpret_cast<Function>(library_symbol(name));
}

template <typename Function>
Function runtime(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

const char* text_below(const char* name) {
  const auto function = below<const char* (*)()>(name);
  return function != nullptr ? function() : "";
}

}  // namespace

extern "C" {

DIOPI_LAYER_EXPORT int32_t initLibrary(void) {
  find_library();
  const auto function = below<int32_t (*)()>("initLibrary");
  if (function != nullptr) return function();
  return diopi::fail(diopiErrorOccurred, "%s", library_failure());
}

DIOPI_LAYER_EXPORT int32_t finalizeLibrary(void) {
  const auto function = below<int32_t (*)()>("finalizeLibrary");
  return function != nullptr ? function() : 0;
}

DIOPI_LAYER_EXPORT const char* diopiGetVendorName(void) { return text_below("diopiGetVendorName"); }

DIOPI_LAYER_EXPORT const char* diopiGetImplVersion(void) { return text_below("diopiGetImplVersion"); }

DIOPI_LAYER_EXPORT const char* diopiGetLastErrorString(void) {
  if (failed_in_layer() || library_path()[0] == '\0') return diopi::last_error();
  return text_below("diopiGetLastErrorString");
}

DIOPI_LAYER_EXPORT int64_t diopiGetFallbacks(diopiFallbackRow_t* rows, int64_t capacity) {
  const auto function = below<decltype(&diopiGetFallbacks)>("diopiGetFallbacks");
  return function != nullptr ? function(rows, capacity) : 0;
}

DIOPI_LAYER_EXPORT diopiSupport_t diopiSupports(const char* function, const char* parameter, diopiDtype_t dtype) {
  const auto below_layer = below<decltype(&diopiSupports)>("diopiSupports");
  return below_layer != nullptr ? below_layer(function, parameter, dtype) : diopiSupportNone;
}

DIOPI_LAYER_EXPORT diopiError_t diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t callback);
DIOPI_LAYER_EXPORT diopiError_t diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t callback);
DIOPI_LAYER_EXPORT diopiError_t diopiRegisterSynchronizeStreamFunc(sync_stream_func_t callback);

// NOLINTBEGIN(bugprone-reserved-identifier): fallback/device.cpp keeps the callbacks under these names.
diopiError_t __wrap_diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t callback);
diopiError_t __wrap_diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t callback);
diopiError_t __wrap_diopiRegisterSynchronizeStreamFunc(sync_stream_func_t callback);

#define DIOPI_LAYER_REGISTRATION(name, type)                                        \
  __attribute__((visibility("hidden"))) diopiError_t __real_##name(type callback) { \
    const auto next = runtime<diopiError_t (*)(type)>(#name);                       \
    return next != nullptr ? next(callback) : diopiSuccess;                         \
  }                                                                                 \
  diopiError_t name(type callback) { return __wrap_##name(callback); }

DIOPI_LAYER_REGISTRATION(diopiRegisterMemcpyH2DAsyncFunc, memcpy_h2d_async_func_t)
DIOPI_LAYER_REGISTRATION(diopiRegisterMemcpyD2HAsyncFunc, memcpy_d2h_async_func_t)
DIOPI_LAYER_REGISTRATION(diopiRegisterSynchronizeStreamFunc, sync_stream_func_t)
// NOLINTEND(bugprone-reserved-identifier)
}
