// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/optimizer/optimizer.hpp"

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/optimizer/steps.cuh"

namespace impl::cuda {

namespace {

constexpr int kMost = StepTensors::kMost;

struct StepCall {
  Strided<kMost> nest;
  int count;
  char* data[kMost];
  diopiDtype_t dtype[kMost];
};

template <typename T, class Step>
__global__ void make_step(Step step, StepCall call) {
  const int64_t item = thread_item();
  if (item >= call.nest.numel || !step.begin()) return;
  int32_t offset[kMost];
  call.nest.offsets(static_cast<uint32_t>(item), offset);
  Elements<T> x{};
  for (int i = 0; i < kMost; ++i) {
    if (i < call.count) x[i] = load_as<T>(call.data[i], offset[i], call.dtype[i]);
  }
  step.compute(x);
  for (int i = 0; i < kMost; ++i) {
    if (i < call.count && i != StepTensors::kGrad) store_as(call.data[i], offset[i], call.dtype[i], x[i]);
  }
}

template <typename T, class Step>
Status run(cudaStream_t stream, const StepTensors& tensors, const Step& step) {
  const diopi::Dims& shape = tensors[0].shape;
  diopi::LoopNest<kMost> nest;
  for (int dim = shape.n - 1; dim >= 0; --dim) {
    auto& loop = nest[nest.n++];
    loop.extent = shape[dim];
    for (int i = 0; i < kMost; ++i) loop.stride[i] = i < tensors.count ? tensors[i].stride[dim] : 0;
  }
  nest.drop_ones();
  nest.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  nest.merge(tensors.count);
  for (int i = 0; i < nest.n; ++i) {
    for (int k = tensors.count; k < kMost; ++k) nest[i].stride[k] = 0;
  }
  return for_each_piece(nest, [&](const Piece<kMost>& piece) -> Status {
    StepCall call{};
    call.nest = piece.nest;
    call.count = tensors.count;
    for (int i = 0; i < tensors.count; ++i) {
      call.data[i] = tensors[i].data + piece.base[i] * tensors[i].itemsize();
      call.dtype[i] = tensors[i].dtype;
    }
    const dim3 grid = blocks_for(piece.nest.numel);
    return checked(launch(make_step<T, Step>, grid, dim3(kBlock), 0, stream, step, call), "a kernel");
  });
}

template <typename T>
Status run_step_of(cudaStream_t stream, OptimizerStep step, const StepTensors& tensors, const void* params,
                   const AdamCorrection* correction) {
  const auto sgd = [params] { return SgdNumbers(*static_cast<const diopi::SgdParams*>(params)); };
  const auto adam = [params] { return AdamNumbers(*static_cast<const diopi::AdamParams*>(params)); };
  const auto& rmsprop = *static_cast<const diopi::RmspropParams*>(params);
  switch (step) {
    case OptimizerStep::kSgd:
      return run<T>(stream, tensors, SgdStep<T, false>{sgd()});
    case OptimizerStep::kSgdBuffer:
      return run<T>(stream, tensors, SgdStep<T, true>{sgd()});
    case OptimizerStep::kAdam:
      return run<T>(stream, tensors, AdamStep<T, false>{adam(), correction});
    case OptimizerStep::kAdamAmsgrad:
      return run<T>(stream, tensors, AdamStep<T, true>{adam(), correction});
    case OptimizerStep::kAdadelta:
      return run<T>(stream, tensors, AdadeltaStep<T>{*static_cast<const diopi::AdadeltaParams*>(params)});
    case OptimizerStep::kRmsprop:
      return run<T>(stream, tensors, RmspropStep<T, false, false>{rmsprop});
    case OptimizerStep::kRmspropCentered:
      return run<T>(stream, tensors, RmspropStep<T, true, false>{rmsprop});
    case OptimizerStep::kRmspropMomentum:
      return run<T>(stream, tensors, RmspropStep<T, false, true>{rmsprop});
    default:
      return run<T>(stream, tensors, RmspropStep<T, true, true>{rmsprop});
  }
}

}  // namespace

bool is_computed_in_double(const StepTensors& tensors) {
  for (int i = 0; i < tensors.count; ++i) {
    if (tensors[i].dtype == diopi_dtype_float64) return true;
  }
  return false;
}

Status launch_step(cudaStream_t stream, OptimizerStep step, const StepTensors& tensors, const void* params,
                   const AdamCorrection* correction) {
  if (tensors[0].numel == 0) return diopiSuccess;
  if (is_computed_in_double(tensors)) return run_step_of<double>(stream, step, tensors, params, correction);
  return run_step_of<float>(stream, step, tensors, params, correction);
}

}  // namespace impl::cuda
