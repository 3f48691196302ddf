// SPDX-License-Identifier: BSD-3-Clause
// Computes each element on its own, from inputs of any dtype that broadcast to the shape of the outputs. A function has
// kInputs, kOutputs, the type Value in which elements are read, and operator()(x, y), which computes y[j], the element
// of output j, from x[k], the element of input k.
#ifndef IMPL_CUDA_KERNELS_ROWS_POINTWISE_CUH_
#define IMPL_CUDA_KERNELS_ROWS_POINTWISE_CUH_

#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

constexpr int kPointwiseThreads = 128;

template <class F>
struct PointwiseOperands {
  diopi::LoopNest<F::kInputs + F::kOutputs> nest;
  Sources<F::kInputs> in;
  Targets<F::kOutputs> out;
  int64_t numel;
};

template <class F>
__global__ void compute_elements(F f, PointwiseOperands<F> operands) {
  using T = typename F::Value;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kPointwiseThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kPointwiseThreads + threadIdx.x; i < operands.numel; i += step) {
    int64_t offset[F::kInputs + F::kOutputs];
    offsets_at(operands.nest, i, offset);
    T x[F::kInputs], y[F::kOutputs];
    for (int k = 0; k < F::kInputs; ++k) x[k] = operands.in.template read<T>(k, offset[k]);
    f(x, y);
    for (int j = 0; j < F::kOutputs; ++j) operands.out.write(j, offset[F::kInputs + j], y[j]);
  }
}

template <class F>
Status run_pointwise(diopiContextHandle_t ctx, const F& f, const PointwiseCall& call) {
  constexpr int kOperands = F::kInputs + F::kOutputs;
  TensorView out[F::kOutputs];
  DIOPI_TRY(separate_outputs(ctx, {call.in, F::kInputs, call.out, F::kOutputs, true}, out));
  PointwiseOperands<F> operands{};
  Dims strides[kOperands];
  operands.in = sources_of<F::kInputs>(call.in, call.shape, strides);
  for (int j = 0; j < F::kOutputs; ++j) {
    operands.out.data[j] = out[j].data;
    operands.out.dtype[j] = out[j].dtype;
    strides[F::kInputs + j] = out[j].data != nullptr ? out[j].stride : out[0].stride;
  }
  operands.numel = call.shape.product();
  if (operands.numel == 0) return diopiSuccess;
  diopi::LoopNest<kOperands> no_rows;
  split_loops(call.shape, 0, strides, &operands.nest, &no_rows);
  sort_by_stride(&operands.nest, F::kInputs);
  operands.nest.merge();
  const int64_t blocks = (operands.numel + kPointwiseThreads - 1) / kPointwiseThreads;
  DIOPI_TRY(launch_blocks(ctx, compute_elements<F>, blocks, kPointwiseThreads, f, operands));
  return copy_to_outputs(ctx, {call.in, F::kInputs, call.out, F::kOutputs, true}, out);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_POINTWISE_CUH_
