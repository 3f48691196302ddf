// SPDX-License-Identifier: BSD-3-Clause
// Pairwise merging of partial results, whose error grows with the logarithm of their number.
#ifndef IMPL_CPU_ENGINE_REDUCE_CASCADE_HPP_
#define IMPL_CPU_ENGINE_REDUCE_CASCADE_HPP_

#include <cstdint>
#include <cstring>

#include "impl/cpu/engine/reduce/reduce.hpp"

namespace impl::cpu::reduce_detail {

inline constexpr int kMaxAccumulator = 24;  // bytes of the largest accumulator
inline constexpr int kLevels = 40;          // levels of a cascade, for 2^40 runs

// Merges partial accumulators pairwise, in the order in which they are added, like the digits of a binary counter.
class Cascade {
 public:
  Cascade(const ReduceKernel& kernel, char* levels, int64_t width) : kernel_(kernel), levels_(levels), width_(width) {}

  void add(const void* accumulators) {
    int level = 0;
    const char* carry = static_cast<const char*>(accumulators);
    for (; (occupied_ >> level & 1) != 0; ++level) {
      kernel_.merge(at(level), carry, width_);
      carry = at(level);
      occupied_ &= ~(uint64_t{1} << level);
    }
    std::memcpy(at(level), carry, bytes());
    occupied_ |= uint64_t{1} << level;
  }

  // Merges everything that was added, in that order: higher levels have earlier elements.
  void finish(void* result) {
    bool first = true;
    for (int level = kLevels - 1; level >= 0; --level) {
      if ((occupied_ >> level & 1) == 0) continue;
      if (first) {
        std::memcpy(result, at(level), bytes());
      } else {
        kernel_.merge(result, at(level), width_);
      }
      first = false;
    }
    if (first) kernel_.init(result, width_);
  }

 private:
  size_t bytes() const { return static_cast<size_t>(width_) * kernel_.accumulator_size; }
  char* at(int level) const { return levels_ + level * static_cast<int64_t>(bytes()); }

  const ReduceKernel& kernel_;
  char* levels_;
  int64_t width_;
  uint64_t occupied_ = 0;
};

}  // namespace impl::cpu::reduce_detail

#endif  // IMPL_CPU_ENGINE_REDUCE_CASCADE_HPP_
