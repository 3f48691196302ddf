// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/copy/interleave.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/copy/interleave.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls move(d, i) for items [i, i + lanes of d), with smaller vectors at the end; the last vectors may overlap.
// Returns the number of items that are left because there are fewer than a vector of 16 bytes.
template <class D, class Move>
HWY_INLINE int64_t for_vectors(D d, int64_t i, int64_t n, const Move& move) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n >= lanes) {
    for (; i + lanes <= n; i += lanes) move(d, i);
    if (i < n) move(d, n - lanes);
    return 0;
  }
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) > 16) {
    return for_vectors(hn::Half<D>(), i, n, move);
  } else {
    return n - i;
  }
}

template <typename T, int kRows>
void Interleave(char* dst, const char* src, int64_t step, int64_t n) {
  T* out = reinterpret_cast<T*>(dst);
  const T* row[kRows];
  for (int k = 0; k < kRows; ++k) row[k] = reinterpret_cast<const T*>(src + k * step);
  const hn::ScalableTag<T> tag;
  const int64_t left = for_vectors(tag, 0, n, [&](auto d, int64_t i) HWY_ATTR {
    const auto a = hn::LoadU(d, row[0] + i), b = hn::LoadU(d, row[1] + i);
    if constexpr (kRows == 2) {
      hn::StoreInterleaved2(a, b, d, out + 2 * i);
    } else if constexpr (kRows == 3) {
      hn::StoreInterleaved3(a, b, hn::LoadU(d, row[2] + i), d, out + 3 * i);
    } else {
      hn::StoreInterleaved4(a, b, hn::LoadU(d, row[2] + i), hn::LoadU(d, row[3] + i), d, out + 4 * i);
    }
  });
  for (int64_t i = n - left; i < n; ++i) {
    for (int k = 0; k < kRows; ++k) out[i * kRows + k] = row[k][i];
  }
}

template <typename T, int kRows>
void Separate(char* dst, const char* src, int64_t step, int64_t n) {
  const T* in = reinterpret_cast<const T*>(src);
  T* row[kRows];
  for (int k = 0; k < kRows; ++k) row[k] = reinterpret_cast<T*>(dst + k * step);
  const hn::ScalableTag<T> tag;
  const int64_t left = for_vectors(tag, 0, n, [&](auto d, int64_t i) HWY_ATTR {
    hn::Vec<decltype(d)> a, b, c, e;
    if constexpr (kRows == 2) {
      hn::LoadInterleaved2(d, in + 2 * i, a, b);
    } else if constexpr (kRows == 3) {
      hn::LoadInterleaved3(d, in + 3 * i, a, b, c);
      hn::StoreU(c, d, row[2] + i);
    } else {
      hn::LoadInterleaved4(d, in + 4 * i, a, b, c, e);
      hn::StoreU(c, d, row[2] + i);
      hn::StoreU(e, d, row[3] + i);
    }
    hn::StoreU(a, d, row[0] + i);
    hn::StoreU(b, d, row[1] + i);
  });
  for (int64_t i = n - left; i < n; ++i) {
    for (int k = 0; k < kRows; ++k) row[k][i] = in[i * kRows + k];
  }
}

template <typename T>
InterleaveFn interleave_of(int64_t rows, bool separates) {
  switch (rows) {
    case 2:
      return separates ? Separate<T, 2> : Interleave<T, 2>;
    case 3:
      return separates ? Separate<T, 3> : Interleave<T, 3>;
    default:
      return separates ? Separate<T, 4> : Interleave<T, 4>;
  }
}

InterleaveFn GetInterleave(int64_t size, int64_t rows, bool separates) {
  switch (size) {
    case 1:
      return interleave_of<uint8_t>(rows, separates);
    case 2:
      return interleave_of<uint16_t>(rows, separates);
    case 4:
      return interleave_of<uint32_t>(rows, separates);
    default:
      return interleave_of<uint64_t>(rows, separates);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetInterleave);

InterleaveFn interleave_function(int64_t size, int64_t rows) {
  return HWY_DYNAMIC_DISPATCH(GetInterleave)(size, rows, false);
}
InterleaveFn separate_function(int64_t size, int64_t rows) {
  return HWY_DYNAMIC_DISPATCH(GetInterleave)(size, rows, true);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
