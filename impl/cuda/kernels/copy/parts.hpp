// SPDX-License-Identifier: BSD-3-Clause
// Kernels for copies that leave out or repeat parts of the input: triangles of matrices, padding and cyclic shifts.
// Elements have `width` bytes: 1, 2, 4, 8 or 16. Strides count elements.
#ifndef IMPL_CUDA_KERNELS_COPY_PARTS_HPP_
#define IMPL_CUDA_KERNELS_COPY_PARTS_HPP_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "impl/common/engine/runs.hpp"
#include "impl/common/plan/loop_nest.hpp"

namespace impl::cuda {

// `matrices`, loops over the matrices of the output and of the input. There are `lines` rows in all of them.
struct TriangleCall {
  diopi::LoopNest<2> matrices;
  int64_t lines, rows, columns;
  int64_t row_stride[2], column_stride[2];
  bool lower;
  int64_t diagonal;
  int width;
  void* out;
  const void* in;
};
cudaError_t copy_triangles(cudaStream_t stream, const TriangleCall& call);

// A dimension of the result, and its runs. An element may be a word of several elements of the tensors.
struct RunDim {
  int64_t extent, out_stride, in_stride;
  diopi::DimRuns runs;
};

// The innermost dimension comes first.
struct RunsCall {
  int64_t numel;
  int n;
  int width;
  void* out;
  const void* in;
  RunDim dim[diopi::kMaxDims];
};
// `number`: the element, in host memory, that the elements outside of the input become.
cudaError_t copy_all_runs(cudaStream_t stream, const RunsCall& call, const void* number);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_COPY_PARTS_HPP_
