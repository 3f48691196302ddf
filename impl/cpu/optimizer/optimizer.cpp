// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/optimizer/optimizer.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/optimizer/optimizer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using diopi::bfloat16;
using diopi::float16;

// The elements of the tensors that a step computes: a vector from element i on.
template <typename S>
struct WholeVector {
  int64_t i;
  HWY_INLINE VecOf<S> load(const void* const* in, int k) const { return load_vector(static_cast<const S*>(in[k]) + i); }
  HWY_INLINE void store(VecOf<S> v, void* const* out, int k) const { store_vector(v, static_cast<S*>(out[k]) + i); }
};

// The first `count` elements of a vector. Every element passes through the same instructions.
template <typename S>
struct PartOfVector {
  int64_t i, count;
  HWY_INLINE VecOf<S> load(const void* const* in, int k) const {
    return load_some(static_cast<const S*>(in[k]) + i, count);
  }
  HWY_INLINE void store(VecOf<S> v, void* const* out, int k) const {
    store_some(v, static_cast<S*>(out[k]) + i, count);
  }
};

template <typename S>
HWY_INLINE VecOf<S> number(double value) {
  return hn::Set(TagOf<S>(), static_cast<ComputeOf<S>>(value));
}

// Returns the gradient plus weight decay. Without decay the parameter is not read, because it may be infinite.
template <typename S, class V>
HWY_INLINE V decayed(V grad, V param, double weight_decay) {
  return weight_decay != 0 ? hn::Add(grad, hn::Mul(number<S>(weight_decay), param)) : grad;
}

// Each step computes the elements at one place. Products and sums are rounded separately, on every target.
template <typename S, bool kBuffer>
struct SgdStep {
  using Params = SgdParams;
  static constexpr int kInputs = kBuffer ? 3 : 2, kOutputs = kBuffer ? 2 : 1;
  template <class At>
  static HWY_INLINE void apply(At at, void* const* out, const void* const* in, const SgdParams& s) {
    const auto param = at.load(in, 0);
    const auto grad = decayed<S>(at.load(in, 1), param, s.weight_decay);
    auto step = grad;
    if constexpr (kBuffer) {
      const auto momentum = number<S>(s.momentum);
      const auto buffer = hn::Add(hn::Mul(momentum, at.load(in, 2)), hn::Mul(number<S>(1 - s.dampening), grad));
      at.store(buffer, out, 1);
      step = s.nesterov ? hn::Add(grad, hn::Mul(momentum, buffer)) : buffer;
    }
    at.store(hn::Sub(param, hn::Mul(number<S>(s.lr), step)), out, 0);
  }
};

template <typename S, bool kAmsgrad>
struct AdamStep {
  using Params = AdamParams;
  static constexpr int kInputs = kAmsgrad ? 5 : 4, kOutputs = kAmsgrad ? 4 : 3;
  template <class At>
  static HWY_INLINE void apply(At at, void* const* out, const void* const* in, const AdamParams& s) {
    const auto param = at.load(in, 0), old_mean = at.load(in, 2), old_square = at.load(in, 3);
    const auto given = at.load(in, 1);
    const auto grad = decayed<S>(s.maximize ? hn::Neg(given) : given, param, s.weight_decay);
    const auto mean = hn::Add(old_mean, hn::Mul(number<S>(s.one_minus_beta1), hn::Sub(grad, old_mean)));
    const auto square =
        hn::Add(hn::Mul(number<S>(s.beta2), old_square), hn::Mul(number<S>(s.one_minus_beta2), hn::Mul(grad, grad)));
    auto bound = square;
    if constexpr (kAmsgrad) {
      const auto most = at.load(in, 4);
      bound = hn::IfThenElse(hn::Or(hn::IsNaN(most), hn::Gt(most, square)), most, square);
      at.store(bound, out, 3);
    }
    at.store(mean, out, 1);
    at.store(square, out, 2);
    const auto root = hn::Mul(hn::Sqrt(bound), number<S>(1 / s.root_of_correction));
    const auto update = hn::Mul(number<S>(s.step_size), hn::Div(mean, hn::Add(root, number<S>(s.eps))));
    at.store(hn::Sub(hn::Mul(param, number<S>(s.shrink)), update), out, 0);
  }
};

template <typename S>
struct AdadeltaStep {
  using Params = AdadeltaParams;
  static constexpr int kInputs = 4, kOutputs = 3;
  template <class At>
  static HWY_INLINE void apply(At at, void* const* out, const void* const* in, const AdadeltaParams& s) {
    const auto param = at.load(in, 0), old_delta = at.load(in, 3);
    const auto grad = decayed<S>(at.load(in, 1), param, s.weight_decay);
    const auto rho = number<S>(s.rho), fresh = number<S>(1 - s.rho), eps = number<S>(s.eps);
    const auto square = hn::Add(hn::Mul(rho, at.load(in, 2)), hn::Mul(fresh, hn::Mul(grad, grad)));
    const auto ratio = hn::Div(hn::Sqrt(hn::Add(old_delta, eps)), hn::Sqrt(hn::Add(square, eps)));
    const auto delta = hn::Mul(ratio, grad);
    at.store(square, out, 1);
    at.store(hn::Add(hn::Mul(rho, old_delta), hn::Mul(fresh, hn::Mul(delta, delta))), out, 2);
    at.store(hn::Sub(param, hn::Mul(number<S>(s.lr), delta)), out, 0);
  }
};

template <typename S, bool kCentered, bool kMomentum>
struct RmspropStep {
  using Params = RmspropParams;
  static constexpr int kInputs = 3 + kCentered + kMomentum, kOutputs = 2 + kCentered + kMomentum;
  template <class At>
  static HWY_INLINE void apply(At at, void* const* out, const void* const* in, const RmspropParams& s) {
    const auto param = at.load(in, 0);
    const auto grad = decayed<S>(at.load(in, 1), param, s.weight_decay);
    const auto fresh = number<S>(1 - s.alpha);
    const auto square = hn::Add(hn::Mul(number<S>(s.alpha), at.load(in, 2)), hn::Mul(fresh, hn::Mul(grad, grad)));
    at.store(square, out, 1);
    auto variance = square;
    if constexpr (kCentered) {
      const auto old_mean = at.load(in, 3);
      const auto mean = hn::Add(old_mean, hn::Mul(fresh, hn::Sub(grad, old_mean)));
      at.store(mean, out, 2);
      variance = hn::Sub(square, hn::Mul(mean, mean));
    }
    auto step = hn::Div(grad, hn::Add(hn::Sqrt(variance), number<S>(s.eps)));
    if constexpr (kMomentum) {
      step = hn::Add(hn::Mul(number<S>(s.momentum), at.load(in, 3 + kCentered)), step);
      at.store(step, out, 2 + kCentered);
    }
    at.store(hn::Sub(param, hn::Mul(number<S>(s.lr), step)), out, 0);
  }
};

template <typename S, class Step>
void run(void* const* out, const void* const* in, int64_t n, const void* params) {
  const int64_t lanes = lanes_of<S>();
  // Local copies: the compiler knows that no store changes them.
  const auto s = *static_cast<const typename Step::Params*>(params);
  const void* inputs[Step::kInputs];
  void* outputs[Step::kOutputs];
  std::copy_n(in, Step::kInputs, inputs);
  std::copy_n(out, Step::kOutputs, outputs);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) Step::apply(WholeVector<S>{i}, outputs, inputs, s);
  if (i < n) Step::apply(PartOfVector<S>{i, n - i}, outputs, inputs, s);
}

template <typename S>
BlockFn kernel_of(OptimizerStep step) {
  switch (step) {
    case OptimizerStep::kSgd:
      return run<S, SgdStep<S, false>>;
    case OptimizerStep::kSgdBuffer:
      return run<S, SgdStep<S, true>>;
    case OptimizerStep::kAdam:
      return run<S, AdamStep<S, false>>;
    case OptimizerStep::kAdamAmsgrad:
      return run<S, AdamStep<S, true>>;
    case OptimizerStep::kAdadelta:
      return run<S, AdadeltaStep<S>>;
    case OptimizerStep::kRmsprop:
      return run<S, RmspropStep<S, false, false>>;
    case OptimizerStep::kRmspropCentered:
      return run<S, RmspropStep<S, true, false>>;
    case OptimizerStep::kRmspropMomentum:
      return run<S, RmspropStep<S, false, true>>;
    default:
      return run<S, RmspropStep<S, true, true>>;
  }
}

BlockFn GetOptimizerStep(OptimizerStep step, diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [step](auto tag) { return kernel_of<diopi::tagged<decltype(tag)>>(step); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetOptimizerStep);

BlockFn optimizer_kernel(OptimizerStep step, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetOptimizerStep)(step, dtype);
}

void run_packed_step(BlockFn kernel, char* const* tensors, int count, int64_t numel, int64_t itemsize,
                     const void* params) {
  constexpr int64_t kGrain = 16384;
  diopi::parallel_for(numel, kGrain, [&](int64_t begin, int64_t end) {
    const void* inputs[kMaxInputs];
    void* outputs[kMaxOutputs];
    int num_outputs = 0;
    for (int i = 0; i < count; ++i) {
      inputs[i] = tensors[i] + begin * itemsize;
      if (i != diopi::StepTensors::kGrad) outputs[num_outputs++] = tensors[i] + begin * itemsize;
    }
    kernel(outputs, inputs, end - begin, params);
  });
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
