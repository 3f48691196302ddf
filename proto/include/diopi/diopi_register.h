/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
#ifndef DIOPI_REGISTER_H_
#define DIOPI_REGISTER_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif
typedef int32_t (*create_stream_func_t)(diopiStreamHandle_t*);
typedef int32_t (*destroy_stream_func_t)(diopiStreamHandle_t);
typedef int32_t (*sync_stream_func_t)(diopiStreamHandle_t stream);
typedef void*(*malloc_func_t)(uint64_t);
typedef void (*free_func_t)(void*);
typedef int32_t (*memcpy_h2d_async_func_t)(diopiStreamHandle_t stream, void*dst, const void*src, uint64_t bytes);
typedef int32_t (*memcpy_d2h_async_func_t)(diopiStreamHandle_t stream, void*dst, const void*src, uint64_t bytes);
typedef int32_t (*memcpy_d2d_async_func_t)(diopiStreamHandle_t stream, void*dst, const void*src, uint64_t bytes);
typedef const char*(*get_last_error_string_func_t)(void);
DIOPI_RT_API diopiError_t diopiRegisterStreamCreateFunc(create_stream_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterStreamDestroyFunc(destroy_stream_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterSynchronizeStreamFunc(sync_stream_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterDeviceMallocFunc(malloc_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterDevMemFreeFunc(free_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterMemcpyH2DAsyncFunc(memcpy_h2d_async_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterMemcpyD2HAsyncFunc(memcpy_d2h_async_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterMemcpyD2DAsyncFunc(memcpy_d2d_async_func_t func);
DIOPI_RT_API diopiError_t diopiRegisterGetLastErrorFunc(get_last_error_string_func_t func);

/* What a vendor's library defines: called once after loading, and once before unloading. */
int32_t initLibrary(void);
int32_t finalizeLibrary(void);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_REGISTER_H_ */
