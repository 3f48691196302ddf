// SPDX-License-Identifier: BSD-3-Clause
// A table of pieces of the heap by address, whose own memory does not come from the heap.
#ifndef ADAPTOR_LAYER_HEAP_TABLE_HPP_
#define ADAPTOR_LAYER_HEAP_TABLE_HPP_

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "adaptor/layer/heap/heap.hpp"

namespace diopi::layer {

enum class HeapState : uint8_t { kEmpty, kMarked, kWatched, kEnded };

struct HeapEntry {
  uintptr_t address = 0;
  HeapPiece piece;
  HeapState state = HeapState::kEmpty;
};

// Open addressing; the size is a power of two. The caller holds the lock. There is no destructor, because memory is
// freed until the end of the process.
class HeapTable {
 public:
  HeapEntry* find(uintptr_t address) {
    if (size_ == 0) return nullptr;
    for (size_t i = place(address);; i = next(i)) {
      if (entries_[i].state == HeapState::kEmpty) return nullptr;
      if (entries_[i].address == address) return &entries_[i];
    }
  }

  // False if there is no memory for the entry.
  bool insert(const HeapEntry& entry) {
    if (2 * (count_ + 1) > size_ && !grow()) return false;
    size_t i = place(entry.address);
    while (entries_[i].state != HeapState::kEmpty) i = next(i);
    entries_[i] = entry;
    ++count_;
    return true;
  }

  // Moves later entries of the same run to the front, so that find() meets no gap.
  void erase(HeapEntry* entry) {
    auto hole = static_cast<size_t>(entry - entries_);
    for (size_t i = next(hole); entries_[i].state != HeapState::kEmpty; i = next(i)) {
      const size_t distance = (i - place(entries_[i].address)) & (size_ - 1);
      if (distance < ((i - hole) & (size_ - 1))) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = HeapEntry();
    --count_;
  }

  void clear() {
    if (entries_ != nullptr) munmap(entries_, size_ * sizeof(HeapEntry));
    entries_ = nullptr;
    size_ = count_ = 0;
  }

  size_t size() const { return size_; }
  const HeapEntry& at(size_t index) const { return entries_[index]; }

  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

 private:
  // Addresses are multiples of 16.
  size_t place(uintptr_t address) const { return (address >> 4) * 0x9e3779b97f4a7c15u >> 20 & (size_ - 1); }
  size_t next(size_t index) const { return (index + 1) & (size_ - 1); }

  bool grow() {
    const size_t size = size_ == 0 ? 1024 : 2 * size_;
    void* const memory =
        mmap(nullptr, size * sizeof(HeapEntry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    HeapEntry* const before = entries_;
    const size_t size_before = size_;
    entries_ = static_cast<HeapEntry*>(memory);
    size_ = size;
    count_ = 0;
    for (size_t i = 0; i < size_before; ++i) {
      if (before[i].state != HeapState::kEmpty) insert(before[i]);
    }
    if (before != nullptr) munmap(before, size_before * sizeof(HeapEntry));
    return true;
  }

  HeapEntry* entries_ = nullptr;
  size_t size_ = 0, count_ = 0;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_HEAP_TABLE_HPP_
