// SPDX-License-Identifier: BSD-3-Clause
// Steps of Adam for a list of parameters: one launch for up to 64 of them.
#include "impl/common/shape.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/list/blocks.cuh"
#include "impl/cuda/kernels/optimizer/optimizer.hpp"
#include "impl/cuda/kernels/optimizer/steps.cuh"

namespace impl::cuda {

using diopi::AdamCall;

namespace {

// The parameters of one launch, without unused bytes. Their numbers differ only in what depends on the step.
struct AdamChunk {
  ListBlocks list;
  int64_t dtype[ListBlocks::kMost] = {};
  double step_size[ListBlocks::kMost] = {}, root_of_correction[ListBlocks::kMost] = {};
  char* data[StepTensors::kMost][ListBlocks::kMost] = {};
};

template <typename T, bool kAmsgrad>
__device__ void make_adam_step(const AdamChunk& chunk, AdamNumbers numbers, int k, int64_t i) {
  constexpr int kCount = kAmsgrad ? 5 : 4;
  const auto dtype = static_cast<diopiDtype_t>(chunk.dtype[k]);
  numbers.step_size = chunk.step_size[k];
  numbers.root_of_correction = chunk.root_of_correction[k];
  Elements<T> x{};
  for (int j = 0; j < kCount; ++j) x[j] = load_as<T>(chunk.data[j][k], i, dtype);
  AdamStep<T, kAmsgrad>{numbers}.compute(x);
  for (int j = 0; j < kCount; ++j) {
    if (j != StepTensors::kGrad) store_as(chunk.data[j][k], i, dtype, x[j]);
  }
}

template <bool kAmsgrad>
__global__ void make_adam_steps(AdamChunk chunk, AdamNumbers numbers) {
  for_each_element(chunk.list, [&](int k, int64_t i) {
    if (chunk.dtype[k] == diopi_dtype_float64) {
      make_adam_step<double, kAmsgrad>(chunk, numbers, k, i);
    } else {
      make_adam_step<float, kAmsgrad>(chunk, numbers, k, i);
    }
  });
}

Status launch_chunk(cudaStream_t stream, OptimizerStep step, const AdamChunk& chunk, const AdamNumbers& numbers) {
  if (chunk.list.count == 0) return diopiSuccess;
  const auto kernel = step == OptimizerStep::kAdamAmsgrad ? make_adam_steps<true> : make_adam_steps<false>;
  return checked(launch(kernel, chunk.list.grid(), dim3(kBlock), 0, stream, chunk, numbers), "a kernel");
}

}  // namespace

bool is_listed_step(const StepTensors& tensors) {
  for (int i = 0; i < tensors.count; ++i) {
    if (tensors[i].dtype != tensors[0].dtype || !tensors[i].is_contiguous()) return false;
    for (int j = 0; j < i; ++j) {
      if (diopi::may_overlap(tensors[i], tensors[j])) return false;
    }
  }
  return true;
}

Status launch_adam_list(cudaStream_t stream, OptimizerStep step, const AdamCall* calls, int64_t count) {
  AdamChunk chunk;
  for (int64_t c = 0; c < count; ++c) {
    const StepTensors& tensors = calls[c].tensors;
    if (tensors[0].numel == 0 || !is_listed_step(tensors)) continue;
    const int64_t k = chunk.list.add(tensors[0].numel);
    chunk.dtype[k] = tensors[0].dtype;
    chunk.step_size[k] = calls[c].params.step_size;
    chunk.root_of_correction[k] = calls[c].params.root_of_correction;
    for (int j = 0; j < tensors.count; ++j) chunk.data[j][k] = tensors[j].data;
    if (!chunk.list.is_full()) continue;
    DIOPI_TRY(launch_chunk(stream, step, chunk, AdamNumbers(calls[0].params)));
    chunk = AdamChunk();
  }
  return count == 0 ? Status(diopiSuccess) : launch_chunk(stream, step, chunk, AdamNumbers(calls[0].params));
}

}  // namespace impl::cuda
