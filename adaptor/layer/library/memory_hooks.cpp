// SPDX-License-Identifier: BSD-3-Clause
// Stands between the runtime and the vendor's callbacks for device memory, and between the vendor and the runtime's
// functions that make tensors.
#include "adaptor/layer/library/memory_hooks.hpp"

#include <diopi/diopi_register.h>
#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <utility>

#include "adaptor/layer/library/heap_marks.hpp"
#include "adaptor/layer/library/library.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/library/runtime.hpp"

#define DIOPI_LAYER_EXPORT __attribute__((visibility("default")))

namespace diopi::layer {

namespace {

std::atomic<MemoryObserver*> observer{nullptr};

// A callback has no argument for its vendor, so each vendor of the process has a pair of functions of its own.
constexpr size_t kMostVendors = 8;
std::atomic<malloc_func_t> allocate_below[kMostVendors];
std::atomic<free_func_t> free_below[kMostVendors];

template <size_t slot>
void* allocate(uint64_t bytes) {
  void* const memory = allocate_below[slot].load()(bytes);
  if (memory != nullptr) observer.load()->allocated(memory, bytes);
  return memory;
}

template <size_t slot>
void release(void* memory) {
  observer.load()->freeing(memory);
  free_below[slot].load()(memory);
}

template <size_t... slots>
malloc_func_t allocate_of(size_t slot, std::index_sequence<slots...>) {
  static constexpr malloc_func_t kFunctions[] = {&allocate<slots>...};
  return kFunctions[slot];
}

template <size_t... slots>
free_func_t release_of(size_t slot, std::index_sequence<slots...>) {
  static constexpr free_func_t kFunctions[] = {&release<slots>...};
  return kFunctions[slot];
}

// The slot of a callback, which is the first free one for a new callback; kMostVendors if there is none.
template <typename Callback>
size_t slot_of(std::atomic<Callback> (&slots)[kMostVendors], Callback callback) {
  for (size_t i = 0; i < kMostVendors; ++i) {
    Callback expected = nullptr;
    if (slots[i].compare_exchange_strong(expected, callback) || expected == callback) return i;
  }
  note("memory: more than %zu vendors; the memory of the others is not observed", kMostVendors);
  return kMostVendors;
}

// The runtime's function. The runtime is in the global scope, or a dependency of the library below.
template <typename Function>
Function next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr && library_handle() != nullptr) found = dlsym(library_handle(), name);
  return reinterpret_cast<Function>(found);
}

template <typename Callback>
diopiError_t pass_on(const char* name, Callback callback) {
  const auto registration = next<diopiError_t (*)(Callback)>(name);
  return registration != nullptr ? registration(callback) : diopiSuccess;
}

void observe_required(diopiError_t status, const diopiTensorHandle_t* tensor) {
  MemoryObserver* const given = observer.load(std::memory_order_relaxed);
  if (given == nullptr || status != diopiSuccess || tensor == nullptr || *tensor == nullptr) return;
  find_runtime();
  given->required(*tensor);
}

}  // namespace

void set_memory_observer(MemoryObserver* given) { observer.store(given); }

}  // namespace diopi::layer

using namespace diopi::layer;

extern "C" {

DIOPI_LAYER_EXPORT diopiError_t diopiRegisterDeviceMallocFunc(malloc_func_t callback) {
  if (observer.load() != nullptr && callback != nullptr) {
    const size_t slot = slot_of(allocate_below, callback);
    if (slot < kMostVendors) callback = allocate_of(slot, std::make_index_sequence<kMostVendors>());
  }
  return pass_on("diopiRegisterDeviceMallocFunc", callback);
}

DIOPI_LAYER_EXPORT diopiError_t diopiRegisterDevMemFreeFunc(free_func_t callback) {
  if (observer.load() != nullptr && callback != nullptr) {
    const size_t slot = slot_of(free_below, callback);
    if (slot < kMostVendors) callback = release_of(slot, std::make_index_sequence<kMostVendors>());
  }
  return pass_on("diopiRegisterDevMemFreeFunc", callback);
}

DIOPI_LAYER_EXPORT diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                                   const diopiSize_t* size, const diopiSize_t* stride,
                                                   const diopiDtype_t dtype, const diopiDevice_t device) {
  using Function = decltype(&diopiRequireTensor);
  static std::atomic<Function> kept{nullptr};
  Function function = kept.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = next<Function>("diopiRequireTensor");
    if (function == nullptr) return diopiNoImplement;
    kept.store(function);
  }
  const HeapScope unmarked({});  // the runtime's memory is not the operator's
  const diopiError_t status = function(ctx, tensor, size, stride, dtype, device);
  observe_required(status, tensor);
  return status;
}

DIOPI_LAYER_EXPORT diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                                   int64_t num_bytes, diopiDevice_t device) {
  using Function = decltype(&diopiRequireBuffer);
  static std::atomic<Function> kept{nullptr};
  Function function = kept.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = next<Function>("diopiRequireBuffer");
    if (function == nullptr) return diopiNoImplement;
    kept.store(function);
  }
  const HeapScope unmarked({});  // the runtime's memory is not the operator's
  const diopiError_t status = function(ctx, tensor, num_bytes, device);
  observe_required(status, tensor);
  return status;
}
}
