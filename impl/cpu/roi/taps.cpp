// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/roi/taps.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/roi/taps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// kVectors vectors of channels from `c` on.
template <int kVectors, typename T>
HWY_INLINE void gather_columns(const Tap* taps, int64_t n, const T* rows, int64_t pitch, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  static_assert(kVectors == 1 || kVectors == 4, "the accumulators are variables");
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
  for (int64_t i = 0; i < n; ++i) {
    const T* row = rows + taps[i].row * pitch;
    const auto w = hn::Set(d, static_cast<T>(taps[i].weight));
    a0 = hn::Add(a0, hn::Mul(w, hn::LoadU(d, row)));
    if constexpr (kVectors == 4) {
      a1 = hn::Add(a1, hn::Mul(w, hn::LoadU(d, row + lanes)));
      a2 = hn::Add(a2, hn::Mul(w, hn::LoadU(d, row + 2 * lanes)));
      a3 = hn::Add(a3, hn::Mul(w, hn::LoadU(d, row + 3 * lanes)));
    }
  }
  hn::StoreU(hn::Add(hn::LoadU(d, out), a0), d, out);
  if constexpr (kVectors == 4) {
    hn::StoreU(hn::Add(hn::LoadU(d, out + lanes), a1), d, out + lanes);
    hn::StoreU(hn::Add(hn::LoadU(d, out + 2 * lanes), a2), d, out + 2 * lanes);
    hn::StoreU(hn::Add(hn::LoadU(d, out + 3 * lanes), a3), d, out + 3 * lanes);
  }
}

template <typename T>
void gather_rows(const Tap* taps, int64_t n, const void* rows_, int64_t pitch, int64_t count, void* out_) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const T* rows = static_cast<const T*>(rows_);
  T* out = static_cast<T*>(out_);
  int64_t c = 0;
  for (; c + 4 * lanes <= count; c += 4 * lanes) gather_columns<4>(taps, n, rows + c, pitch, out + c);
  for (; c + lanes <= count; c += lanes) gather_columns<1>(taps, n, rows + c, pitch, out + c);
  for (; c < count; ++c) {
    T sum{};
    for (int64_t i = 0; i < n; ++i) sum += static_cast<T>(taps[i].weight) * rows[taps[i].row * pitch + c];
    out[c] += sum;
  }
}

template <typename T>
void scatter_rows(const Tap* taps, int64_t n, void* rows, int64_t pitch, int64_t count, const void* grad) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* g = static_cast<const T*>(grad);
  for (int64_t i = 0; i < n; ++i) {
    T* row = static_cast<T*>(rows) + taps[i].row * pitch;
    const T weight = static_cast<T>(taps[i].weight);
    const auto w = hn::Set(d, weight);
    int64_t c = 0;
    for (; c + lanes <= count; c += lanes) {
      hn::StoreU(hn::Add(hn::LoadU(d, row + c), hn::Mul(w, hn::LoadU(d, g + c))), d, row + c);
    }
    for (; c < count; ++c) row[c] += weight * g[c];
  }
}

// Eight partial sums, whatever the size of a vector.
template <typename T>
double dot_rows(const void* a_, const void* b_, int64_t count) {
  constexpr int64_t kParts = 8;
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  double part[kParts] = {};
  int64_t c = 0;
  for (; c + kParts <= count; c += kParts) {
    for (int64_t k = 0; k < kParts; ++k) part[k] += static_cast<double>(a[c + k]) * static_cast<double>(b[c + k]);
  }
  for (; c < count; ++c) part[c % kParts] += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

RowKernels GetRowKernels(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float64) return {gather_rows<double>, scatter_rows<double>, dot_rows<double>};
  return {gather_rows<float>, scatter_rows<float>, dot_rows<float>};
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetRowKernels);

}  // namespace

RowKernels row_kernels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRowKernels)(dtype); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
