// SPDX-License-Identifier: BSD-3-Clause
// Vector loops over packed blocks that gather every second element, or repeat an element for each row.
#include <type_traits>

#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/copy/packed_block_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void every_second_with(D d, char* dst, const char* src, int64_t n) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), last = n - lanes;
  const T* from = reinterpret_cast<const T*>(src);
  T* to = reinterpret_cast<T*>(dst);
  hn::Vec<decltype(d)> even, odd;
  int64_t i = 0;
  for (; i < last; i += lanes) {
    hn::LoadInterleaved2(d, from + 2 * i, even, odd);
    hn::StoreU(even, d, to + i);
  }
  if (last > 0) {  // a load that begins with the last elements would read behind them, where memory may end
    hn::LoadInterleaved2(d, from + 2 * last - 1, even, odd);
    hn::StoreU(odd, d, to + last);
  } else {
    detail::gather_as<T>(dst, src, 2 * static_cast<int64_t>(sizeof(T)), n);
  }
}

template <typename T>
void every_second_of(char* dst, const char* src, int64_t n) {
  const hn::ScalableTag<T> d;
  if constexpr (hn::MaxLanes(d) * sizeof(T) > 32) {
    if (reads_half_lines()) return every_second_with(hn::CappedTag<T, 32 / sizeof(T)>(), dst, src, n);
  }
  every_second_with(d, dst, src, n);
}

void EverySecond(char* dst, const char* src, int itemsize, int64_t n) {
  diopi::for_itemsize(itemsize, [=](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (std::is_same_v<T, diopi::Bytes16>) {
      detail::gather_as<T>(dst, src, 2 * itemsize, n);
    } else {
      every_second_of<T>(dst, src, n);
    }
  });
}

// The last vector of a row may write the beginning of the next row, which follows. So the last rows are written element
// by element.
template <typename T>
void repeat_elements_of(char* dst, const char* src, int64_t n, int64_t row_stride, int64_t rows) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  T* out = reinterpret_cast<T*>(dst);
  const auto repeat = [&](auto store) HWY_ATTR {
    int64_t r = 0;
    for (; (rows - r) * n >= n + lanes; ++r, out += n, src += row_stride) {
      T element;
      std::memcpy(&element, src, sizeof(T));
      store(hn::Set(d, element));
    }
    return r;
  };
  int64_t r = n <= lanes ? repeat([&](auto all) HWY_ATTR { hn::StoreU(all, d, out); }) : repeat([&](auto all) HWY_ATTR {
    for (int64_t i = 0; i < n; i += lanes) hn::StoreU(all, d, out + i);
  });
  for (; r < rows; ++r, out += n, src += row_stride) {
    detail::gather_as<T>(reinterpret_cast<char*>(out), src, 0, n);
  }
}

void RepeatElements(char* dst, const char* src, int itemsize, int64_t n, int64_t row_stride, int64_t rows) {
  diopi::for_itemsize(itemsize, [=](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    if constexpr (std::is_same_v<T, diopi::Bytes16>) {
      for (int64_t r = 0; r < rows; ++r) detail::gather_as<T>(dst + r * n * itemsize, src + r * row_stride, 0, n);
    } else {
      repeat_elements_of<T>(dst, src, n, row_stride, rows);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(EverySecond);
HWY_EXPORT(RepeatElements);

void gather_rows(char* dst, const char* src, int64_t stride, int itemsize, int64_t n, int64_t row_stride,
                 int64_t rows) {
  const int64_t bytes = n * itemsize;
  if (stride == itemsize) return copy_rows(dst, bytes, src, row_stride, bytes, rows);
  if (stride == 0) return HWY_DYNAMIC_DISPATCH(RepeatElements)(dst, src, itemsize, n, row_stride, rows);
  for (int64_t r = 0; r < rows; ++r) gather(dst + r * bytes, src + r * row_stride, stride, itemsize, n);
}

void gather_every_second(char* dst, const char* src, int itemsize, int64_t n) {
  HWY_DYNAMIC_DISPATCH(EverySecond)(dst, src, itemsize, n);
}
}  // namespace impl::cpu
#endif
