// SPDX-License-Identifier: BSD-3-Clause
// A share of the memory that the layer may hold for copies (DIOPI_LAYER_MEMORY).
#ifndef ADAPTOR_LAYER_TENSORS_MEMORY_SHARE_HPP_
#define ADAPTOR_LAYER_TENSORS_MEMORY_SHARE_HPP_

#include <atomic>
#include <cstdint>

#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

class MemoryShare {
 public:
  MemoryShare() = default;
  ~MemoryShare() { used_ -= bytes_; }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // Adds bytes to the share; false if all shares together would exceed the limit.
  bool take(int64_t bytes) {
    if ((used_ += bytes) > settings().memory) {
      used_ -= bytes;
      return false;
    }
    bytes_ += bytes;
    return true;
  }

 private:
  static inline std::atomic<int64_t> used_{0};
  int64_t bytes_ = 0;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_TENSORS_MEMORY_SHARE_HPP_
