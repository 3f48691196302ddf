// SPDX-License-Identifier: BSD-3-Clause
// Cumulative sums along columns that are adjacent in memory: the sums of all columns grow together.
#include <algorithm>
#include <cstdint>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/tensor/cumsum.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/tensor/cumsum_columns.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kTogether = 4;  // vectors of sums in registers

template <typename S>
using SumOf = std::conditional_t<std::is_same_v<S, uint64_t>, uint64_t, double>;

// A vector of elements as sums.
template <class D, typename S>
HWY_INLINE hn::Vec<D> load_terms(D d, const S* p) {
  if constexpr (sizeof(S) == 8) {
    return hn::LoadU(d, p);
  } else {
    const hn::Rebind<float, D> df;
    if constexpr (std::is_same_v<S, float>) {
      return hn::PromoteTo(d, hn::LoadU(df, p));
    } else if constexpr (std::is_same_v<S, diopi::float16>) {
      return hn::PromoteTo(d, load_float16(df, reinterpret_cast<const uint16_t*>(p)));
    } else {
      return hn::PromoteTo(d, load_bfloat16(df, reinterpret_cast<const uint16_t*>(p)));
    }
  }
}

template <class D, class DF>
HWY_INLINE hn::Vec<DF> to_floats(D d, DF df, hn::Vec<D> sums) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // their DemoteTo makes infinities finite
  HWY_ALIGN double wide[hn::MaxLanes(D())];
  HWY_ALIGN float narrow[hn::MaxLanes(D())];
  hn::Store(sums, d, wide);
  for (size_t k = 0; k < hn::Lanes(d); ++k) narrow[k] = static_cast<float>(wide[k]);
  return hn::Load(df, narrow);
#else
  (void)d;
  return hn::DemoteTo(df, sums);
#endif
}

template <class D, typename S>
HWY_INLINE void store_sums(D d, hn::Vec<D> sums, S* p) {
  if constexpr (sizeof(S) == 8) {
    hn::StoreU(sums, d, p);
  } else {
    const hn::Rebind<float, D> df;
    if constexpr (std::is_same_v<S, float>) {
      hn::StoreU(to_floats(d, df, sums), df, p);
    } else if constexpr (std::is_same_v<S, diopi::float16>) {
      store_float16(df, to_floats(d, df, sums), reinterpret_cast<uint16_t*>(p));
    } else {
      store_bfloat16(df, to_floats(d, df, sums), reinterpret_cast<uint16_t*>(p));
    }
  }
}

// Elements of columns, and the distances in bytes to those of the next step.
template <typename S>
struct Columns {
  const char* in;
  char* out;
  int64_t in_pitch, out_pitch;
  const S* from(int64_t j) const { return reinterpret_cast<const S*>(in) + j; }
  S* to(int64_t j) const { return reinterpret_cast<S*>(out) + j; }
  void advance() {
    in += in_pitch;
    out += out_pitch;
  }
};

// Sums kVectors vectors of columns from column j on, in registers.
template <typename S, int kVectors, class D>
HWY_INLINE void sum_in_registers(D d, Columns<S> at, int64_t n, int64_t j) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (int64_t k = 0; k < n; ++k, at.advance()) {
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::Add(sums[v], load_terms(d, at.from(j + v * lanes)));
      store_sums(d, sums[v], at.to(j + v * lanes));
    }
  }
}

// Sums columns [j, width) with vectors of at most kMost sums, and then with smaller ones.
template <typename S, int kMost>
HWY_INLINE void sum_rest(const Columns<S>& at, int64_t n, int64_t width, int64_t j) {
  const hn::CappedTag<SumOf<S>, kMost> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; j + lanes <= width; j += lanes) sum_in_registers<S, 1>(d, at, n, j);
  if constexpr (kMost > 1) {
    if (j < width) sum_rest<S, kMost / 2>(at, n, width, j);
  }
}

// Sums all columns of a row before the next row is read, because only a part of each would be far from the next one.
template <typename S, class D>
HWY_INLINE int64_t sum_by_rows(D d, Columns<S> at, int64_t n, int64_t width) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), whole = width / lanes * lanes;
  HWY_ALIGN SumOf<S> sums[kMaxColumns];
  std::fill_n(sums, whole, SumOf<S>(0));
  for (int64_t k = 0; k < n; ++k, at.advance()) {
    for (int64_t j = 0; j < whole; j += lanes) {
      const auto sum = hn::Add(hn::Load(d, sums + j), load_terms(d, at.from(j)));
      hn::Store(sum, d, sums + j);
      store_sums(d, sum, at.to(j));
    }
  }
  return whole;
}

template <typename S, bool kReversed>
void cumsum_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width) {
  const hn::ScalableTag<SumOf<S>> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  Columns<S> at{static_cast<const char*>(in[0]), static_cast<char*>(out[0]), pitch[1], pitch[0]};
  if (kReversed) {
    at = {at.in + (n - 1) * pitch[1], at.out + (n - 1) * pitch[0], -pitch[1], -pitch[0]};
  }
  int64_t j = 0;
  if (width > 4 * kTogether * lanes) j = sum_by_rows(d, at, n, width);
  for (; j + kTogether * lanes <= width; j += kTogether * lanes) sum_in_registers<S, kTogether>(d, at, n, j);
  for (; j + 2 * lanes <= width; j += 2 * lanes) sum_in_registers<S, 2>(d, at, n, j);
  sum_rest<S, HWY_MAX_BYTES / sizeof(SumOf<S>)>(at, n, width, j);
}

ColumnFn GetCumsumColumns(diopiDtype_t dtype, bool reversed) {
  if (dtype == diopi_dtype_int64) return reversed ? cumsum_columns<uint64_t, true> : cumsum_columns<uint64_t, false>;
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [reversed](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return reversed ? cumsum_columns<S, true> : cumsum_columns<S, false>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetCumsumColumns);

ColumnFn cumsum_columns_kernel(diopiDtype_t dtype, bool reversed) {
  return HWY_DYNAMIC_DISPATCH(GetCumsumColumns)(dtype, reversed);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
