// SPDX-License-Identifier: BSD-3-Clause
// The nine callbacks that every vendor registers. The device of this vendor is made of memory that the host cannot
// access: an address of the device belongs to pages without rights, and only the copies below know the memory behind
// it.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "impl/common/registration.hpp"

namespace impl::minimal {

namespace {

struct Block {
  uint64_t bytes;
  char* memory;
};

std::mutex mutex;
std::map<char*, Block> blocks;  // by their address on the device

// Pages take memory when they are first written.
char* map_pages(uint64_t bytes, int rights) {
  void* const pages = mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages != MAP_FAILED ? static_cast<char*>(pages) : nullptr;
}

void* allocate(uint64_t bytes) {
  const uint64_t room = bytes > 0 ? bytes : 1;
  char* const memory = map_pages(room, PROT_READ | PROT_WRITE);
  char* const address = memory != nullptr ? map_pages(room, PROT_NONE) : nullptr;
  if (address == nullptr && memory != nullptr) munmap(memory, room);
  if (address == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  blocks[address] = {room, memory};
  return address;
}

void release(void* address) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto block = blocks.find(static_cast<char*>(address));
  if (block == blocks.end()) return;
  munmap(address, block->second.bytes);
  munmap(block->second.memory, block->second.bytes);
  blocks.erase(block);
}

}  // namespace

// The memory behind an address of the device; null if the bytes are not all in one block.
char* behind(const void* device, uint64_t bytes) {
  char* const address = static_cast<char*>(const_cast<void*>(device));
  const std::lock_guard<std::mutex> lock(mutex);
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) return nullptr;
  const uint64_t offset = static_cast<uint64_t>(address - (--block)->first);
  const bool inside = offset <= block->second.bytes && bytes <= block->second.bytes - offset;
  return inside ? block->second.memory + offset : nullptr;
}

namespace {

// Copies end before they return, so no stream has anything to wait for.
int32_t copy(void* dst, const void* src, uint64_t bytes) {
  if (dst == nullptr || src == nullptr) return bytes == 0 ? 0 : 1;
  std::memmove(dst, src, bytes);
  return 0;
}

int32_t copy_to_device(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return copy(behind(dst, bytes), src, bytes);
}

int32_t copy_to_host(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return copy(dst, behind(src, bytes), bytes);
}

int32_t copy_on_device(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return copy(behind(dst, bytes), behind(src, bytes), bytes);
}

int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = std::malloc(1);
  return *stream != nullptr ? 0 : 1;
}

int32_t destroy_stream(diopiStreamHandle_t stream) {
  std::free(stream);
  return 0;
}

int32_t synchronize_stream(diopiStreamHandle_t) { return 0; }

}  // namespace

int32_t init_library() {
  return diopi::register_device({allocate, release, copy_to_device, copy_to_host, copy_on_device, create_stream,
                                 destroy_stream, synchronize_stream});
}

}  // namespace impl::minimal
