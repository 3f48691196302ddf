// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/optimizer/optimizer.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/optimizer/optimizer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using diopi::bfloat16;
using diopi::float16;

// The type in which a step is computed for tensors of type S.
template <typename S>
using ComputeOf = std::conditional_t<std::is_same_v<S, double>, double, float>;
template <typename S>
using TagOf = hn::ScalableTag<ComputeOf<S>>;
template <typename S>
using VecOf = hn::Vec<TagOf<S>>;

template <typename S>
HWY_INLINE VecOf<S> load(const void* const* in, int k, int64_t i) {
  const TagOf<S> d;
  if constexpr (std::is_same_v<S, float16>) {
    return load_float16(d, static_cast<const uint16_t*>(in[k]) + i);
  } else if constexpr (std::is_same_v<S, bfloat16>) {
    return load_bfloat16(d, static_cast<const uint16_t*>(in[k]) + i);
  } else {
    return hn::LoadU(d, static_cast<const S*>(in[k]) + i);
  }
}

template <typename S>
HWY_INLINE void store(VecOf<S> v, void* const* out, int k, int64_t i) {
  const TagOf<S> d;
  if constexpr (std::is_same_v<S, float16>) {
    store_float16(d, v, static_cast<uint16_t*>(out[k]) + i);
  } else if constexpr (std::is_same_v<S, bfloat16>) {
    store_bfloat16(d, v, static_cast<uint16_t*>(out[k]) + i);
  } else {
    hn::StoreU(v, d, static_cast<S*>(out[k]) + i);
  }
}

template <typename S>
HWY_INLINE VecOf<S> number(double value) {
  return hn::Set(TagOf<S>(), static_cast<ComputeOf<S>>(value));
}

// Returns the gradient plus weight decay. Without decay the parameter is not read, because it may be infinite.
template <typename S, class V>
HWY_INLINE V decayed(V grad, V param, double weight_decay) {
  return weight_decay != 0 ? hn::Add(grad, hn::Mul(number<S>(weight_decay), param)) : grad;
}

// Each step computes one vector of elements. Products and sums are rounded separately, on every target.
template <typename S, bool kBuffer>
struct SgdStep {
  using Params = SgdParams;
  static constexpr int kInputs = kBuffer ? 3 : 2, kOutputs = kBuffer ? 2 : 1;
  static HWY_INLINE void apply(void* const* out, const void* const* in, int64_t i, const SgdParams& s) {
    const auto param = load<S>(in, 0, i);
    const auto grad = decayed<S>(load<S>(in, 1, i), param, s.weight_decay);
    auto step = grad;
    if constexpr (kBuffer) {
      const auto momentum = number<S>(s.momentum);
      const auto buffer = hn::Add(hn::Mul(momentum, load<S>(in, 2, i)), hn::Mul(number<S>(1 - s.dampening), grad));
      store<S>(buffer, out, 1, i);
      step = s.nesterov ? hn::Add(grad, hn::Mul(momentum, buffer)) : buffer;
    }
    store<S>(hn::Sub(param, hn::Mul(number<S>(s.lr), step)), out, 0, i);
  }
};

template <typename S, bool kAmsgrad>
struct AdamStep {
  using Params = AdamParams;
  static constexpr int kInputs = kAmsgrad ? 5 : 4, kOutputs = kAmsgrad ? 4 : 3;
  static HWY_INLINE void apply(void* const* out, const void* const* in, int64_t i, const AdamParams& s) {
    const auto param = load<S>(in, 0, i), old_mean = load<S>(in, 2, i), old_square = load<S>(in, 3, i);
    const auto given = load<S>(in, 1, i);
    const auto grad = decayed<S>(s.maximize ? hn::Neg(given) : given, param, s.weight_decay);
    const auto mean = hn::Add(old_mean, hn::Mul(number<S>(s.one_minus_beta1), hn::Sub(grad, old_mean)));
    const auto square =
        hn::Add(hn::Mul(number<S>(s.beta2), old_square), hn::Mul(number<S>(s.one_minus_beta2), hn::Mul(grad, grad)));
    auto bound = square;
    if constexpr (kAmsgrad) {
      const auto most = load<S>(in, 4, i);
      bound = hn::IfThenElse(hn::Or(hn::IsNaN(most), hn::Gt(most, square)), most, square);
      store<S>(bound, out, 3, i);
    }
    store<S>(mean, out, 1, i);
    store<S>(square, out, 2, i);
    const auto root = hn::Mul(hn::Sqrt(bound), number<S>(1 / s.root_of_correction));
    const auto update = hn::Mul(number<S>(s.step_size), hn::Div(mean, hn::Add(root, number<S>(s.eps))));
    store<S>(hn::Sub(hn::Mul(param, number<S>(s.shrink)), update), out, 0, i);
  }
};

template <typename S>
struct AdadeltaStep {
  using Params = AdadeltaParams;
  static constexpr int kInputs = 4, kOutputs = 3;
  static HWY_INLINE void apply(void* const* out, const void* const* in, int64_t i, const AdadeltaParams& s) {
    const auto param = load<S>(in, 0, i), old_delta = load<S>(in, 3, i);
    const auto grad = decayed<S>(load<S>(in, 1, i), param, s.weight_decay);
    const auto rho = number<S>(s.rho), fresh = number<S>(1 - s.rho), eps = number<S>(s.eps);
    const auto square = hn::Add(hn::Mul(rho, load<S>(in, 2, i)), hn::Mul(fresh, hn::Mul(grad, grad)));
    const auto ratio = hn::Div(hn::Sqrt(hn::Add(old_delta, eps)), hn::Sqrt(hn::Add(square, eps)));
    const auto delta = hn::Mul(ratio, grad);
    store<S>(square, out, 1, i);
    store<S>(hn::Add(hn::Mul(rho, old_delta), hn::Mul(fresh, hn::Mul(delta, delta))), out, 2, i);
    store<S>(hn::Sub(param, hn::Mul(number<S>(s.lr), delta)), out, 0, i);
  }
};

template <typename S, bool kCentered, bool kMomentum>
struct RmspropStep {
  using Params = RmspropParams;
  static constexpr int kInputs = 3 + kCentered + kMomentum, kOutputs = 2 + kCentered + kMomentum;
  static HWY_INLINE void apply(void* const* out, const void* const* in, int64_t i, const RmspropParams& s) {
    const auto param = load<S>(in, 0, i);
    const auto grad = decayed<S>(load<S>(in, 1, i), param, s.weight_decay);
    const auto fresh = number<S>(1 - s.alpha);
    const auto square = hn::Add(hn::Mul(number<S>(s.alpha), load<S>(in, 2, i)), hn::Mul(fresh, hn::Mul(grad, grad)));
    store<S>(square, out, 1, i);
    auto variance = square;
    if constexpr (kCentered) {
      const auto old_mean = load<S>(in, 3, i);
      const auto mean = hn::Add(old_mean, hn::Mul(fresh, hn::Sub(grad, old_mean)));
      store<S>(mean, out, 2, i);
      variance = hn::Sub(square, hn::Mul(mean, mean));
    }
    auto step = hn::Div(grad, hn::Add(hn::Sqrt(variance), number<S>(s.eps)));
    if constexpr (kMomentum) {
      step = hn::Add(hn::Mul(number<S>(s.momentum), load<S>(in, 3 + kCentered, i)), step);
      store<S>(step, out, 2 + kCentered, i);
    }
    store<S>(hn::Sub(param, hn::Mul(number<S>(s.lr), step)), out, 0, i);
  }
};

// The last elements, fewer than a vector, are copied to buffers, so that every element passes through the same
// instructions.
template <typename S, class Step>
HWY_NOINLINE void run_rest(void* const* out, const void* const* in, int64_t i, int64_t n,
                           const typename Step::Params& params) {
  constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(ComputeOf<S>);
  S read[Step::kInputs][kMaxLanes], written[Step::kOutputs][kMaxLanes];
  const void* inputs[Step::kInputs];
  void* outputs[Step::kOutputs];
  const auto bytes = static_cast<size_t>(n - i) * sizeof(S);
  for (int k = 0; k < Step::kInputs; ++k) {
    std::memset(static_cast<void*>(read[k]), 0, sizeof(read[k]));
    std::memcpy(static_cast<void*>(read[k]), static_cast<const S*>(in[k]) + i, bytes);
    inputs[k] = read[k];
  }
  for (int k = 0; k < Step::kOutputs; ++k) outputs[k] = written[k];
  Step::apply(outputs, inputs, 0, params);
  for (int k = 0; k < Step::kOutputs; ++k) {
    std::memcpy(static_cast<void*>(static_cast<S*>(out[k]) + i), static_cast<const void*>(written[k]), bytes);
  }
}

template <typename S, class Step>
void run(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(TagOf<S>()));
  // Local copies: the compiler knows that no store changes them.
  const auto s = *static_cast<const typename Step::Params*>(params);
  const void* inputs[Step::kInputs];
  void* outputs[Step::kOutputs];
  std::copy_n(in, Step::kInputs, inputs);
  std::copy_n(out, Step::kOutputs, outputs);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) Step::apply(outputs, inputs, i, s);
  if (i < n) run_rest<S, Step>(out, in, i, n, s);
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
