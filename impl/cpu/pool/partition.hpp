// SPDX-License-Identifier: BSD-3-Clause
// Chunks of work of the pooling kernels, and their distribution over threads.
#ifndef IMPL_CPU_POOL_PARTITION_HPP_
#define IMPL_CPU_POOL_PARTITION_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"
#include "impl/cpu/pool/pool.hpp"

namespace impl::cpu {

// Computes chunks [begin, end). Forward, a chunk is a row of output positions of one image, for one channel or for all.
// Backward, a chunk is one channel of one image, or a block of channels. Null if the dtype is not supported.
using PoolChunksFn = void (*)(const PoolArgs& args, int64_t begin, int64_t end);

constexpr int64_t kChannelsOfChunk = 64;    // channels of one backward chunk
constexpr int64_t kStoredTogether = 16384;  // bytes of the planes of a gradient that are computed and stored together

namespace pool_detail {

inline bool run_chunks(PoolChunksFn run, const PoolArgs& args, int64_t chunks, int64_t cost) {
  diopi::parallel_for(chunks, 16384 / cost + 1, [&](int64_t begin, int64_t end) { run(args, begin, end); });
  return true;
}

}  // namespace pool_detail

inline bool run_forward(PoolChunksFn run, const PoolArgs& args) {
  if (run == nullptr) return false;
  const int64_t rows = args.batch * args.dim[0].out * args.dim[1].out;
  const int64_t chunks = args.over_channels ? rows : rows * args.channels;
  const int64_t cost = args.batch * args.channels * args.plane() / std::max<int64_t>(chunks, 1) + 1;
  return pool_detail::run_chunks(run, args, chunks, cost);
}

inline bool run_backward(PoolChunksFn run, const PoolArgs& args) {
  if (run == nullptr) return false;
  const int64_t width = args.over_channels ? kChannelsOfChunk : 1;
  const int64_t chunks = args.batch * ((args.channels + width - 1) / width);
  const int64_t cost = (args.plane() + args.outputs()) * std::min(width, args.channels) + 1;
  return pool_detail::run_chunks(run, args, chunks, cost);
}

// Replaces adaptive windows that divide the input evenly by ordinary windows.
inline PoolArgs with_even_windows(PoolArgs args) {
  for (PoolDim& d : args.dim) {
    if (d.kernel == 0 && d.out > 0 && d.in % d.out == 0) d.kernel = d.stride = d.in / d.out;
  }
  return args;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_POOL_PARTITION_HPP_
