// SPDX-License-Identifier: BSD-3-Clause
// Max pooling. Its gradient adds up, for each input element, the gradients of the windows that chose it.
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/pool/pool.hpp"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

namespace {

constexpr diopi::Averaging kNoAverage;

// The smallest number.
template <typename T>
__device__ T least();
template <>
__device__ inline double least() {
  return -HUGE_VAL;
}
template <>
__device__ inline int64_t least() {
  return INT64_MIN;
}
template <>
__device__ inline uint64_t least() {
  return 0;
}

template <typename T>
__global__ void maximum(Pooling p, Planes out, Planes indices, Planes in, int64_t numel) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    int64_t at[5], where = -1;
    Span span[3];
    T best = least<T>();
    p.locate(i, true, at);
    if (p.spans(at, span)) {
      for_inputs(p, at, span, [&](const int64_t* from, int64_t position) {
        const T x = in.read<T>(from);
        if (where >= 0 && !(x > best) && x == x) return;
        best = x;
        where = position;
      });
    }
    out.write(at, best);
    if (indices.data != nullptr) indices.write(at, where < 0 ? int64_t{0} : where);
  }
}

// Sets *astray if an index is not in the window of its output element.
__global__ void find_astray(Pooling p, Planes indices, int64_t numel, int* astray) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    int64_t at[5];
    Span span[3];
    p.locate(i, true, at);
    int64_t position = indices.read<int64_t>(at);
    p.spans(at, span);
    bool inside = true;
    for (int d = 2; d >= 0; --d) inside = span[d].contains(split_index(&position, p.dim[d].in)) && inside;
    if (!inside) atomicOr(astray, 1);
  }
}

__global__ void clear_flag(int* flag) { *flag = 0; }

__global__ void maximum_backward(Pooling p, Planes grad_input, Planes grad_output, Planes indices, int64_t numel,
                                 const int* astray) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    int64_t at[5];
    p.locate(i, false, at);
    const int64_t position = (at[2] * p.dim[1].in + at[3]) * p.dim[2].in + at[4];
    double sum = 0;
    const auto add = [&](const int64_t* from) {
      if (indices.read<int64_t>(from) == position) sum += grad_output.read<double>(from);
    };
    if (*astray == 0) {
      for_outputs(p, at, add);
    } else {  // the caller's own indices: look at all of the plane
      int64_t from[5] = {at[0], at[1]};
      for (from[2] = 0; from[2] < p.dim[0].out; ++from[2]) {
        for (from[3] = 0; from[3] < p.dim[1].out; ++from[3]) {
          for (from[4] = 0; from[4] < p.dim[2].out; ++from[4]) add(from);
        }
      }
    }
    grad_input.write(at, sum);
  }
}

int64_t blocks_of(int64_t numel) { return (numel + kPoolThreads - 1) / kPoolThreads; }

}  // namespace

Status max_pool(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& out,
                const TensorView* indices, const TensorView& in) {
  const Pooling p(windows, in, kNoAverage);
  const Planes positions = indices != nullptr ? Planes(*indices) : Planes();
  const auto kernel = diopi::is_floating(in.dtype)     ? maximum<double>
                      : in.dtype == diopi_dtype_uint64 ? maximum<uint64_t>
                                                       : maximum<int64_t>;
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, Planes(out), positions, Planes(in),
                       out.numel);
}

Status max_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& grad_input,
                         const TensorView& grad_output, const TensorView& indices) {
  const Pooling p(windows, grad_input, kNoAverage);
  int* astray = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(1, &astray));
  DIOPI_TRY(launch_blocks(ctx, clear_flag, 1, 1, astray));
  if (indices.numel > 0 && grad_output.numel > 0) {
    DIOPI_TRY(launch_blocks(ctx, find_astray, blocks_of(indices.numel), kPoolThreads, p, Planes(indices), indices.numel,
                            astray));
  }
  return launch_blocks(ctx, maximum_backward, blocks_of(grad_input.numel), kPoolThreads, p, Planes(grad_input),
                       Planes(grad_output), Planes(indices), grad_input.numel, astray);
}

}  // namespace impl::cuda
