// SPDX-License-Identifier: BSD-3-Clause
// Kernels that find elements with a property: true elements of a mask, and first rows of groups. First the elements of
// each part are counted; the sums of the counts of all parts before, of scan_exclusive(), then say where a part writes.
#ifndef IMPL_CUDA_KERNELS_INDEX_MASK_HPP_
#define IMPL_CUDA_KERNELS_INDEX_MASK_HPP_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cuda {

// The elements of a part, and the number of parts of `n` elements.
inline constexpr int64_t kMaskPart = 2048;
constexpr int64_t mask_parts(int64_t n) { return (n + kMaskPart - 1) / kMaskPart; }

// A mask of n bytes that are zero or not.
struct MaskCall {
  int64_t n;
  const uint8_t* mask;
  int64_t* counts;     // [mask_parts(n)]
  int64_t* positions;  // of the elements that are not zero
};
cudaError_t count_mask(cudaStream_t stream, const MaskCall& call);
cudaError_t list_mask(cudaStream_t stream, const MaskCall& call);

// out[k, d] = the coordinate d of positions[k] in a tensor of the extents of `loops`, the innermost first. `loops` has
// the stride of `out` along dimension 1 times d.
struct CoordinatesCall {
  int64_t count;
  const int64_t* positions;
  diopi::LoopNest<1> loops;
  int64_t out_stride;
  int64_t* out;
};
cudaError_t write_coordinates(cudaStream_t stream, const CoordinatesCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_MASK_HPP_
