// SPDX-License-Identifier: BSD-3-Clause
// Host memory that stands for memory of the device during one call.
#ifndef ADAPTOR_ENTRY_FALLBACK_IMAGE_HPP_
#define ADAPTOR_ENTRY_FALLBACK_IMAGE_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "impl/common/error.hpp"

namespace diopi::fallback {

struct UnmapMemory {
  size_t bytes = 0;
  void operator()(char* memory) const;
};

// The image of a range of addresses of the device: tensors that share memory there share memory here, at the same
// distance. Pages that nothing touches take no memory, so the range of a sparse slice may be large.
class Image {
 public:
  Image(uintptr_t begin, uintptr_t end) : begin_(begin), end_(end) {}

  Status allocate();
  bool contains(const void* device) const {
    const auto address = reinterpret_cast<uintptr_t>(device);
    return begin_ <= address && address < end_;
  }
  uintptr_t end() const { return end_; }
  // The place that stands for an address of the range.
  char* at(const void* device) const { return memory_.get() + shift_ + (reinterpret_cast<uintptr_t>(device) - begin_); }
  void extend(uintptr_t end) { end_ = end > end_ ? end : end_; }

 private:
  uintptr_t begin_, end_;
  size_t shift_ = 0;  // gives host addresses the alignment of those of the device
  std::unique_ptr<char, UnmapMemory> memory_;
};

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_IMAGE_HPP_
