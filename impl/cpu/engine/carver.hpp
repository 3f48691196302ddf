// SPDX-License-Identifier: BSD-3-Clause
// Memory that is divided among arrays.
#ifndef IMPL_CPU_ENGINE_CARVER_HPP_
#define IMPL_CPU_ENGINE_CARVER_HPP_

#include <cstdint>

namespace impl::cpu {

// Takes arrays one after the other from a block of memory. Without memory, it only counts the bytes.
class Carver {
 public:
  explicit Carver(char* memory) : memory_(memory) {}
  template <typename T>
  T* take(int64_t count) {
    constexpr int64_t kLine = 64;
    T* result = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + kLine - 1) / kLine * kLine;
    return result;
  }
  int64_t bytes() const { return bytes_; }

 private:
  char* memory_;
  int64_t bytes_ = 0;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_CARVER_HPP_
