// SPDX-License-Identifier: BSD-3-Clause
// What the mode memory sees of the runtime: allocations of device memory, and tensors that operators require.
#ifndef ADAPTOR_LAYER_LIBRARY_MEMORY_HOOKS_HPP_
#define ADAPTOR_LAYER_LIBRARY_MEMORY_HOOKS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace diopi::layer {

// The functions run in the thread of the allocation, and throw nothing.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  virtual void allocated(void* memory, uint64_t bytes) noexcept = 0;
  virtual void freeing(void* memory) noexcept = 0;  // before the vendor frees it
  virtual void required(diopiConstTensorHandle_t tensor) noexcept = 0;
};

// Set before the vendor's library registers its callbacks, and never taken away.
void set_memory_observer(MemoryObserver* observer);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_LIBRARY_MEMORY_HOOKS_HPP_
