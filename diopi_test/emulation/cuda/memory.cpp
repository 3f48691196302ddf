// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "block.hpp"
#include "sanitizers.hpp"

namespace diopi::emulation {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kArenaBytes = size_t{kAsan || kTsan ? 64 : 16 << 10} << 30;
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
  bool filled = false;
  bool open = false;
  Pages* next_open = nullptr;
  char* end() const { return begin + bytes; }
};

std::map<uintptr_t, Pages> live;  // by the address of the first page
std::map<uintptr_t, size_t> pinned;
char* arena;
size_t in_use, next_page = kMargin;
bool device_works;  // within an OpenMemory and not within a ClosedMemory
pthread_t device_thread;
Pages* first_open;  // A list without allocations, because the handler of faults adds to it.

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

// Calls f with the place and the size of the bytes before and after the allocation that the device must not write.
template <typename F>
void for_each_canary(const Pages& pages, F&& f) {
  char* const data = pages.allocation.address;
  char* const end = data + pages.allocation.bytes;
  const size_t front = std::min(kCanaryBytes, static_cast<size_t>(data - pages.begin));
  f(data - front, front);
  f(end, static_cast<size_t>(pages.end() - end));
}

void fill(const Pages& pages) {
  char* const data = pages.allocation.address;
  const size_t bytes = pages.allocation.bytes;
  for_each_canary(pages, [](char* at, size_t count) {
    allow_access(at, count);
    std::memset(at, kCanary, count);
    forbid_access(at, count);
  });
  if (bytes <= 2 * kFilled) {
    std::memset(data, 0xFF, bytes);
  } else {
    std::memset(data, 0xFF, kFilled);
    std::memset(data + bytes - kFilled, 0xFF, kFilled);
  }
}

void check_canaries(const Pages& pages) {
  for_each_canary(pages, [](char* at, size_t count) {
    allow_access(at, count);
    const bool intact =
        std::all_of(at, at + count, [](char byte) { return static_cast<unsigned char>(byte) == kCanary; });
    forbid_access(at, count);
    if (!intact) misuse({"device memory", 0}, "the device wrote beside an allocation");
  });
}

bool open(Pages* pages) {
  if (mprotect(pages->begin, pages->bytes, PROT_READ | PROT_WRITE) != 0) return false;
  if (!pages->filled) fill(*pages);
  pages->filled = pages->open = true;
  pages->next_open = first_open;
  first_open = pages;
  return true;
}

void close(Pages* pages) {
  check_canaries(*pages);
  mprotect(pages->begin, pages->bytes, PROT_NONE);
  Pages** at = &first_open;
  while (*at != pages) at = &(*at)->next_open;
  *at = pages->next_open;
  pages->open = false;
}

void close_all() {
  while (first_open != nullptr) close(first_open);
}

Pages* pages_of(const void* address) {
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
  for_each_canary(pages, forbid_access);
  return pages.allocation.address;
}

bool release(void* address) {
  Pages* const pages = pages_of(address);
  if (pages == nullptr || pages->allocation.address != address) return false;
  if (pages->open) close(pages);
  for_each_canary(*pages, allow_access);
  if (pages->filled) madvise(pages->begin, pages->bytes, MADV_DONTNEED);  // gives the memory back
  in_use -= pages->allocation.bytes;
  live.erase(reinterpret_cast<uintptr_t>(pages->begin));
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
  install_fault_handler();
  device_thread = pthread_self();
  device_works = true;
}

OpenMemory::~OpenMemory() {
  device_works = false;
  close_all();
}

ClosedMemory::ClosedMemory() {
  device_works = false;
  close_all();
}

ClosedMemory::~ClosedMemory() { device_works = true; }

bool is_device_thread() { return device_works && pthread_equal(device_thread, pthread_self()) != 0; }

bool open_at(const void* address) {
  if (!is_device_thread() || !is_device_address(address)) return false;
  Pages* const pages = pages_of(address);
  return pages != nullptr && !pages->open && address < pages->end() && open(pages);
}

}  // namespace diopi::emulation
