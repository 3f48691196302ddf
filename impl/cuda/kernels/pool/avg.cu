// SPDX-License-Identifier: BSD-3-Clause
// Average pooling. Floating point elements are added in float64, integers in int64.
#include "impl/cuda/kernels/pool/pool.hpp"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

namespace {

__device__ inline double plus(double a, double b) { return a + b; }
__device__ inline int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
__device__ inline double divided(double a, int64_t n) { return a / static_cast<double>(n); }
// The quotient of the smallest integer and -1 wraps around.
__device__ inline int64_t divided(int64_t a, int64_t n) {
  return n == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / n;
}

template <typename T>
__global__ void average(Pooling p, Planes out, Planes in, int64_t numel) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    int64_t at[5];
    Span span[3];
    p.locate(i, true, at);
    T mean(0);
    if (p.spans(at, span)) {
      T sum(0);
      for_inputs(p, at, span, [&](const int64_t* from, int64_t) { sum = plus(sum, in.read<T>(from)); });
      mean = divided(sum, p.divisor_of(span));
    }
    out.write(at, mean);
  }
}

template <typename T>
__global__ void average_backward(Pooling p, Planes grad_input, Planes grad_output, int64_t numel) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    int64_t at[5];
    p.locate(i, false, at);
    T sum(0);
    for_outputs(p, at, [&](const int64_t* from) {
      Span span[3];
      if (p.spans(from, span)) sum = plus(sum, divided(grad_output.read<T>(from), p.divisor_of(span)));
    });
    grad_input.write(at, sum);
  }
}

int64_t blocks_of(int64_t numel) { return (numel + kPoolThreads - 1) / kPoolThreads; }

}  // namespace

Status avg_pool(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                const TensorView& out, const TensorView& in) {
  const Pooling p(windows, in, averaging);
  const auto kernel = diopi::is_floating(in.dtype) ? average<double> : average<int64_t>;
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, Planes(out), Planes(in), out.numel);
}

Status avg_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                         const TensorView& grad_input, const TensorView& grad_output) {
  const Pooling p(windows, grad_input, averaging);
  const auto kernel = diopi::is_floating(grad_input.dtype) ? average_backward<double> : average_backward<int64_t>;
  return launch_blocks(ctx, kernel, blocks_of(grad_input.numel), kPoolThreads, p, Planes(grad_input),
                       Planes(grad_output), grad_input.numel);
}

}  // namespace impl::cuda
