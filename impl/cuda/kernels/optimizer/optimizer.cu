// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/optimizer/optimizer.hpp"

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

namespace {

constexpr int kMost = StepTensors::kMost;

// The elements of all tensors at one place. compute() replaces those that a step changes.
template <typename T>
struct Elements {
  T v[kMost];
  __device__ T& operator[](int i) { return v[i]; }
};

// The gradient plus weight decay. Without decay the parameter does not count, because it may be infinite.
template <typename T>
__device__ T decayed(T grad, T param, double weight_decay) {
  return weight_decay != 0 ? grad + static_cast<T>(weight_decay) * param : grad;
}

// Parameters without unused bytes, which would hold what was on the stack: flags are numbers, 0 or 1.
struct SgdNumbers {
  double lr, momentum, dampening, weight_decay, nesterov;
  explicit SgdNumbers(const diopi::SgdParams& p)
      : lr(p.lr),
        momentum(p.momentum),
        dampening(p.dampening),
        weight_decay(p.weight_decay),
        nesterov(p.nesterov ? 1 : 0) {}
};
struct AdamNumbers {
  double step_size, root_of_correction, beta2, one_minus_beta1, one_minus_beta2, eps, weight_decay, shrink, maximize;
  explicit AdamNumbers(const diopi::AdamParams& p)
      : step_size(p.step_size),
        root_of_correction(p.root_of_correction),
        beta2(p.beta2),
        one_minus_beta1(p.one_minus_beta1),
        one_minus_beta2(p.one_minus_beta2),
        eps(p.eps),
        weight_decay(p.weight_decay),
        shrink(p.shrink),
        maximize(p.maximize ? 1 : 0) {}
};

template <typename T, bool kBuffer>
struct SgdStep {
  SgdNumbers s;
  __device__ void compute(Elements<T>& x) const {
    const T grad = decayed(x[1], x[0], s.weight_decay), momentum = static_cast<T>(s.momentum);
    T step = grad;
    if constexpr (kBuffer) {
      x[2] = momentum * x[2] + static_cast<T>(1 - s.dampening) * grad;
      step = s.nesterov != 0 ? grad + momentum * x[2] : x[2];
    }
    x[0] -= static_cast<T>(s.lr) * step;
  }
};

template <typename T, bool kAmsgrad>
struct AdamStep {
  AdamNumbers s;
  __device__ void compute(Elements<T>& x) const {
    const T grad = decayed(s.maximize != 0 ? -x[1] : x[1], x[0], s.weight_decay);
    x[2] += static_cast<T>(s.one_minus_beta1) * (grad - x[2]);
    x[3] = static_cast<T>(s.beta2) * x[3] + static_cast<T>(s.one_minus_beta2) * (grad * grad);
    T bound = x[3];
    if constexpr (kAmsgrad) {
      x[4] = x[4] != x[4] || x[4] > x[3] ? x[4] : x[3];
      bound = x[4];
    }
    const T root = std::sqrt(bound) * static_cast<T>(1 / s.root_of_correction);
    const T update = static_cast<T>(s.step_size) * (x[2] / (root + static_cast<T>(s.eps)));
    x[0] = x[0] * static_cast<T>(s.shrink) - update;
  }
};

template <typename T>
struct AdadeltaStep {
  diopi::AdadeltaParams s;
  __device__ void compute(Elements<T>& x) const {
    const T grad = decayed(x[1], x[0], s.weight_decay);
    const T rho = static_cast<T>(s.rho), fresh = static_cast<T>(1 - s.rho), eps = static_cast<T>(s.eps);
    x[2] = rho * x[2] + fresh * (grad * grad);
    const T delta = std::sqrt(x[3] + eps) / std::sqrt(x[2] + eps) * grad;
    x[3] = rho * x[3] + fresh * (delta * delta);
    x[0] -= static_cast<T>(s.lr) * delta;
  }
};

template <typename T, bool kCentered, bool kMomentum>
struct RmspropStep {
  diopi::RmspropParams s;
  __device__ void compute(Elements<T>& x) const {
    const T grad = decayed(x[1], x[0], s.weight_decay), fresh = static_cast<T>(1 - s.alpha);
    x[2] = static_cast<T>(s.alpha) * x[2] + fresh * (grad * grad);
    T variance = x[2];
    if constexpr (kCentered) {
      x[3] += fresh * (grad - x[3]);
      variance = x[2] - x[3] * x[3];
    }
    T step = grad / (std::sqrt(variance) + static_cast<T>(s.eps));
    if constexpr (kMomentum) {
      constexpr int kBuffer = 3 + kCentered;
      step += static_cast<T>(s.momentum) * x[kBuffer];
      x[kBuffer] = step;
    }
    x[0] -= static_cast<T>(s.lr) * step;
  }
};

struct StepCall {
  Strided<kMost> nest;
  int count;
  char* data[kMost];
  diopiDtype_t dtype[kMost];
};

template <typename T, class Step>
__global__ void make_step(Step step, StepCall call) {
  const int64_t item = thread_item();
  if (item >= call.nest.numel) return;
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
Status run_step_of(cudaStream_t stream, OptimizerStep step, const StepTensors& tensors, const void* params) {
  const auto sgd = [params] { return SgdNumbers(*static_cast<const diopi::SgdParams*>(params)); };
  const auto adam = [params] { return AdamNumbers(*static_cast<const diopi::AdamParams*>(params)); };
  const auto& rmsprop = *static_cast<const diopi::RmspropParams*>(params);
  switch (step) {
    case OptimizerStep::kSgd:
      return run<T>(stream, tensors, SgdStep<T, false>{sgd()});
    case OptimizerStep::kSgdBuffer:
      return run<T>(stream, tensors, SgdStep<T, true>{sgd()});
    case OptimizerStep::kAdam:
      return run<T>(stream, tensors, AdamStep<T, false>{adam()});
    case OptimizerStep::kAdamAmsgrad:
      return run<T>(stream, tensors, AdamStep<T, true>{adam()});
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

Status launch_step(cudaStream_t stream, OptimizerStep step, diopiDtype_t dtype, const StepTensors& tensors,
                   const void* params) {
  if (tensors[0].numel == 0) return diopiSuccess;
  if (dtype == diopi_dtype_float64) return run_step_of<double>(stream, step, tensors, params);
  return run_step_of<float>(stream, step, tensors, params);
}

}  // namespace impl::cuda
