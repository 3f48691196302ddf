/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * How a vendor's library gives its device to the reference runtime: initLibrary registers one function per service.
 * A service that is missing makes the runtime return the service's own code of diopiError_t when it is needed.
 * A framework need not define the functions that register: a vendor's library refers to them weakly.
 */
#ifndef DIOPI_REGISTER_H_
#define DIOPI_REGISTER_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a stream; 0 for success. */
typedef int32_t (*create_stream_func_t)(diopiStreamHandle_t*);

/** Destroys a stream; 0 for success. */
typedef int32_t (*destroy_stream_func_t)(diopiStreamHandle_t);

/** Waits until a stream has run dry; 0 for success. */
typedef int32_t (*sync_stream_func_t)(diopiStreamHandle_t stream);

/** Allocates device memory; null where there is none. */
typedef void* (*malloc_func_t)(uint64_t);

/** Frees device memory. */
typedef void (*free_func_t)(void*);

/** Queues a copy from host to device; 0 for success. */
typedef int32_t (*memcpy_h2d_async_func_t)(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes);

/** Queues a copy from device to host; 0 for success. */
typedef int32_t (*memcpy_d2h_async_func_t)(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes);

/** Queues a copy within the device; 0 for success. */
typedef int32_t (*memcpy_d2d_async_func_t)(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes);

/** Message of the vendor's last failure. */
typedef const char* (*get_last_error_string_func_t)(void);

/** Registers how streams are created. */
DIOPI_RT_API diopiError_t diopiRegisterStreamCreateFunc(create_stream_func_t func);

/** Registers how streams are destroyed. */
DIOPI_RT_API diopiError_t diopiRegisterStreamDestroyFunc(destroy_stream_func_t func);

/** Registers how a stream is waited for. */
DIOPI_RT_API diopiError_t diopiRegisterSynchronizeStreamFunc(sync_stream_func_t func);

/** Registers how device memory is allocated. */
DIOPI_RT_API diopiError_t diopiRegisterDeviceMallocFunc(malloc_func_t func);

/** Registers how device memory is freed. */
DIOPI_RT_API diopiError_t diopiRegisterDevMemFreeFunc(free_func_t func);

/** Registers copies from host to device. */
DIOPI_RT_API diopiError_t diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t func);

/** Registers copies from device to host. */
DIOPI_RT_API diopiError_t diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t func);

/** Registers copies within the device. */
DIOPI_RT_API diopiError_t diopiRegisterMemcpyD2DAsyncFunc(memcpy_d2d_async_func_t func);

/** Registers where the message of a failure comes from. */
DIOPI_RT_API diopiError_t diopiRegisterGetLastErrorFunc(get_last_error_string_func_t func);

/** Called once after the library is loaded: registers the functions above; 0 for success. */
int32_t initLibrary(void);

/** Called once before the library is unloaded; 0 for success. */
int32_t finalizeLibrary(void);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_REGISTER_H_ */
