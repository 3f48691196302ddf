// SPDX-License-Identifier: BSD-3-Clause
// The functions of the heap: each passes on to the C library's and notes what is allocated under a mark.
#include "adaptor/layer/heap/heap.hpp"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "adaptor/layer/heap/table.hpp"

// The C library's own names, which need no dlsym: dlsym allocates.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* memory);
}
// NOLINTEND(bugprone-reserved-identifier)

#define DIOPI_LAYER_EXPORT __attribute__((visibility("default")))

namespace diopi::layer {

namespace {

constexpr size_t kTables = 64;
HeapTable tables[kTables];
std::atomic<int64_t> entries{0};  // of all tables

// Static, because other thread-local memory may come from malloc.
__attribute__((tls_model("initial-exec"))) thread_local HeapMark current;

HeapTable& table_of(uintptr_t address) { return tables[(address >> 4) * 0x9e3779b97f4a7c15u >> 58]; }
uintptr_t address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

class Locked {
 public:
  explicit Locked(HeapTable* table) : table_(table) { pthread_mutex_lock(&table_->lock); }
  ~Locked() { pthread_mutex_unlock(&table_->lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  HeapTable* operator->() { return table_; }

 private:
  HeapTable* const table_;
};

void add(const HeapEntry& entry) {
  Locked table(&table_of(entry.address));
  if (table->insert(entry)) ++entries;
}

void* note_allocated(void* memory, size_t bytes) {
  if (memory != nullptr && current.function != nullptr) {
    add({address_of(memory), {current, bytes}, HeapState::kMarked});
  }
  return memory;
}

// Takes the entry of memory that is freed or moves; its state is kEmpty if there is none.
HeapEntry take(void* memory) {
  if (memory == nullptr || entries.load(std::memory_order_relaxed) == 0) return {};
  Locked table(&table_of(address_of(memory)));
  HeapEntry* const found = table->find(address_of(memory));
  if (found == nullptr) return {};
  const HeapEntry taken = *found;
  table->erase(found);
  --entries;
  return taken;
}

HeapMark set_mark(HeapMark mark) {
  const HeapMark before = current;
  current = mark;
  return before;
}

void visit(void (*visitor)(const HeapPiece& piece, void* data), void* data) {
  for (HeapTable& shared : tables) {
    // The visitor may allocate and free, so it works on a copy.
    HeapTable copy;
    {
      Locked table(&shared);
      for (size_t i = 0; i < table->size(); ++i) {
        if (table->at(i).state == HeapState::kMarked) copy.insert(table->at(i));
      }
    }
    for (size_t i = 0; i < copy.size(); ++i) {
      if (copy.at(i).state == HeapState::kMarked) visitor(copy.at(i).piece, data);
    }
    copy.clear();
  }
}

bool has_ended(const void* object) {
  if (object == nullptr) return false;
  Locked table(&table_of(address_of(object)));
  HeapEntry* const found = table->find(address_of(object));
  if (found != nullptr) {
    if (found->state == HeapState::kMarked) found->state = HeapState::kWatched;
    return found->state == HeapState::kEnded;
  }
  if (table->insert({address_of(object), {}, HeapState::kWatched})) ++entries;
  return false;
}

void lock_all() {
  for (HeapTable& table : tables) pthread_mutex_lock(&table.lock);
}

void unlock_all() {
  for (HeapTable& table : tables) pthread_mutex_unlock(&table.lock);
}

__attribute__((constructor)) void start() { pthread_atfork(lock_all, unlock_all, unlock_all); }

void* allocate_aligned(size_t alignment, size_t bytes) {
  return note_allocated(__libc_memalign(alignment, bytes), bytes);
}

}  // namespace

}  // namespace diopi::layer

using namespace diopi::layer;

extern "C" {

const HeapFunctions diopi_layer_heap = {set_mark, visit, has_ended};

DIOPI_LAYER_EXPORT void* malloc(size_t bytes) { return note_allocated(__libc_malloc(bytes), bytes); }

DIOPI_LAYER_EXPORT void* calloc(size_t count, size_t bytes) {
  return note_allocated(__libc_calloc(count, bytes), count * bytes);
}

DIOPI_LAYER_EXPORT void free(void* memory) {
  HeapEntry entry = take(memory);
  if (entry.state == HeapState::kEmpty || entry.state == HeapState::kMarked) return __libc_free(memory);
  entry.state = HeapState::kEnded;
  add(entry);
}

// Memory that grows keeps its mark, unless a call grows it.
DIOPI_LAYER_EXPORT void* realloc(void* memory, size_t bytes) {
  HeapEntry before = take(memory);
  void* const found = __libc_realloc(memory, bytes);
  if (found == nullptr) {
    if (bytes != 0 && before.state == HeapState::kMarked) add(before);
    return nullptr;
  }
  if (current.function != nullptr || before.state != HeapState::kMarked) return note_allocated(found, bytes);
  before.address = address_of(found);
  before.piece.bytes = bytes;
  add(before);
  return found;
}

DIOPI_LAYER_EXPORT void* memalign(size_t alignment, size_t bytes) { return allocate_aligned(alignment, bytes); }

DIOPI_LAYER_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) { return allocate_aligned(alignment, bytes); }

DIOPI_LAYER_EXPORT int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int error_before = errno;
  void* const found = allocate_aligned(alignment, bytes);
  errno = error_before;
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
}
