// SPDX-License-Identifier: BSD-3-Clause
// Memory of a stream that every call may use: kernels of one stream run one after another.
#ifndef IMPL_CUDA_ENGINE_SCRATCH_HPP_
#define IMPL_CUDA_ENGINE_SCRATCH_HPP_

#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

struct StreamScratch {
  static constexpr int64_t kTickets = 4096, kBytes = int64_t{1} << 20;
  unsigned* tickets = nullptr;  // kTickets numbers that are 0; kernels that change them set them to 0 again
  char* memory = nullptr;       // kBytes bytes
};

// The memory of the stream of a call, which is allocated by the first call. In a dry run, there is none.
Status scratch_of(diopiContextHandle_t ctx, StreamScratch* scratch);
// Frees the memory of a stream that is about to be destroyed. The host has waited for the stream.
Status free_scratch(cudaStream_t stream);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_SCRATCH_HPP_
