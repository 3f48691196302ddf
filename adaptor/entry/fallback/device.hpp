// SPDX-License-Identifier: BSD-3-Clause
// Copies between the host and the vendor's device, with the callbacks that the vendor has registered.
#ifndef ADAPTOR_ENTRY_FALLBACK_DEVICE_HPP_
#define ADAPTOR_ENTRY_FALLBACK_DEVICE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/error.hpp"

namespace diopi::fallback {

// The copies of one call, on the stream of its context.
class Device {
 public:
  explicit Device(diopiContextHandle_t ctx) : ctx_(ctx) {}

  // Asks the runtime for the stream, and checks that the vendor has registered copies. The functions below need this.
  Status open();
  // Start copies; wait() ends them.
  Status to_host(void* host, const void* device, uint64_t bytes);
  Status to_device(void* device, const void* host, uint64_t bytes);
  Status wait();

 private:
  diopiContextHandle_t ctx_;
  diopiStreamHandle_t stream_ = nullptr;
};

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_DEVICE_HPP_
