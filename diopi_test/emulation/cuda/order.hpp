// SPDX-License-Identifier: BSD-3-Clause
// The order in which threads, warps, blocks and streams run: DIOPI_CUDA_ORDER is forward, reverse, or the seed of a
// random order. The default is forward.
#ifndef DIOPI_TEST_EMULATION_CUDA_ORDER_HPP_
#define DIOPI_TEST_EMULATION_CUDA_ORDER_HPP_

#include <cstdint>

namespace diopi::emulation {

class Order {
 public:
  enum Kind { kForward, kReverse, kRandom };

  Order() = default;
  // The order that the environment asks for. Random choices depend on the seed and the salt only.
  static Order from_environment(uint64_t salt);

  Kind kind() const { return kind_; }
  bool is_random() const { return kind_ == kRandom; }
  // A random number that is less than n.
  uint32_t below(uint32_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 33) % n);
  }

 private:
  Kind kind_ = kForward;
  uint64_t state_ = 1;
};

// The order of the blocks of a grid. A random order takes each block that is `step` blocks after the one before it.
class BlockOrder {
 public:
  BlockOrder(Order* order, uint64_t blocks);
  uint64_t at(uint64_t i) const {
    return static_cast<uint64_t>((first_ + i * static_cast<unsigned __int128>(step_)) % blocks_);
  }

 private:
  uint64_t blocks_, first_ = 0, step_ = 1;
};

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_ORDER_HPP_
