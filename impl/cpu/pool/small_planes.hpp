// SPDX-License-Identifier: BSD-3-Clause
// Pooling of small planes: groups of planes are transposed, so that kernels for adjacent channels compute them
// together.
#ifndef IMPL_CPU_POOL_SMALL_PLANES_HPP_
#define IMPL_CPU_POOL_SMALL_PLANES_HPP_

#include "impl/cpu/pool/partition.hpp"

namespace impl::cpu {

// Whether x, y and the index, if there is one, consist of planes of channels without gaps.
bool has_packed_planes(const PoolArgs& args);

// Whether all planes of x, y and the index are packed, one after another, and a group of them fits the first-level
// cache. `size` is that of an element of x and y.
bool has_small_planes(const PoolArgs& args, int64_t size);

// Runs the kernel for adjacent channels on groups of planes.
bool pool_small_planes(PoolChunksFn kernel, const PoolArgs& args, int64_t size, bool backward);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POOL_SMALL_PLANES_HPP_
