// SPDX-License-Identifier: BSD-3-Clause
// What the runtime needs of a vendor: memory, copies, streams. Here all of it is the host's.
#include <diopi/diopi_register.h>

#include <cstdlib>
#include <cstring>

#include "common/error.hpp"

namespace impl::skeleton {

namespace {

void* allocate(uint64_t bytes) { return std::malloc(bytes == 0 ? 1 : bytes); }

void release(void* memory) { std::free(memory); }

int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = std::malloc(1);
  return *stream != nullptr ? 0 : 1;
}

int32_t destroy_stream(diopiStreamHandle_t stream) {
  std::free(stream);
  return 0;
}

int32_t synchronize_stream(diopiStreamHandle_t) { return 0; }

int32_t copy(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  if (bytes != 0) std::memmove(dst, src, bytes);
  return 0;
}

}  // namespace

int32_t init_library() {
  const diopiError_t results[] = {
      diopiRegisterDeviceMallocFunc(allocate),
      diopiRegisterDevMemFreeFunc(release),
      diopiRegisterMemcpyD2DAsyncFunc(copy),
      diopiRegisterMemcpyD2HAsyncFunc(copy),
      diopiRegisterMemcpyH2DAsyncFunc(copy),
      diopiRegisterStreamCreateFunc(create_stream),
      diopiRegisterStreamDestroyFunc(destroy_stream),
      diopiRegisterSynchronizeStreamFunc(synchronize_stream),
      diopiRegisterGetLastErrorFunc(diopi::last_error),
  };
  for (const diopiError_t result : results) {
    if (result != diopiSuccess) return result;
  }
  return 0;
}

int32_t finalize_library() { return 0; }

// The adaptor reads integers with it, to refuse an int64 that does not fit int32.
diopiError_t copy_to_host(diopiContextHandle_t, void* host, const void* device, int64_t bytes) {
  std::memcpy(host, device, bytes);
  return diopiSuccess;
}

}  // namespace impl::skeleton
