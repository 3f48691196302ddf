// SPDX-License-Identifier: BSD-3-Clause
// Kernels for tables of embeddings.
#ifndef IMPL_CUDA_KERNELS_INDEX_EMBEDDING_HPP_
#define IMPL_CUDA_KERNELS_INDEX_EMBEDDING_HPP_

#include <diopi/diopirt.h>

#include "impl/cuda/kernels/index/index.hpp"

namespace impl::cuda {

// Replaces each place that is `dropped` by `limit`.
struct DropCall {
  int64_t count;
  int64_t* places;
  int64_t dropped, limit;
};
cudaError_t drop_place(cudaStream_t stream, const DropCall& call);

// Multiplies each row that is a place, and whose norm exceeds `max_norm`, by max_norm / (norm + 1e-7). `last` has been
// found.
struct RenormCall {
  LastCall last;
  int64_t width, row_stride, stride;
  double max_norm, order;
  diopiDtype_t dtype;  // float16, bfloat16, float32 or float64
  void* table;
};
cudaError_t renorm_rows(cudaStream_t stream, const RenormCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_EMBEDDING_HPP_
