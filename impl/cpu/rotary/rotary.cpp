// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/rotary/rotary.hpp"

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/rotary/rotary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The angles of a row.
template <typename T>
struct Angles {
  const T *cos, *sin;
  int64_t second;
};

template <typename S, bool kBackwards>
void rotate_halves(S* y, const S* x, const Angles<ComputeOf<S>>& by, int64_t half) {
  for_vectors<S>(half, [&](int64_t i, auto load, auto store, auto) {
    const auto a = load(x + i), b = load(x + half + i);
    const auto a_cos = hn::Mul(a, load(by.cos + i)), b_sin = hn::Mul(b, load(by.sin + i));
    const auto b_cos = hn::Mul(b, load(by.cos + by.second + i)), a_sin = hn::Mul(a, load(by.sin + by.second + i));
    store(kBackwards ? hn::Add(a_cos, b_sin) : hn::Sub(a_cos, b_sin), y + i);
    store(kBackwards ? hn::Sub(b_cos, a_sin) : hn::Add(b_cos, a_sin), y + half + i);
  });
}

template <typename S, bool kBackwards>
void rotate_neighbours(S* y, const S* x, const Angles<ComputeOf<S>>& by, int64_t half) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const MemoryTag<S> memory;
  using M = hn::TFromD<MemoryTag<S>>;
  const int64_t lanes = lanes_of<S>();
  int64_t i = 0;
  for (; i + lanes <= half; i += lanes) {
    hn::Vec<MemoryTag<S>> first, second;
    hn::LoadInterleaved2(memory, reinterpret_cast<const M*>(x + 2 * i), first, second);
    const auto a = from_storage<S>(first), b = from_storage<S>(second);
    const auto c = hn::LoadU(d, by.cos + i), s = hn::LoadU(d, by.sin + i);
    const auto a_cos = hn::Mul(a, c), b_sin = hn::Mul(b, s), b_cos = hn::Mul(b, c), a_sin = hn::Mul(a, s);
    hn::StoreInterleaved2(to_storage<S>(kBackwards ? hn::Add(a_cos, b_sin) : hn::Sub(a_cos, b_sin)),
                          to_storage<S>(kBackwards ? hn::Sub(b_cos, a_sin) : hn::Add(b_cos, a_sin)), memory,
                          reinterpret_cast<M*>(y + 2 * i));
  }
  for (; i < half; ++i) {
    const T a = static_cast<T>(x[2 * i]), b = static_cast<T>(x[2 * i + 1]);
    const T c = by.cos[i], s = kBackwards ? -by.sin[i] : by.sin[i];
    y[2 * i] = static_cast<S>(a * c - b * s);
    y[2 * i + 1] = static_cast<S>(b * c + a * s);
  }
}

template <typename S, bool kInterleaved, bool kBackwards>
void rotate_rows_by(const RotaryRows& p) {
  using T = ComputeOf<S>;
  for (int64_t row = 0; row < p.rows; ++row) {
    S* y = reinterpret_cast<S*>(p.out + row * p.out_stride);
    const S* x = reinterpret_cast<const S*>(p.x + row * p.x_stride);
    const Angles<T> by{reinterpret_cast<const T*>(p.cos + row * p.cos_stride),
                       reinterpret_cast<const T*>(p.sin + row * p.sin_stride), p.second};
    if constexpr (kInterleaved) {
      rotate_neighbours<S, kBackwards>(y, x, by, p.half);
    } else {
      rotate_halves<S, kBackwards>(y, x, by, p.half);
    }
  }
}

template <typename S, bool kInterleaved>
void rotate_rows(const RotaryRows& p) {
  p.backwards ? rotate_rows_by<S, kInterleaved, true>(p) : rotate_rows_by<S, kInterleaved, false>(p);
}

RotaryFn GetRotary(diopiDtype_t dtype, bool interleaved) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [=](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return interleaved ? rotate_rows<S, true> : rotate_rows<S, false>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetRotary);

RotaryFn rotary_kernel(diopiDtype_t dtype, bool interleaved) {
  return HWY_DYNAMIC_DISPATCH(GetRotary)(dtype, interleaved);
}
}  // namespace impl::cpu
#endif
