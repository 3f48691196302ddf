#include "impl/cpu/kernels/optimizer.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/optimizer.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "impl/cpu/kernels/block_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
const T* input(const void* const* in, int i) {
  return static_cast<const T*>(in[i]);
}
template <typename T>
T* output(void* const* out, int i) {
  return static_cast<T*>(out[i]);
}

// The gradient with weight decay. Without decay the parameter plays no part, not even where it is infinite.
template <bool kDecay, typename T>
T decayed(T grad, T param, T weight_decay) {
  if constexpr (kDecay) return grad + weight_decay * param;
  return grad;
}

template <typename T, bool kDecay>
void sgd_plain(void* const* out, const void* const* in, int64_t n, const SgdParams& s) {
  const T *p = input<T>(in, 0), *g = input<T>(in, 1);
  T* p_out = output<T>(out, 0);
  const T lr = static_cast<T>(s.lr), decay = static_cast<T>(s.weight_decay);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) p_out[i] = p[i] - lr * decayed<kDecay>(g[i], p[i], decay);
}

template <typename T, bool kDecay, bool kNesterov>
void sgd_buffered(void* const* out, const void* const* in, int64_t n, const SgdParams& s) {
  const T *p = input<T>(in, 0), *g = input<T>(in, 1), *b = input<T>(in, 2);
  T *p_out = output<T>(out, 0), *b_out = output<T>(out, 1);
  const T lr = static_cast<T>(s.lr), momentum = static_cast<T>(s.momentum), decay = static_cast<T>(s.weight_decay);
  const T fresh = static_cast<T>(1 - s.dampening);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T grad = decayed<kDecay>(g[i], p[i], decay);
    const T buffer = momentum * b[i] + fresh * grad;
    b_out[i] = buffer;
    p_out[i] = p[i] - lr * (kNesterov ? grad + momentum * buffer : buffer);
  }
}

template <typename T, bool kDecay, bool kAmsgrad>
void adam(void* const* out, const void* const* in, int64_t n, const AdamParams& s) {
  const T *p = input<T>(in, 0), *g = input<T>(in, 1), *m = input<T>(in, 2), *v = input<T>(in, 3);
  const T* most = kAmsgrad ? input<T>(in, 4) : v;
  T *p_out = output<T>(out, 0), *m_out = output<T>(out, 1), *v_out = output<T>(out, 2);
  T* most_out = kAmsgrad ? output<T>(out, 3) : v_out;
  const T decay = static_cast<T>(s.weight_decay), shrink = static_cast<T>(s.shrink), eps = static_cast<T>(s.eps);
  const T toward = static_cast<T>(s.one_minus_beta1), beta2 = static_cast<T>(s.beta2);
  const T fresh = static_cast<T>(s.one_minus_beta2), step_size = static_cast<T>(s.step_size);
  const T root = static_cast<T>(s.root_of_correction);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T grad = decayed<kDecay>(g[i], p[i], decay);
    const T mean = m[i] + toward * (grad - m[i]);
    const T square = beta2 * v[i] + fresh * (grad * grad);
    T bound = square;
    if constexpr (kAmsgrad) {
      bound = most[i] != most[i] || most[i] > square ? most[i] : square;
      most_out[i] = bound;
    }
    m_out[i] = mean;
    v_out[i] = square;
    p_out[i] = p[i] * shrink - step_size * (mean / (std::sqrt(bound) / root + eps));
  }
}

template <typename T, bool kDecay>
void adadelta(void* const* out, const void* const* in, int64_t n, const AdadeltaParams& s) {
  const T *p = input<T>(in, 0), *g = input<T>(in, 1), *sq = input<T>(in, 2), *acc = input<T>(in, 3);
  T *p_out = output<T>(out, 0), *sq_out = output<T>(out, 1), *acc_out = output<T>(out, 2);
  const T lr = static_cast<T>(s.lr), rho = static_cast<T>(s.rho), fresh = static_cast<T>(1 - s.rho);
  const T eps = static_cast<T>(s.eps), decay = static_cast<T>(s.weight_decay);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T grad = decayed<kDecay>(g[i], p[i], decay);
    const T square = rho * sq[i] + fresh * (grad * grad);
    const T delta = std::sqrt(acc[i] + eps) / std::sqrt(square + eps) * grad;
    sq_out[i] = square;
    acc_out[i] = rho * acc[i] + fresh * (delta * delta);
    p_out[i] = p[i] - lr * delta;
  }
}

template <typename T, bool kCentered, bool kMomentum>
void rmsprop(void* const* out, const void* const* in, int64_t n, const RmspropParams& s) {
  const T *p = input<T>(in, 0), *g = input<T>(in, 1), *sq = input<T>(in, 2);
  const T* mean = kCentered ? input<T>(in, 3) : sq;
  const T* b = kMomentum ? input<T>(in, kCentered ? 4 : 3) : sq;
  T *p_out = output<T>(out, 0), *sq_out = output<T>(out, 1);
  T* mean_out = kCentered ? output<T>(out, 2) : sq_out;
  T* b_out = kMomentum ? output<T>(out, kCentered ? 3 : 2) : sq_out;
  const T lr = static_cast<T>(s.lr), alpha = static_cast<T>(s.alpha), fresh = static_cast<T>(1 - s.alpha);
  const T eps = static_cast<T>(s.eps), decay = static_cast<T>(s.weight_decay), momentum = static_cast<T>(s.momentum);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T grad = decay != 0 ? g[i] + decay * p[i] : g[i];
    const T square = alpha * sq[i] + fresh * (grad * grad);
    sq_out[i] = square;
    T variance = square;
    if constexpr (kCentered) {
      const T average = mean[i] + fresh * (grad - mean[i]);
      mean_out[i] = average;
      variance = square - average * average;
    }
    T step = grad / (std::sqrt(variance) + eps);
    if constexpr (kMomentum) {
      step = momentum * b[i] + step;
      b_out[i] = step;
    }
    p_out[i] = p[i] - lr * step;
  }
}

template <typename T>
void sgd_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& s = *static_cast<const SgdParams*>(params);
  s.weight_decay != 0 ? sgd_plain<T, true>(out, in, n, s) : sgd_plain<T, false>(out, in, n, s);
}

template <typename T>
void sgd_buffered_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& s = *static_cast<const SgdParams*>(params);
  if (s.weight_decay != 0) {
    s.nesterov ? sgd_buffered<T, true, true>(out, in, n, s) : sgd_buffered<T, true, false>(out, in, n, s);
  } else {
    s.nesterov ? sgd_buffered<T, false, true>(out, in, n, s) : sgd_buffered<T, false, false>(out, in, n, s);
  }
}

template <typename T, bool kAmsgrad>
void adam_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& s = *static_cast<const AdamParams*>(params);
  s.weight_decay != 0 ? adam<T, true, kAmsgrad>(out, in, n, s) : adam<T, false, kAmsgrad>(out, in, n, s);
}

template <typename T>
void adadelta_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& s = *static_cast<const AdadeltaParams*>(params);
  s.weight_decay != 0 ? adadelta<T, true>(out, in, n, s) : adadelta<T, false>(out, in, n, s);
}

template <typename T, bool kCentered, bool kMomentum>
void rmsprop_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  rmsprop<T, kCentered, kMomentum>(out, in, n, *static_cast<const RmspropParams*>(params));
}

template <typename T>
BlockFn rmsprop_of(bool centered, bool with_momentum) {
  if (centered) return with_momentum ? rmsprop_block<T, true, true> : rmsprop_block<T, true, false>;
  return with_momentum ? rmsprop_block<T, false, true> : rmsprop_block<T, false, false>;
}

BlockFn find_sgd(diopiDtype_t compute, bool with_buffer) {
  if (compute == diopi_dtype_float64) return with_buffer ? sgd_buffered_block<double> : sgd_block<double>;
  return with_buffer ? sgd_buffered_block<float> : sgd_block<float>;
}
BlockFn find_adam(diopiDtype_t compute, bool amsgrad) {
  if (compute == diopi_dtype_float64) return amsgrad ? adam_block<double, true> : adam_block<double, false>;
  return amsgrad ? adam_block<float, true> : adam_block<float, false>;
}
BlockFn find_adadelta(diopiDtype_t compute) {
  return compute == diopi_dtype_float64 ? adadelta_block<double> : adadelta_block<float>;
}
BlockFn find_rmsprop(diopiDtype_t compute, bool centered, bool with_momentum) {
  return compute == diopi_dtype_float64 ? rmsprop_of<double>(centered, with_momentum)
                                        : rmsprop_of<float>(centered, with_momentum);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(find_sgd);
HWY_EXPORT(find_adam);
HWY_EXPORT(find_adadelta);
HWY_EXPORT(find_rmsprop);

BlockFn sgd_kernel(diopiDtype_t compute, bool with_buffer) {
  return HWY_DYNAMIC_DISPATCH(find_sgd)(compute, with_buffer);
}
BlockFn adam_kernel(diopiDtype_t compute, bool amsgrad) { return HWY_DYNAMIC_DISPATCH(find_adam)(compute, amsgrad); }
BlockFn adadelta_kernel(diopiDtype_t compute) { return HWY_DYNAMIC_DISPATCH(find_adadelta)(compute); }
BlockFn rmsprop_kernel(diopiDtype_t compute, bool centered, bool with_momentum) {
  return HWY_DYNAMIC_DISPATCH(find_rmsprop)(compute, centered, with_momentum);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
