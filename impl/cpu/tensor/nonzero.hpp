// SPDX-License-Identifier: BSD-3-Clause
// Counting and listing the true elements of packed masks.
#ifndef IMPL_CPU_TENSOR_NONZERO_HPP_
#define IMPL_CPU_TENSOR_NONZERO_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// A mask is packed bytes, zero or not. Threads process chunks of this many elements.
inline constexpr int64_t kMaskChunk = 16384;

inline int64_t mask_chunks(int64_t n) { return (n + kMaskChunk - 1) / kMaskChunk; }

// starts[i] = number of true elements before chunk i; starts[mask_chunks(n)] = their total number, also the result.
int64_t count_mask(const uint8_t* mask, int64_t n, int64_t* starts);

// table[j] = offset of the j-th true element in row-major order, for a mask of `shape` over a tensor with strides
// `stride`. `starts` comes from count_mask.
void mask_offsets(const uint8_t* mask, const diopi::Dims& shape, const diopi::Dims& stride, const int64_t* starts,
                  int64_t* table);

// coordinates[j * row_step + d * dim_step] = index d of the j-th true element.
void mask_coordinates(const uint8_t* mask, const diopi::Dims& shape, const int64_t* starts, int64_t* coordinates,
                      int64_t row_step, int64_t dim_step);

}  // namespace impl::cpu

#endif  // IMPL_CPU_TENSOR_NONZERO_HPP_
