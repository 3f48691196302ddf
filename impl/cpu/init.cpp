// SPDX-License-Identifier: BSD-3-Clause
// The callbacks through which the runtime uses this vendor's memory: on a CPU, the host's.
#include <diopi/diopi_register.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/error.hpp"
#include "cpu/instruction_set.hpp"

namespace impl::cpu {

namespace {

constexpr uint64_t kAlignment = 64;  // a cache line, and the widest vector

void* allocate(uint64_t bytes) {
  const uint64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (rounded < bytes) return nullptr;
  return std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
}

void release(void* memory) { std::free(memory); }

// Work is done when a call returns, so that a stream needs to be nothing but distinguishable from none.
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
  if (!limit_instruction_set(std::getenv("DIOPI_CPU_ISA")).ok()) return diopiErrorOccurred;
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

}  // namespace impl::cpu
