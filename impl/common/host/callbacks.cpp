// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/host/callbacks.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "impl/common/alignment.hpp"
#include "impl/common/registration.hpp"

namespace diopi {

namespace {

void* allocate(uint64_t bytes) {
  const uint64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (rounded < bytes) return nullptr;
  return std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
}

void release(void* memory) { std::free(memory); }

// Every call has finished its work when it returns, so a stream is only a unique address.
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

Status register_host_callbacks() {
  return register_device({allocate, release, copy, copy, copy, create_stream, destroy_stream, synchronize_stream});
}

}  // namespace diopi
