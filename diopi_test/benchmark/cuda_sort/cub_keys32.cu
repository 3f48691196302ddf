// SPDX-License-Identifier: BSD-3-Clause
#include "diopi_test/benchmark/cuda_sort/cub_sort.cuh"

namespace cuda_sort {

template cudaError_t find_cub_scratch<uint32_t>(int64_t n, size_t* bytes);
template cudaError_t sort_by_cub<uint32_t>(cudaStream_t stream, const CubCall<uint32_t>& call);

int cub_version() { return CUB_VERSION; }

}  // namespace cuda_sort
