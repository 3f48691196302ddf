/* SPDX-License-Identifier: BSD-3-Clause */
// Cross entropy of one sample whose target is a class, and its gradient, from the logarithm of the softmax's
// denominator. Included inside each target's namespace.
#if defined(IMPL_CPU_LOSS_CROSS_ENTROPY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_LOSS_CROSS_ENTROPY_INL_H_
#undef IMPL_CPU_LOSS_CROSS_ENTROPY_INL_H_
#else
#define IMPL_CPU_LOSS_CROSS_ENTROPY_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "impl/cpu/loss/cross_entropy.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The logarithm of the softmax's denominator, in two parts: log p[i] = x[i] - top - log_sum.
struct LogSum {
  double top;
  double log_sum;
};

template <typename T>
double log_probability(const T* x, int64_t i, const LogSum& z) {
  return static_cast<double>(x[i]) - z.top - z.log_sum;
}

// Returns the sum of weight * log p over all classes.
template <typename T>
double weighted_log_sum(const T* x, const T* weight, int64_t n, const LogSum& z) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    total += (weight != nullptr ? static_cast<double>(weight[i]) : 1.0) * log_probability(x, i, z);
  }
  return total;
}

// Writes the loss of one sample and the weight of its target.
template <typename T>
void write_index_loss(void* const* out, const void* const* in, int64_t n, const CrossEntropyParams& p,
                      const LogSum& z) {
  const T* x = static_cast<const T*>(in[0]);
  const int64_t target = *static_cast<const int64_t*>(in[1]);
  const T* weight = p.has_weight ? static_cast<const T*>(in[2]) : nullptr;
  double *loss = static_cast<double*>(out[0]), *target_weight = static_cast<double*>(out[1]);
  *loss = *target_weight = 0;
  if (target == p.ignore_index) return;
  const double w = weight != nullptr ? static_cast<double>(weight[target]) : 1.0;
  *target_weight = w;
  *loss = -(1 - p.label_smoothing) * w * log_probability(x, target, z);
  if (p.label_smoothing != 0) {
    *loss -= p.share * weighted_log_sum(x, weight, n, z);
  }
}

// The gradient of one sample, dx = (p mass - share of the class) g, where mass is the sum of all shares and g the
// gradient of the loss.
template <typename T>
struct IndexGradient {
  T* dx;
  int64_t n, target;
  const T* weight;
  double g, share, w, mass;
  bool is_ignored;

  HWY_INLINE IndexGradient(void* const* out, const void* const* in, int64_t classes, const CrossEntropyParams& p)
      : dx(static_cast<T*>(out[0])),
        n(classes),
        target(*static_cast<const int64_t*>(in[1])),
        weight(p.has_weight ? static_cast<const T*>(in[3]) : nullptr),
        g(static_cast<double>(*static_cast<const T*>(in[2])) * p.scale),
        share(p.share),
        w(1 - p.label_smoothing),
        is_ignored(target == p.ignore_index) {
    if (!is_ignored && weight != nullptr) w *= static_cast<double>(weight[target]);
    // Without smoothing, the weights of other classes have no effect, even if they are NaN.
    mass = share == 0 ? w : w + share * (weight != nullptr ? p.weight_sum : static_cast<double>(n));
  }

  // dx has the first term. `probability` is that of the target.
  HWY_INLINE void finish(double probability) const {
    if (is_ignored) {
      std::fill_n(dx, n, T(0));
      return;
    }
    // For a good prediction, the gradient of the target is a difference of nearly equal numbers: it is computed in
    // double.
    dx[target] = static_cast<T>((mass * probability - w) * g);
    for (int64_t i = 0; share != 0 && i < n; ++i) {
      dx[i] = static_cast<T>(static_cast<double>(dx[i]) -
                             share * g * (weight != nullptr ? static_cast<double>(weight[i]) : 1.0));
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
