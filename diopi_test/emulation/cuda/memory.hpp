// SPDX-License-Identifier: BSD-3-Clause
// Memory of the emulated device. The host can access it only while the device works: it faults otherwise.
#ifndef DIOPI_TEST_EMULATION_CUDA_MEMORY_HPP_
#define DIOPI_TEST_EMULATION_CUDA_MEMORY_HPP_

#include <cstddef>
#include <cstdint>

namespace diopi::emulation {

struct Allocation {
  char* address = nullptr;
  size_t bytes = 0;
};

// Null if there is no memory left (DIOPI_CUDA_MEMORY). All bits of small allocations are ones, which is NaN.
void* allocate(size_t bytes);
// False if no allocation begins at this address.
bool release(void* address);
// The allocation that the address is in or at the end of; null if there is none.
const Allocation* find_allocation(const void* address);
bool is_device_address(const void* address);
size_t memory_in_use();
size_t memory_limit();

// Host memory that the device can access, and that copies do not stage.
void pin(void* address, size_t bytes);
bool unpin(void* address);
bool is_pinned(const void* address);

// While an object of this class lives, its thread is the device's: the first access of this thread to an allocation
// faults, and the handler of faults makes the allocation accessible. The end of the object closes these allocations.
class OpenMemory {
 public:
  OpenMemory();
  ~OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
};
// Closes the memory within an OpenMemory, for a function of the host.
class ClosedMemory {
 public:
  ClosedMemory();
  ~ClosedMemory();
  ClosedMemory(const ClosedMemory&) = delete;
  ClosedMemory& operator=(const ClosedMemory&) = delete;
};
bool is_device_thread();
// Makes the allocation at this address accessible. False if there is none, if it is accessible, or if the thread is not
// the device's. Takes no lock and allocates nothing.
bool open_at(const void* address);
// The handler opens allocations of the device. It reports other faults before the handler that was installed earlier
// handles them.
void install_fault_handler();

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_MEMORY_HPP_
