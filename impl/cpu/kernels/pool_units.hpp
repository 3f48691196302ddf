// SPDX-License-Identifier: BSD-3-Clause
// Units of work of the pooling kernels, and how they spread over the threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"
#include "pool.hpp"

namespace impl::cpu {

// Does units [begin, end): forward, a row of output positions of one image, of one channel or of all of them;
// backward, one channel of one image, or a block of them. Null where a dtype is not known.
using PoolUnitsFn = void (*)(const PoolArgs& args, int64_t begin, int64_t end);

constexpr int64_t kChannelBlock = 64;  // channels of one unit of a gradient

namespace pool_detail {

inline bool run_units(PoolUnitsFn run, const PoolArgs& args, int64_t units, int64_t cost) {
  diopi::parallel_for(units, 16384 / cost + 1, [&](int64_t begin, int64_t end) { run(args, begin, end); });
  return true;
}

}  // namespace pool_detail

inline bool run_forward(PoolUnitsFn run, const PoolArgs& args) {
  if (run == nullptr) return false;
  const int64_t rows = args.batch * args.dim[0].out * args.dim[1].out;
  const int64_t units = args.over_channels ? rows : rows * args.channels;
  const int64_t cost = args.batch * args.channels * args.plane() / std::max<int64_t>(units, 1) + 1;
  return pool_detail::run_units(run, args, units, cost);
}

inline bool run_backward(PoolUnitsFn run, const PoolArgs& args) {
  if (run == nullptr) return false;
  const int64_t width = args.over_channels ? kChannelBlock : 1;
  const int64_t units = args.batch * ((args.channels + width - 1) / width);
  const int64_t cost = (args.plane() + args.outputs()) * std::min(width, args.channels) + 1;
  return pool_detail::run_units(run, args, units, cost);
}

// Adaptive windows that divide the input evenly are ordinary ones.
inline PoolArgs with_even_windows(PoolArgs args) {
  for (PoolDim& d : args.dim) {
    if (d.kernel == 0 && d.out > 0 && d.in % d.out == 0) d.kernel = d.stride = d.in / d.out;
  }
  return args;
}

}  // namespace impl::cpu
