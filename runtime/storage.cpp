// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/storage.hpp"

#include <cstdlib>
#include <new>

namespace diopirt {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLargest = static_cast<size_t>(1) << 62;

void count_obtained(int64_t bytes) {
  MemoryCounters& counters = memory_counters();
  counters.allocations.fetch_add(1, std::memory_order_relaxed);
  const int64_t now = counters.obtained_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = counters.peak_bytes.load(std::memory_order_relaxed);
  while (now > peak && !counters.peak_bytes.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

Status obtain(Vendor& vendor, diopiDevice_t device, size_t capacity, void** memory) {
  if (device == diopi_device) return vendor.allocate(capacity, memory);
  DIOPI_REQUIRE(posix_memalign(memory, kAlignment, capacity) == 0, diopiErrorOccurred,
                "the host has no %zu bytes of memory", capacity);
  return diopiSuccess;
}

Status new_storage(Vendor& vendor, diopiDevice_t device, Storage** storage) {
  DIOPI_REQUIRE(device == diopi_host || device == diopi_device, diopiErrorOccurred, "device = %d is unknown",
                static_cast<int>(device));
  *storage = new (std::nothrow) Storage;
  DIOPI_REQUIRE(*storage != nullptr, diopiErrorOccurred, "out of memory");
  (*storage)->device = device;
  (*storage)->vendor = &vendor;
  return diopiSuccess;
}

void destroy(Storage* storage) {
  if (storage->capacity != 0) {
    if (storage->device == diopi_device) {
      storage->vendor->release(storage->data);
    } else {
      std::free(storage->data);
    }
    memory_counters().obtained_bytes.fetch_sub(static_cast<int64_t>(storage->capacity), std::memory_order_relaxed);
  }
  if (storage->release != nullptr) storage->release(storage->data, storage->user_data);
  storage->vendor->users.fetch_sub(1);
  delete storage;
}

}  // namespace

MemoryCounters& memory_counters() {
  static MemoryCounters counters;
  return counters;
}

Status allocate_storage(Vendor& vendor, diopiDevice_t device, size_t bytes, size_t capacity, Storage** storage) {
  DIOPI_REQUIRE(capacity <= kLargest, diopiErrorOccurred, "%zu bytes are more than any memory has", bytes);
  Storage* result = nullptr;
  DIOPI_TRY(new_storage(vendor, device, &result));
  result->bytes = bytes;
  if (capacity != 0) {
    const Status status = obtain(vendor, device, capacity, &result->data);
    if (!status.ok()) {
      delete result;
      return status;
    }
    result->capacity = capacity;
    count_obtained(static_cast<int64_t>(capacity));
  }
  vendor.users.fetch_add(1);
  *storage = result;
  return diopiSuccess;
}

Status wrap_storage(Vendor& vendor, diopiDevice_t device, void* data, size_t bytes, diopirtReleaseMemory_t release,
                    void* user_data, Storage** storage) {
  DIOPI_REQUIRE(data != nullptr || bytes == 0, diopiErrorOccurred, "data is null for %zu bytes", bytes);
  Storage* result = nullptr;
  DIOPI_TRY(new_storage(vendor, device, &result));
  result->data = data;
  result->bytes = bytes;
  result->release = release;
  result->user_data = user_data;
  vendor.users.fetch_add(1);
  *storage = result;
  return diopiSuccess;
}

void retain_storage(Storage* storage) { storage->references.fetch_add(1, std::memory_order_relaxed); }

void release_storage(Storage* storage) {
  if (storage != nullptr && storage->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(storage);
}

int FreeList::class_of(size_t bytes) {
  if (bytes <= kAlignment) return 0;
  const size_t last = bytes - 1;
  const int power = 63 - __builtin_clzll(last);
  return 1 + (power - 6) * 4 + static_cast<int>((last >> (power - 2)) & 3);
}

size_t FreeList::round_up(size_t bytes) {
  if (bytes == 0 || bytes > kLargest) return bytes;
  if (bytes <= kAlignment) return kAlignment;
  const int quarter = 63 - __builtin_clzll(bytes - 1) - 2;
  return (((bytes - 1) >> quarter) + 1) << quarter;
}

Storage* FreeList::take(size_t bytes) {
  if (bytes == 0 || bytes > kLargest) return nullptr;
  Storage*& head = heads_[class_of(bytes)];
  Storage* const storage = head;
  if (storage == nullptr) return nullptr;
  head = storage->next;
  storage->next = nullptr;
  storage->bytes = bytes;
  bytes_ -= static_cast<int64_t>(storage->capacity);
  return storage;
}

void FreeList::put(Storage* storage) {
  Storage*& head = heads_[class_of(storage->capacity)];
  storage->next = head;
  head = storage;
  bytes_ += static_cast<int64_t>(storage->capacity);
}

void FreeList::clear() {
  for (Storage*& head : heads_) {
    while (head != nullptr) {
      Storage* const storage = head;
      head = storage->next;
      release_storage(storage);
    }
  }
  bytes_ = 0;
}

}  // namespace diopirt
