// SPDX-License-Identifier: BSD-3-Clause
// One step of an optimiser for one element: what the kernels of optimizer.cu and adam_list.cu compute.
#ifndef IMPL_CUDA_KERNELS_OPTIMIZER_STEPS_CUH_
#define IMPL_CUDA_KERNELS_OPTIMIZER_STEPS_CUH_

#include "impl/cuda/kernels/number.cuh"
#include "impl/cuda/kernels/optimizer/optimizer.hpp"

namespace impl::cuda {

// A step has begin(), which says whether it is made, and compute().

// The elements of all tensors at one place. compute() replaces those that a step changes.
template <typename T>
struct Elements {
  T v[StepTensors::kMost];
  __device__ T& operator[](int i) { return v[i]; }
};

// The gradient plus weight decay. Without decay the parameter does not count, because it may be infinite.
template <typename T>
__device__ inline T decayed(T grad, T param, double weight_decay) {
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
  __device__ static bool begin() { return true; }
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
  const AdamCorrection* correction;  // null: the numbers are in `s`
  __device__ bool begin() {
    if (correction == nullptr) return true;
    s.step_size = correction->step_size;
    s.root_of_correction = correction->root;
    return correction->root != AdamCorrection::kLeftOut;
  }
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
  __device__ static bool begin() { return true; }
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
  __device__ static bool begin() { return true; }
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

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_OPTIMIZER_STEPS_CUH_
