// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/feature_maps/correlation.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/feature_maps/correlation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/feature_maps/products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kCorrelationChannels = 16;  // channels of a gradient that are computed together
constexpr int64_t kCorrelationBlock = 64;     // elements of a row of a gradient that are computed together

// The terms of outputs [begin, end) of a row: where output number 0 finds its elements in rows of both maps.
struct RowTerms {
  int64_t begin, end, first, second;
};
HWY_INLINE RowTerms row_terms(const CorrelationCall& c, int64_t j, int64_t q) {
  const int64_t x = j * c.dilation[1] - c.padding[1], moved = x + c.shift(1, q);
  const PhaseRange one = inside_range(x, c.stride[1], c.row.width, c.out_width);
  const PhaseRange two = inside_range(moved, c.stride[1], c.row.width, c.out_width);
  const int64_t begin = std::max(one.begin, two.begin);
  return {begin, std::max(begin, std::min(one.end, two.end)), c.row.place(x), c.row.place(moved)};
}

HWY_INLINE bool is_row(const CorrelationCall& c, int64_t y) { return y >= 0 && y < c.height; }

template <typename T>
void correlation_rows(const CorrelationCall& c, void* out, int64_t begin, int64_t end) {
  const int64_t plane = c.height * c.row.elements();
  for (int64_t task = begin; task < end; ++task) {
    const int64_t h = task % c.out_height, p = task / c.out_height % c.patch[0];
    const int64_t n = task / c.out_height / c.patch[0];
    const T* first = static_cast<const T*>(c.first) + n * c.channels * plane;
    const T* second = static_cast<const T*>(c.second) + n * c.channels * plane;
    for (int64_t q = 0; q < c.patch[1]; ++q) {
      T* to = static_cast<T*>(out) + (((n * c.patch[0] + p) * c.patch[1] + q) * c.out_height + h) * c.out_width;
      std::fill_n(to, c.out_width, T{0});
      for (int64_t i = 0; i < c.kernel[0]; ++i) {
        const int64_t y = h * c.stride[0] - c.padding[0] + i * c.dilation[0], moved = y + c.shift(0, p);
        if (!is_row(c, y) || !is_row(c, moved)) continue;
        for (int64_t j = 0; j < c.kernel[1]; ++j) {
          const RowTerms terms = row_terms(c, j, q);
          add_products<T, false>(to + terms.begin, {first + y * c.row.elements() + terms.first + terms.begin, plane},
                                 {second + moved * c.row.elements() + terms.second + terms.begin, plane}, c.channels,
                                 terms.end - terms.begin);
        }
      }
    }
  }
}

// Rows of some channels, `step` elements apart.
template <typename T>
struct ChannelRows {
  T* first;
  int64_t step;
};

// sum[k][i] += a[i] * b[k][i] for k < rows and i < n.
template <typename T>
HWY_INLINE void add_row_products(ChannelRows<T> sum, const T* a, ChannelRows<const T> b, int64_t rows, int64_t n) {
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto factor = load(a + i);
    for (int64_t k = 0; k < rows; ++k) {
      T* to = sum.first + k * sum.step + i;
      store(hn::Add(load(to), hn::Mul(factor, load(b.first + k * b.step + i))), to);
    }
  });
}

// A part of a row of the gradient of a map, for some channels.
struct GradientBlock {
  int64_t image, row, channel, channels, first, count;
};

// Adds the terms of one row of output gradients to the sums of a block. `other` is the row of the other map.
template <typename T, bool kFirst>
HWY_INLINE void add_row_gradient(const CorrelationCall& c, const GradientBlock& b, const T* grad,
                                 ChannelRows<const T> other, T* sum) {
  for (int64_t j = 0; j < c.kernel[1]; ++j) {
    for (int64_t q = 0; q < c.patch[1]; ++q) {
      const RowTerms terms = row_terms(c, j, q);
      const int64_t here = kFirst ? terms.first : terms.second, there = kFirst ? terms.second : terms.first;
      const int64_t low = std::max(here + terms.begin, b.first), high = std::min(here + terms.end, b.first + b.count);
      if (low >= high) continue;
      const T* factor = grad + q * c.out_height * c.out_width + (low - here);
      add_row_products<T>({sum + (low - b.first), kCorrelationBlock}, factor,
                          {other.first + there + (low - here), other.step}, b.channels, high - low);
    }
  }
}

// The sums of each row of the patch are added up apart, because rounding errors of equal terms add up.
template <typename T, bool kFirst>
void gradient_block(const CorrelationCall& c, const GradientBlock& b, void* out) {
  HWY_ALIGN T sum[kCorrelationChannels * kCorrelationBlock];
  const int64_t pitch = c.row.elements(), plane = c.height * pitch;
  const int64_t start = (b.image * c.channels + b.channel) * plane;
  T* to = static_cast<T*>(out) + start + b.row * pitch + b.first;
  const T* map = static_cast<const T*>(kFirst ? c.second : c.first) + start;
  for (int64_t k = 0; k < b.channels; ++k) std::fill_n(to + k * plane, b.count, T{0});
  for (int64_t p = 0; p < c.patch[0]; ++p) {
    const int64_t other = kFirst ? b.row + c.shift(0, p) : b.row - c.shift(0, p);
    if (!is_row(c, other)) continue;
    std::fill_n(sum, b.channels * kCorrelationBlock, T{0});
    for (int64_t i = 0; i < c.kernel[0]; ++i) {
      const int64_t y = (kFirst ? b.row : other) + c.padding[0] - i * c.dilation[0];
      if (y < 0 || y % c.stride[0] != 0 || y / c.stride[0] >= c.out_height) continue;
      const int64_t line = (b.image * c.patch[0] + p) * c.patch[1] * c.out_height + y / c.stride[0];
      add_row_gradient<T, kFirst>(c, b, static_cast<const T*>(c.grad) + line * c.out_width,
                                  {map + other * pitch, plane}, sum);
    }
    for (int64_t k = 0; k < b.channels; ++k) {
      const T* from = sum + k * kCorrelationBlock;
      for_vectors<T>(b.count, [&](int64_t i, auto load, auto store, auto) {
        store(hn::Add(load(to + k * plane + i), load(from + i)), to + k * plane + i);
      });
    }
  }
}

template <typename T, bool kFirst>
void correlation_gradient(const CorrelationCall& c, void* out, int64_t begin, int64_t end) {
  for (int64_t task = begin; task < end; ++task) {
    for (int64_t k = 0; k < c.channels; k += kCorrelationChannels) {
      for (int64_t x = 0; x < c.row.elements(); x += kCorrelationBlock) {
        const GradientBlock block{task / c.height,
                                  task % c.height,
                                  k,
                                  std::min(kCorrelationChannels, c.channels - k),
                                  x,
                                  std::min(kCorrelationBlock, c.row.elements() - x)};
        gradient_block<T, kFirst>(c, block, out);
      }
    }
  }
}

using CorrelationTypes = diopi::TypeList<float, double>;

CorrelationFn GetCorrelation(diopiDtype_t dtype) {
  return diopi::kernel_for<CorrelationTypes>(dtype,
                                             [](auto tag) { return correlation_rows<diopi::tagged<decltype(tag)>>; });
}
CorrelationFn GetCorrelationFirstGradient(diopiDtype_t dtype) {
  return diopi::kernel_for<CorrelationTypes>(
      dtype, [](auto tag) { return correlation_gradient<diopi::tagged<decltype(tag)>, true>; });
}
CorrelationFn GetCorrelationSecondGradient(diopiDtype_t dtype) {
  return diopi::kernel_for<CorrelationTypes>(
      dtype, [](auto tag) { return correlation_gradient<diopi::tagged<decltype(tag)>, false>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCorrelation);
HWY_EXPORT(GetCorrelationFirstGradient);
HWY_EXPORT(GetCorrelationSecondGradient);

CorrelationFn correlation_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetCorrelation)(dtype); }
CorrelationFn correlation_first_gradient_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetCorrelationFirstGradient)(dtype);
}
CorrelationFn correlation_second_gradient_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetCorrelationSecondGradient)(dtype);
}

}  // namespace impl::cpu
#endif
