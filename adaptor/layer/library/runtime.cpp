// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/library/runtime.hpp"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "adaptor/layer/library/library.hpp"

namespace diopi::layer {

namespace {

diopiError_t absent() { return diopiNoImplement; }

// The runtime is in the global scope, or a dependency of the library below.
Pointer find(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr && library_handle() != nullptr) found = dlsym(library_handle(), name);
  return found != nullptr ? reinterpret_cast<Pointer>(found) : reinterpret_cast<Pointer>(&absent);
}

}  // namespace

void find_runtime() {
  static std::atomic<bool> found{false};
  if (found.load(std::memory_order_acquire)) return;
  static std::once_flag once;
  std::call_once(once, [] {
    for (int i = 0; i < kNumRuntimeNames; ++i) diopi_layer_runtime[i] = find(kRuntimeNames[i]);
    found.store(true, std::memory_order_release);
  });
}

}  // namespace diopi::layer
