// SPDX-License-Identifier: BSD-3-Clause
// The words of a stream of random numbers: Philox 4x32 with 10 rounds.
#ifndef IMPL_CUDA_KERNELS_RANDOM_PHILOX_CUH_
#define IMPL_CUDA_KERNELS_RANDOM_PHILOX_CUH_

#include "impl/common/generator.hpp"
#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

inline constexpr int kPhiloxWords = 4;  // of a counter block

struct PhiloxBlock {
  uint32_t word[kPhiloxWords];

  // Two words as one.
  __device__ uint64_t pair(int i) const { return word[2 * i] | static_cast<uint64_t>(word[2 * i + 1]) << 32; }
};

// Words 4 * block to 4 * block + 3 of a stream.
__device__ inline PhiloxBlock philox(const diopi::RandomStream& stream, uint64_t block) {
  const uint64_t counter = stream.block + block;
  uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32), c2 = 0, c3 = 0;
  uint32_t key0 = static_cast<uint32_t>(stream.seed), key1 = static_cast<uint32_t>(stream.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    constexpr uint32_t kFirst = 0xD2511F53u, kSecond = 0xCD9E8D57u;
    const uint32_t low0 = kFirst * c0, high0 = __umulhi(kFirst, c0), low1 = kSecond * c2, high1 = __umulhi(kSecond, c2);
    c0 = high1 ^ c1 ^ key0;
    c2 = high0 ^ c3 ^ key1;
    c1 = low1;
    c3 = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_PHILOX_CUH_
