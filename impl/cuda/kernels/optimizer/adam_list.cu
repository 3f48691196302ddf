// SPDX-License-Identifier: BSD-3-Clause
// Steps of Adam for a list of parameters: one launch for up to 64 of them.
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/list/blocks.cuh"
#include "impl/cuda/kernels/optimizer/steps.cuh"

namespace impl::cuda {

using diopi::AdamSteps;

namespace {

// How a parameter is computed. If all tensors of its step have one dtype and are aligned, a thread reads and writes
// adjacent elements at once.
enum class Way : uint8_t { kFloat32, kFloat64, kFloat16, kBfloat16, kEachInFloat, kEachInDouble };

// The tensors of one launch, without unused bytes.
struct AdamChunk {
  ListBlocks list;
  char* data[StepTensors::kMost][ListBlocks::kMost] = {};
  uint8_t dtype[StepTensors::kMost][ListBlocks::kMost] = {};
  Way way[ListBlocks::kMost] = {};
  const AdamCorrection* corrections[ListBlocks::kMost] = {};
};

// Adjacent elements, of 16 bytes at most.
template <typename S>
inline constexpr int kItemsOf = sizeof(S) == sizeof(double) ? 2 : 4;

template <bool kAmsgrad>
inline constexpr int kCountOf = kAmsgrad ? 5 : 4;

template <typename T, bool kAmsgrad>
__device__ void make_one(const AdamChunk& chunk, const AdamStep<T, kAmsgrad>& step, int k, int64_t i) {
  const auto dtype = [&](int j) { return static_cast<diopiDtype_t>(chunk.dtype[j][k]); };
  Elements<T> x{};
  for (int j = 0; j < kCountOf<kAmsgrad>; ++j) x[j] = load_as<T>(chunk.data[j][k], i, dtype(j));
  step.compute(x);
  for (int j = 0; j < kCountOf<kAmsgrad>; ++j) {
    if (j != StepTensors::kGrad) store_as(chunk.data[j][k], i, dtype(j), x[j]);
  }
}

template <typename S, typename T, bool kAmsgrad>
__device__ void make_adjacent(const AdamChunk& chunk, const AdamStep<T, kAmsgrad>& step, int k, int64_t first) {
  constexpr int kCount = kCountOf<kAmsgrad>, kItems = kItemsOf<S>;
  const auto at = [&](int j) { return reinterpret_cast<S*>(chunk.data[j][k]) + first; };
  T items[kCount][kItems];
  for (int j = 0; j < kCount; ++j) load_items(at(j), items[j]);
  for (int e = 0; e < kItems; ++e) {
    Elements<T> x{};
    for (int j = 0; j < kCount; ++j) x[j] = items[j][e];
    step.compute(x);
    for (int j = 0; j < kCount; ++j) items[j][e] = x[j];
  }
  for (int j = 0; j < kCount; ++j) {
    if (j != StepTensors::kGrad) store_items(at(j), items[j]);
  }
}

// The block begins at a multiple of kItemsOf<S>.
template <typename S, typename T, bool kAmsgrad>
__device__ void make_block(const AdamChunk& chunk, AdamStep<T, kAmsgrad> step, const BlockElements& block) {
  constexpr int kItems = kItemsOf<S>;
  if (!step.begin()) return;
  for (int64_t i = block.begin + threadIdx.x * kItems; i < block.end; i += blockDim.x * kItems) {
    if (i + kItems <= block.end) {
      make_adjacent<S>(chunk, step, block.k, i);
    } else {
      for (int64_t e = i; e < block.end; ++e) make_one(chunk, step, block.k, e);
    }
  }
}

template <typename T, bool kAmsgrad>
__device__ void make_block_each(const AdamChunk& chunk, AdamStep<T, kAmsgrad> step, const BlockElements& block) {
  if (!step.begin()) return;
  for (int64_t i = block.begin + threadIdx.x; i < block.end; i += blockDim.x) make_one(chunk, step, block.k, i);
}

template <bool kAmsgrad>
__global__ void make_adam_steps(AdamChunk chunk, AdamNumbers numbers) {
  const BlockElements block = block_elements(chunk.list, blockIdx.x);
  const AdamStep<float, kAmsgrad> step{numbers, chunk.corrections[block.k]};
  const AdamStep<double, kAmsgrad> wide{numbers, chunk.corrections[block.k]};
  switch (chunk.way[block.k]) {
    case Way::kFloat32:
      return make_block<float>(chunk, step, block);
    case Way::kFloat64:
      return make_block<double>(chunk, wide, block);
    case Way::kFloat16:
      return make_block<float16>(chunk, step, block);
    case Way::kBfloat16:
      return make_block<bfloat16>(chunk, step, block);
    case Way::kEachInFloat:
      return make_block_each(chunk, step, block);
    case Way::kEachInDouble:
      return make_block_each(chunk, wide, block);
  }
}

// Whether all tensors of a step have the dtype S and are aligned for make_adjacent<S>().
template <typename S>
bool is_stored_as(const StepTensors& tensors) {
  for (int i = 0; i < tensors.count; ++i) {
    const bool aligned = are_items_aligned(tensors[i].data, sizeof(S), kItemsOf<S>);
    if (tensors[i].dtype != diopi::dtype_of<S> || !aligned) return false;
  }
  return true;
}

Way way_of(const StepTensors& tensors) {
  if (is_stored_as<float>(tensors)) return Way::kFloat32;
  if (is_stored_as<double>(tensors)) return Way::kFloat64;
  if (is_stored_as<float16>(tensors)) return Way::kFloat16;
  if (is_stored_as<bfloat16>(tensors)) return Way::kBfloat16;
  return is_computed_in_double(tensors) ? Way::kEachInDouble : Way::kEachInFloat;
}

Status launch_chunk(cudaStream_t stream, const AdamSteps& steps, const AdamChunk& chunk) {
  if (chunk.list.count == 0) return diopiSuccess;
  const AdamNumbers numbers(adam_params(steps.settings, 1));
  const auto kernel = steps.step == OptimizerStep::kAdamAmsgrad ? make_adam_steps<true> : make_adam_steps<false>;
  return checked(launch(kernel, chunk.list.grid(), dim3(kBlock), 0, stream, chunk, numbers), "a kernel");
}

// The numbers of the steps of one launch, one for each thread, and what the corrections are computed from.
struct StepNumbers {
  static constexpr int kMost = kBlock;
  const void* data[kMost] = {};
  uint8_t dtype[kMost] = {};
  int64_t count = 0, first = 0;  // `first`: the place in the list
  double lr, beta1, beta2;
  AdamCorrection* corrections;
};

__global__ void compute_corrections(StepNumbers numbers, FirstBad bad) {
  const int k = threadIdx.x;
  if (k >= numbers.count) return;
  const auto number = load_as<double>(numbers.data[k], 0, static_cast<diopiDtype_t>(numbers.dtype[k]));
  AdamCorrection& correction = numbers.corrections[numbers.first + k];
  if (diopi::is_step(number)) {
    correction = {numbers.lr / (1 - std::pow(numbers.beta1, number)), std::sqrt(1 - std::pow(numbers.beta2, number))};
  } else {
    report(bad, numbers.first + k, __float_as_int(static_cast<float>(number)));
    correction = {0, AdamCorrection::kLeftOut};
  }
}

}  // namespace

Status launch_corrections(cudaStream_t stream, const AdamSteps& steps, AdamCorrection* corrections,
                          const FirstBad& bad) {
  StepNumbers numbers;
  numbers.lr = steps.settings.lr;
  numbers.beta1 = steps.settings.beta1;
  numbers.beta2 = steps.settings.beta2;
  numbers.corrections = corrections;
  for (int64_t k = 0; k < steps.numbers.size(); ++k) {
    numbers.data[numbers.count] = steps.numbers[k].data;
    numbers.dtype[numbers.count++] = static_cast<uint8_t>(steps.numbers[k].dtype);
    if (numbers.count < StepNumbers::kMost && k + 1 < steps.numbers.size()) continue;
    DIOPI_TRY(checked(launch(compute_corrections, dim3(1), dim3(kBlock), 0, stream, numbers, bad), "a kernel"));
    numbers.first = k + 1;
    numbers.count = 0;
  }
  return diopiSuccess;
}

bool is_listed_step(const StepTensors& tensors) {
  bool same_strides = true, contiguous = true;
  for (int i = 0; i < tensors.count; ++i) {
    same_strides = same_strides && tensors[i].stride == tensors[0].stride;
    contiguous = contiguous && tensors[i].is_contiguous();
  }
  return contiguous || (same_strides && tensors[0].is_dense());
}

Status launch_adam_list(cudaStream_t stream, const AdamSteps& steps, const AdamCorrection* corrections) {
  AdamChunk chunk;
  for (int64_t n = 0; n < steps.numbers.size(); ++n) {
    const StepTensors& tensors = steps.tensors[n];
    if (tensors[0].numel == 0 || !is_listed_step(tensors)) continue;
    const int64_t k = chunk.list.add(tensors[0].numel);
    for (int j = 0; j < tensors.count; ++j) {
      chunk.data[j][k] = tensors[j].data;
      chunk.dtype[j][k] = static_cast<uint8_t>(tensors[j].dtype);
    }
    chunk.way[k] = way_of(tensors);
    chunk.corrections[k] = corrections + n;
    if (!chunk.list.is_full()) continue;
    DIOPI_TRY(launch_chunk(stream, steps, chunk));
    chunk = AdamChunk();
  }
  return launch_chunk(stream, steps, chunk);
}

}  // namespace impl::cuda
