// SPDX-License-Identifier: BSD-3-Clause
// Kernels of permutations and of draws from weights. W_i is the 64-bit word made of words 2i and 2i + 1 of the stream.
#ifndef IMPL_CUDA_KERNELS_RANDOM_DRAW_HPP_
#define IMPL_CUDA_KERNELS_RANDOM_DRAW_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/generator.hpp"
#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

// keys[i] = W_i without its low `bits` bits, shifted down.
cudaError_t make_random_keys(cudaStream_t stream, const diopi::RandomStream& words, int64_t n, int bits,
                             uint64_t* keys);

// Weights of rows [rows, n], read in float64.
struct WeightRows {
  int64_t rows, n;
  double* numbers;  // packed
  int64_t* last;    // the last position of a positive weight; kNoWeight or kInvalidWeight for rows that have none
};
inline constexpr int64_t kNoWeight = -1, kInvalidWeight = -2;
// Writes the weights, or with `cumulative` their sums from the first one on, added up in order.
diopi::Status read_weights(diopiContextHandle_t ctx, const diopi::TensorView& weights, bool cumulative,
                           const WeightRows& rows);

// Writes samples, by the running sums of weights, to `out`, of shape [rows, samples] and dtype int32 or int64.
cudaError_t draw_samples(cudaStream_t stream, const diopi::RandomStream& words, const WeightRows& sums,
                         const diopi::TensorView& out);
// keys[i]: the waiting time -ln(u) / weight of each position, as integers in the same order.
cudaError_t make_waiting_times(cudaStream_t stream, const diopi::RandomStream& words, const WeightRows& weights,
                               uint64_t* keys);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_DRAW_HPP_
