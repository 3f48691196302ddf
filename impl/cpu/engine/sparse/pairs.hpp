// SPDX-License-Identifier: BSD-3-Clause
// The index pairs of sparse convolution and pooling, as packed arrays.
#ifndef IMPL_CPU_ENGINE_SPARSE_PAIRS_HPP_
#define IMPL_CPU_ENGINE_SPARSE_PAIRS_HPP_

#include <cstdint>

#include "impl/common/engine/sparse_conv.hpp"

namespace impl::cpu {

// Packed pairs. The rows of position k are input(k)[j] and output(k)[j] for j below count[k].
struct PackedPairs {
  const int32_t *pairs = nullptr, *count = nullptr;
  int64_t positions = 0, pitch = 0;  // K, m
  bool inverse = false;
  int64_t centre = -1;  // the position of which all rows are pairs; -1: none
  int64_t most = 0;     // the largest count

  const int32_t* input(int64_t k) const { return pairs + (2 * k + (inverse ? 1 : 0)) * pitch; }
  const int32_t* output(int64_t k) const { return pairs + (2 * k + (inverse ? 0 : 1)) * pitch; }
};

Status pack_pairs(diopiContextHandle_t ctx, const SparsePairs& pairs, PackedPairs* packed);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_SPARSE_PAIRS_HPP_
