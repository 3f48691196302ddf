// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "block.hpp"
#include "sanitizers.hpp"

namespace diopi::emulation {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kArenaBytes = size_t{kAsan || kTsan ? 64 : 256} << 30;
constexpr size_t kMargin = size_t{16} << 30;  // without access at both ends, for offsets that have overflowed
constexpr size_t kDefaultLimit = size_t{48} << 30;
constexpr size_t kFilled = 1 << 20;  // bytes at both ends of an allocation that are made NaN
constexpr unsigned char kCanary = 0xC5;
constexpr size_t kCanaryBytes = 64;

// An allocation lies at the end of its pages, and a page without access follows. Its address is a multiple of 16.
struct Pages {
  Allocation allocation;
  char* begin;
  size_t bytes;
  char* end() const { return begin + bytes; }
};

std::map<uintptr_t, Pages> live;  // by the address of the first page
std::map<uintptr_t, size_t> pinned;
char* arena;
size_t in_use, next_page = kMargin;
int depth;  // of OpenMemory

void protect(const Pages& pages, bool open) {
  mprotect(pages.begin, pages.bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void protect_all(bool open) {
  for (const auto& entry : live) protect(entry.second, open);
}

bool reserve_arena() {
  if (arena != nullptr) return true;
  void* const pages = mmap(nullptr, kArenaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return false;
  arena = static_cast<char*>(pages);
  install_fault_handler();
  return true;
}

// The place of so many free bytes and a gap, after the last allocation, so that a released address is not soon used
// again. Null if there is no such place.
char* find_place(size_t bytes) {
  for (int round = 0; round < 2; ++round) {
    size_t at = round == 0 ? next_page : kMargin;
    auto after = live.lower_bound(reinterpret_cast<uintptr_t>(arena) + at);
    if (after != live.begin()) {
      const size_t end = static_cast<size_t>(std::prev(after)->second.end() - arena);
      if (end + kPage > at) at = end + kPage;
    }
    for (;;) {
      const size_t limit =
          after == live.end() ? kArenaBytes - kMargin : static_cast<size_t>(after->second.begin - arena);
      if (at + bytes + kPage <= limit) {
        next_page = at + bytes + kPage;
        return arena + at;
      }
      if (after == live.end()) break;
      at = static_cast<size_t>(after->second.end() - arena) + kPage;
      ++after;
    }
  }
  return nullptr;
}

size_t front_canary(const Pages& pages) {
  const auto room = static_cast<size_t>(pages.allocation.address - pages.begin);
  return room < kCanaryBytes ? room : kCanaryBytes;
}

void fill(const Pages& pages) {
  char* const data = pages.allocation.address;
  const size_t bytes = pages.allocation.bytes;
  const size_t front = front_canary(pages);
  std::memset(data - front, kCanary, front);
  std::memset(data + bytes, kCanary, static_cast<size_t>(pages.end() - data) - bytes);
  if (bytes <= 2 * kFilled) {
    std::memset(data, 0xFF, bytes);
  } else {
    std::memset(data, 0xFF, kFilled);
    std::memset(data + bytes - kFilled, 0xFF, kFilled);
  }
  forbid_access(data - front, front);
  forbid_access(data + bytes, static_cast<size_t>(pages.end() - data) - bytes);
}

void check_canaries(const Pages& pages) {
  const char* const data = pages.allocation.address;
  const size_t front = front_canary(pages);
  allow_access(pages.begin, pages.bytes);
  bool intact = true;
  for (const char* at = data - front; at < data; ++at) intact = intact && static_cast<unsigned char>(*at) == kCanary;
  for (const char* at = data + pages.allocation.bytes; at < pages.end(); ++at) {
    intact = intact && static_cast<unsigned char>(*at) == kCanary;
  }
  if (!intact) misuse({"device memory", 0}, "the device wrote beside an allocation that is released now");
}

const Pages* pages_of(const void* address) {
  auto after = live.upper_bound(reinterpret_cast<uintptr_t>(address));
  return after == live.begin() ? nullptr : &std::prev(after)->second;
}

}  // namespace

size_t memory_limit() {
  const char* const text = std::getenv("DIOPI_CUDA_MEMORY");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : kDefaultLimit;
}

size_t memory_in_use() { return in_use; }

void* allocate(size_t bytes) {
  const size_t limit = memory_limit();
  if (bytes > limit || in_use > limit - bytes || !reserve_arena()) return nullptr;
  Pages pages;
  pages.bytes = (bytes + kPage - 1) / kPage * kPage;
  pages.begin = find_place(pages.bytes);
  if (pages.begin == nullptr) return nullptr;
  pages.allocation = {pages.end() - (bytes + 15) / 16 * 16, bytes};
  live[reinterpret_cast<uintptr_t>(pages.begin)] = pages;
  in_use += bytes;
  protect(pages, true);
  fill(pages);
  if (depth == 0) protect(pages, false);
  return pages.allocation.address;
}

bool release(void* address) {
  const Pages* const found = pages_of(address);
  if (found == nullptr || found->allocation.address != address) return false;
  const Pages pages = *found;
  if (depth == 0) protect(pages, true);
  check_canaries(pages);
  // Gives the memory back, too.
  void* const mapped =
      mmap(pages.begin, pages.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  in_use -= pages.allocation.bytes;
  live.erase(reinterpret_cast<uintptr_t>(pages.begin));
  return true;
}

const Allocation* find_allocation(const void* address) {
  const Pages* const pages = pages_of(address);
  if (pages == nullptr) return nullptr;
  const Allocation& found = pages->allocation;
  const auto* const at = static_cast<const char*>(address);
  return at >= found.address && at <= found.address + found.bytes ? &found : nullptr;
}

bool is_device_address(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  return arena != nullptr && at >= arena && at < arena + kArenaBytes;
}

void pin(void* address, size_t bytes) { pinned[reinterpret_cast<uintptr_t>(address)] = bytes; }

bool unpin(void* address) { return pinned.erase(reinterpret_cast<uintptr_t>(address)) != 0; }

bool is_pinned(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto after = pinned.upper_bound(at);
  return after != pinned.begin() && at - std::prev(after)->first <= std::prev(after)->second;
}

OpenMemory::OpenMemory() {
  if (depth++ == 0) protect_all(true);
}

OpenMemory::~OpenMemory() {
  if (--depth == 0) protect_all(false);
}

ClosedMemory::ClosedMemory() { protect_all(false); }

ClosedMemory::~ClosedMemory() { protect_all(true); }

ArenaState arena_state() {
  const auto begin = reinterpret_cast<uintptr_t>(arena);
  return {begin, begin + kArenaBytes, depth > 0};
}

}  // namespace diopi::emulation
