// SPDX-License-Identifier: BSD-3-Clause
// Reference-counted blocks of memory, and the free lists in which a context keeps them for reuse.
#ifndef RUNTIME_STORAGE_HPP_
#define RUNTIME_STORAGE_HPP_

#include <diopirt_host.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/vendor.hpp"

namespace diopirt {

struct Storage {
  std::atomic<int32_t> references{1};
  diopiDevice_t device = diopi_host;
  void* data = nullptr;
  size_t bytes = 0;                          // requested size
  size_t capacity = 0;                       // allocated size; 0 for wrapped memory and for empty storages
  Vendor* vendor = nullptr;                  // frees device memory
  diopirtReleaseMemory_t release = nullptr;  // releases wrapped memory
  void* user_data = nullptr;
  bool read_only = false;   // the owner of the memory allows only reads
  Storage* next = nullptr;  // in a free list
};

// Allocates memory for `bytes` bytes, with room for `capacity`.
Status allocate_storage(Vendor& vendor, diopiDevice_t device, size_t bytes, size_t capacity, Storage** storage);
// Makes a storage on memory of the caller.
Status wrap_storage(Vendor& vendor, diopiDevice_t device, void* data, size_t bytes, diopirtReleaseMemory_t release,
                    void* user_data, Storage** storage);
void retain_storage(Storage* storage);
void release_storage(Storage* storage);

// Idle storages of one device by size class: four classes for each power of two.
class FreeList {
 public:
  // Allocations are rounded up to the largest size of their class, so any storage of a class fits every request of it.
  static size_t round_up(size_t bytes);
  Storage* take(size_t bytes);
  void put(Storage* storage);
  void clear();
  int64_t bytes() const { return bytes_; }

 private:
  static constexpr int kClasses = 1 + 4 * 58;
  static int class_of(size_t bytes);
  Storage* heads_[kClasses] = {};
  int64_t bytes_ = 0;
};

// Counts of memory for the whole process.
struct MemoryCounters {
  std::atomic<int64_t> obtained_bytes{0};  // allocated and not yet freed
  std::atomic<int64_t> peak_bytes{0};
  std::atomic<int64_t> allocations{0};
};
MemoryCounters& memory_counters();

}  // namespace diopirt

#endif  // RUNTIME_STORAGE_HPP_
