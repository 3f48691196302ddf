/* SPDX-License-Identifier: BSD-3-Clause */
/* A vendor's library whose device is the host. Its operators, which follow in generated code, accept every call. */
#include <diopi/diopi_register.h>
#include <stdlib.h>
#include <string.h>

static int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = NULL;
  return 0;
}
static int32_t use_stream(diopiStreamHandle_t stream) {
  (void)stream;
  return 0;
}
static void* device_malloc(uint64_t bytes) { return malloc(bytes); }
static int32_t copy(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  (void)stream;
  memcpy(dst, src, bytes);
  return 0;
}

int32_t initLibrary(void) {
  diopiRegisterStreamCreateFunc(create_stream);
  diopiRegisterStreamDestroyFunc(use_stream);
  diopiRegisterSynchronizeStreamFunc(use_stream);
  diopiRegisterDeviceMallocFunc(device_malloc);
  diopiRegisterDevMemFreeFunc(free);
  diopiRegisterMemcpyH2DAsyncFunc(copy);
  diopiRegisterMemcpyD2HAsyncFunc(copy);
  diopiRegisterMemcpyD2DAsyncFunc(copy);
  return 0;
}
int32_t finalizeLibrary(void) { return 0; }
const char* diopiGetVendorName(void) { return "accepting"; }
const char* diopiGetImplVersion(void) { return "1.0.0"; }
const char* diopiGetLastErrorString(void) { return ""; }
