// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/image.hpp"

#include <sys/mman.h>

#include "impl/common/alignment.hpp"

namespace diopi::fallback {

void UnmapMemory::operator()(char* memory) const { munmap(memory, bytes); }

Status Image::allocate() {
  shift_ = begin_ % kAlignment;
  const size_t bytes = end_ - begin_ + shift_;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  DIOPI_REQUIRE(memory != MAP_FAILED, diopiErrorOccurred,
                "the host has no memory for a copy of %zu bytes of the device", bytes);
  memory_ = std::unique_ptr<char, UnmapMemory>(static_cast<char*>(memory), UnmapMemory{bytes});
  return diopiSuccess;
}

}  // namespace diopi::fallback
