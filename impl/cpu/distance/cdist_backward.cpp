// SPDX-License-Identifier: BSD-3-Clause
// Gradients of distances: each lane is one element of the rows, and the terms are added over the rows of the other
// matrix.
#include <algorithm>
#include <cmath>

#include "impl/cpu/distance/cdist.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/distance/cdist_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kTerms = 256;  // terms that are added one after another; sums of these are added then

// The derivatives. weight() is the factor of a pair of rows; term() is that of an element with the difference x.
struct OneDerivative {
  template <class D, class V>
  static HWY_INLINE V weight(D, V grad, V, V) {
    return grad;
  }
  template <class D, class V>
  static HWY_INLINE V term(D d, V x, V weight, V, V) {
    return hn::Mul(sign(d, x), weight);
  }
  // 1, -1, 0 or NaN. As a factor, 0 lets a NaN of `grad` remain one.
  template <class D, class V>
  static HWY_INLINE V sign(D d, V x) {
    const V one = hn::CopySign(hn::Set(d, hn::TFromD<D>(1)), x);
    return hn::IfThenElse(hn::Or(hn::Eq(x, hn::Zero(d)), hn::IsNaN(x)), x, one);
  }
};

struct TwoDerivative {
  template <class D, class V>
  static HWY_INLINE V weight(D d, V grad, V distance, V) {
    return hn::IfThenElse(hn::Eq(distance, hn::Zero(d)), hn::Zero(d), hn::Div(grad, distance));
  }
  template <class D, class V>
  static HWY_INLINE V term(D, V x, V weight, V, V) {
    return hn::Mul(x, weight);
  }
};

struct MaximumDerivative : OneDerivative {
  template <class D, class V>
  static HWY_INLINE V term(D d, V x, V weight, V distance, V) {
    const auto counts = hn::Or(hn::Eq(hn::Abs(x), distance), hn::IsNaN(x));
    return hn::Mul(hn::IfThenElse(counts, sign(d, x), hn::Zero(d)), weight);
  }
};

// `p` holds p - 1.
struct AnyDerivative {
  template <class D, class V>
  static HWY_INLINE V weight(D d, V grad, V distance, V p) {
    const V factor = hn::Div(grad, Pow(d, distance, p));
    return hn::IfThenElse(hn::Eq(distance, hn::Zero(d)), hn::Zero(d), factor);
  }
  template <class D, class V>
  static HWY_INLINE V term(D d, V x, V weight, V, V p) {
    const V power = hn::CopySign(Pow(d, hn::Abs(x), p), x);
    const auto is_no_power = hn::And(hn::Eq(x, hn::Zero(d)), hn::Lt(p, hn::Zero(d)));
    return hn::IfThenElse(is_no_power, hn::Zero(d), hn::Mul(power, weight));
  }
};

// The gradients of a vector of elements of one row. `weights` has the factors of the terms [first, last).
template <class Derivative, class D, typename T>
HWY_INLINE hn::Vec<D> add_terms(D d, const CdistGradients& c, const T* distance, const T* weights, int64_t first,
                                int64_t last, int64_t at, hn::Vec<D> a, hn::Vec<D> p) {
  auto sum = hn::Zero(d);
  const T* b = static_cast<const T*>(c.b) + first * c.b_stride + at;
  for (int64_t j = first; j < last; ++j, b += c.b_stride) {
    const auto x = hn::Sub(a, hn::LoadU(d, b));
    sum = hn::Add(sum, Derivative::term(d, x, hn::Set(d, weights[j - first]), hn::Set(d, distance[j]), p));
  }
  return sum;
}

// out[at...] += the terms [first, last), or is set to them if `first` is 0.
template <class Derivative, class D, typename T>
HWY_INLINE void add_vector(D d, const CdistGradients& c, int64_t row, const T* weights, int64_t first, int64_t last,
                           int64_t at) {
  const T* const distance = static_cast<const T*>(c.distance) + row * c.distance_stride;
  const auto a = hn::LoadU(d, static_cast<const T*>(c.a) + row * c.a_stride + at);
  const auto sum =
      add_terms<Derivative>(d, c, distance, weights, first, last, at, a, hn::Set(d, static_cast<T>(c.p - 1)));
  T* const out = static_cast<T*>(c.out) + row * c.stride + at;
  const int64_t count = c.length - at;
  if (count >= static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(first == 0 ? sum : hn::Add(hn::LoadU(d, out), sum), d, out);
  } else {
    store_n(first == 0 ? sum : hn::Add(load_first(d, out, count), sum), d, out, count);
  }
}

template <class Derivative, typename T>
void gradients(const CdistGradients& c) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, kCdistTail / sizeof(T)> tail;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), few = static_cast<int64_t>(hn::Lanes(tail));
  const auto p = hn::Set(d, static_cast<T>(c.p - 1));
  HWY_ALIGN T weights[kTerms];
  for (int64_t row = 0; row < c.rows; ++row) {
    const T* const grad = static_cast<const T*>(c.grad) + row * c.grad_stride;
    const T* const distance = static_cast<const T*>(c.distance) + row * c.distance_stride;
    for (int64_t first = 0; first < c.columns; first += kTerms) {
      const int64_t last = std::min(first + kTerms, c.columns);
      int64_t j = first;
      for (; j + lanes <= last; j += lanes) {
        hn::StoreU(Derivative::weight(d, hn::LoadU(d, grad + j), hn::LoadU(d, distance + j), p), d,
                   weights + j - first);
      }
      if (j < last) {
        const auto rest =
            Derivative::weight(d, load_first(d, grad + j, last - j), load_first(d, distance + j, last - j), p);
        store_n(rest, d, weights + j - first, last - j);
      }
      int64_t at = 0;
      for (; at + lanes <= c.length; at += lanes) add_vector<Derivative>(d, c, row, weights, first, last, at);
      for (; at < c.length; at += few) add_vector<Derivative>(tail, c, row, weights, first, last, at);
    }
  }
}

template <typename T>
CdistBackwardFn gradients_of(double p) {
  if (p == 1) return gradients<OneDerivative, T>;
  if (p == 2) return gradients<TwoDerivative, T>;
  return std::isinf(p) ? gradients<MaximumDerivative, T> : gradients<AnyDerivative, T>;
}

CdistBackwardFn GetCdistBackward(diopiDtype_t dtype, double p) {
  return dtype == diopi_dtype_float32 ? gradients_of<float>(p) : gradients_of<double>(p);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCdistBackward);

CdistBackwardFn cdist_backward_kernel(diopiDtype_t dtype, double p) {
  return HWY_DYNAMIC_DISPATCH(GetCdistBackward)(dtype, p);
}
}  // namespace impl::cpu
#endif
