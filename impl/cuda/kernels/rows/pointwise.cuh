// SPDX-License-Identifier: BSD-3-Clause
// Computes each element on its own, from inputs of any dtype that broadcast to the shape of the outputs. A function has
// kInputs, kOutputs, the type Value in which elements are read, and operator()(x, y), which computes y[j], the element
// of output j, from x[k], the element of input k.
#ifndef IMPL_CUDA_KERNELS_ROWS_POINTWISE_CUH_
#define IMPL_CUDA_KERNELS_ROWS_POINTWISE_CUH_

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/rows/fold.cuh"
#include "impl/cuda/kernels/runs.cuh"

namespace impl::cuda {

constexpr int kPointwiseItems = 4;  // adjacent elements of a thread

// The outputs are the first operands of nests, and the inputs follow.
template <class F>
struct PointwiseOperands {
  Targets<F::kOutputs> out;
  Sources<F::kInputs> in;
};

template <class F>
__device__ inline void compute_element(const F& f, const PointwiseOperands<F>& operands, const int32_t* offset) {
  using T = typename F::Value;
  T x[F::kInputs], y[F::kOutputs];
  DIOPI_UNROLL
  for (int k = 0; k < F::kInputs; ++k) x[k] = operands.in.template read<T>(k, offset[F::kOutputs + k]);
  f(x, y);
  DIOPI_UNROLL
  for (int j = 0; j < F::kOutputs; ++j) operands.out.write(j, offset[j], y[j]);
}

template <class F>
__global__ void __launch_bounds__(kBlock, 2)
    compute_strided(F f, Strided<F::kOutputs + F::kInputs> nest, PointwiseOperands<F> operands) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[F::kOutputs + F::kInputs];
  nest.offsets(static_cast<uint32_t>(item), offset);
  compute_element(f, operands, offset);
}

template <class F>
__global__ void __launch_bounds__(kBlock, 2)
    compute_runs(F f, Runs<F::kOutputs + F::kInputs> runs, PointwiseOperands<F> operands) {
  using T = typename F::Value;
  constexpr int kOut = F::kOutputs, kIn = F::kInputs, kItems = kPointwiseItems;
  const int64_t item = thread_item();
  if (item >= runs.threads()) return;
  int32_t offset[kOut + kIn];
  const int count = runs.template locate<kItems>(static_cast<uint32_t>(item), offset);
  if (count < kItems) {  // the end of a run
    for (int j = 0; j < count; ++j) {
      compute_element(f, operands, offset);
      for (int k = 0; k < kOut + kIn; ++k) offset[k] += runs.step[k];
    }
    return;
  }
  T in[kIn][kItems], out[kOut][kItems];
  DIOPI_UNROLL
  for (int k = 0; k < kIn; ++k) {
    if (operands.in.data[k] != nullptr && runs.step[kOut + k] != 0) {
      load_items(operands.in.data[k], offset[kOut + k], operands.in.dtype[k], in[k]);
    } else {
      repeat_item(operands.in.template read<T>(k, offset[kOut + k]), in[k]);
    }
  }
  DIOPI_UNROLL
  for (int i = 0; i < kItems; ++i) {
    T x[kIn], y[kOut];
    DIOPI_UNROLL
    for (int k = 0; k < kIn; ++k) x[k] = in[k][i];
    f(x, y);
    DIOPI_UNROLL
    for (int j = 0; j < kOut; ++j) out[j][i] = y[j];
  }
  DIOPI_UNROLL
  for (int j = 0; j < kOut; ++j) {
    if (operands.out.data[j] != nullptr) store_items(operands.out.data[j], offset[j], operands.out.dtype[j], out[j]);
  }
}

// Launches a kernel for a piece of a call, which begins at `base[k]` of operand k.
template <class F>
Status launch_pointwise(diopiContextHandle_t ctx, const F& f, PointwiseOperands<F> operands,
                        const Piece<F::kOutputs + F::kInputs>& piece) {
  constexpr int kOut = F::kOutputs, kIn = F::kInputs;
  const void* data[kOut + kIn];
  int size[kOut + kIn];
  for (int k = 0; k < kOut + kIn; ++k) {
    const bool is_output = k < kOut;
    const diopiDtype_t dtype = is_output ? operands.out.dtype[k] : operands.in.dtype[k - kOut];
    data[k] = is_output ? operands.out.data[k] : operands.in.data[k - kOut];
    size[k] = data[k] != nullptr ? diopi::dtype_size(dtype) : 1;
    if (data[k] == nullptr) continue;
    const int64_t bytes = piece.base[k] * size[k];
    data[k] = is_output ? (operands.out.data[k] += bytes) : (operands.in.data[k - kOut] += bytes);
  }
  Runs<kOut + kIn> runs;
  if (find_runs(piece.nest, kPointwiseItems, data, size, &runs)) {
    return launch_items(ctx, compute_runs<F>, runs.threads(), f, runs, operands);
  }
  return launch_items(ctx, compute_strided<F>, piece.nest.numel, f, piece.nest, operands);
}

template <class F>
Status run_pointwise(diopiContextHandle_t ctx, const F& f, const PointwiseCall& call) {
  constexpr int kOut = F::kOutputs, kIn = F::kInputs;
  TensorView out[kOut];
  DIOPI_TRY(separate_outputs(ctx, {call.in, kIn, call.out, kOut, true}, out));
  PointwiseOperands<F> operands{};
  Dims strides[kOut + kIn];
  operands.in = sources_of<kIn>(call.in, call.shape, strides + kOut);
  for (int j = 0; j < kOut; ++j) {
    operands.out.data[j] = out[j].data;
    operands.out.dtype[j] = out[j].dtype;
    strides[j] = out[j].data != nullptr ? out[j].stride : out[0].stride;
  }
  if (call.shape.product() == 0) return diopiSuccess;
  diopi::LoopNest<kOut + kIn> nest, no_rows;
  split_loops(call.shape, 0, strides, &nest, &no_rows);
  sort_by_stride(&nest, 0);
  nest.merge();
  DIOPI_TRY(for_each_piece(nest, [&](const auto& piece) { return launch_pointwise(ctx, f, operands, piece); }));
  return copy_to_outputs(ctx, {call.in, kIn, call.out, kOut, true}, out);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_POINTWISE_CUH_
