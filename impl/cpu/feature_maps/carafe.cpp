// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/feature_maps/carafe.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/feature_maps/carafe.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/feature_maps/products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kCarafeBlock = 64;     // elements of a row
constexpr int64_t kCarafeChannels = 64;  // channels with sums at the same time
constexpr int64_t kCarafeTaps = 16;      // taps of a row of the kernel whose masks are copied at the same time

// The masks of some taps for a block of a row, and sums of some channels.
template <typename T>
struct CarafeBuffers {
  HWY_ALIGN T mask[kCarafeTaps * kCarafeBlock] = {};
  HWY_ALIGN T sum[kCarafeChannels * kCarafeBlock] = {};
};

// The row `y` of the masks of tap i, j of a group.
template <typename T>
HWY_INLINE const T* carafe_mask(const CarafeCall& c, int64_t n, int64_t g, int64_t i, int64_t j, int64_t y) {
  const int64_t plane = ((n * c.groups + g) * c.kernel + i) * c.kernel + j;
  return static_cast<const T*>(c.masks) + (plane * c.out_height() + y) * c.out_width();
}

// Copies row[first + t], t < n, to `to`, and 0 where first + t is not in [begin, end).
template <typename T>
HWY_INLINE void copy_inside(const T* row, int64_t first, int64_t n, int64_t begin, int64_t end, T* to) {
  const int64_t from = std::clamp<int64_t>(begin - first, 0, n), until = std::clamp<int64_t>(end - first, from, n);
  std::fill(to, to + from, T{0});
  std::copy(row + first + from, row + first + until, to + from);
  std::fill(to + until, to + n, T{0});
}

// The positions of a row at which tap j is inside of the features.
struct TapRange {
  int64_t begin, end;
};
HWY_INLINE TapRange carafe_range(const CarafeCall& c, int64_t j) {
  const int64_t shift = (j - c.radius()) * c.scale;
  return {std::clamp<int64_t>(-shift, 0, c.out_width()), std::clamp<int64_t>(c.out_width() - shift, 0, c.out_width())};
}

// Calls f(first channel, number of channels, first position, number of positions) for the blocks of a group.
template <class F>
HWY_INLINE void for_carafe_blocks(const CarafeCall& c, int64_t g, F f) {
  const int64_t first = g * c.group_channels(), last = first + c.group_channels();
  for (int64_t x = 0; x < c.out_width(); x += kCarafeBlock) {
    for (int64_t channel = first; channel < last; channel += kCarafeChannels) {
      f(channel, std::min(kCarafeChannels, last - channel), x, std::min(kCarafeBlock, c.out_width() - x));
    }
  }
}

template <typename T>
void carafe_rows(const CarafeCall& c, void* out, int64_t begin, int64_t end) {
  CarafeBuffers<T> b;
  const int64_t space = c.height * c.pitch(), radius = c.radius();
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / c.out_height(), y = row % c.out_height(), h = y / c.scale;
    const int64_t low = std::max<int64_t>(0, radius - h), high = std::min(c.kernel, c.height - h + radius);
    for (int64_t g = 0; g < c.groups; ++g) {
      for_carafe_blocks(c, g, [&](int64_t channel, int64_t channels, int64_t x, int64_t count) {
        std::fill(b.sum, b.sum + channels * kCarafeBlock, T{0});
        const T* features = static_cast<const T*>(c.features) + (n * c.channels + channel) * space + x;
        for (int64_t i = low; i < high; ++i) {
          for (int64_t j = 0; j < c.kernel; j += kCarafeTaps) {
            const int64_t taps = std::min(kCarafeTaps, c.kernel - j);
            for (int64_t k = 0; k < taps; ++k) {
              const TapRange inside = carafe_range(c, j + k);
              copy_inside(carafe_mask<T>(c, n, g, i, j + k, y), x, count, inside.begin, inside.end,
                          b.mask + k * kCarafeBlock);
            }
            const T* from = features + (h + i - radius) * c.pitch() + j * c.scale;
            for (int64_t k = 0; k < channels; ++k) {
              add_products<T, true>(b.sum + k * kCarafeBlock, {b.mask, kCarafeBlock}, {from + k * space, c.scale}, taps,
                                    count);
            }
          }
        }
        for (int64_t k = 0; k < channels; ++k) {
          T* to = static_cast<T*>(out) + ((n * c.channels + channel + k) * c.out_height() + y) * c.out_width() + x;
          std::copy_n(b.sum + k * kCarafeBlock, count, to);
        }
      });
    }
  }
}

template <typename T>
void carafe_mask_gradients(const CarafeCall& c, void* out, int64_t begin, int64_t end) {
  HWY_ALIGN T sum[kCarafeBlock];
  const int64_t space = c.height * c.pitch(), radius = c.radius(), width = c.out_width();
  for (int64_t task = begin; task < end; ++task) {
    const int64_t n = task / c.out_height(), y = task % c.out_height(), h = y / c.scale;
    for (int64_t tap = 0; tap < c.groups * c.kernel * c.kernel; ++tap) {
      const int64_t j = tap % c.kernel, row = h + tap / c.kernel % c.kernel - radius;
      const int64_t channel = n * c.channels + tap / (c.kernel * c.kernel) * c.group_channels();
      const TapRange inside = carafe_range(c, j);
      T* to = static_cast<T*>(out) + ((n * c.groups * c.kernel * c.kernel + tap) * c.out_height() + y) * width;
      const bool exists = row >= 0 && row < c.height;
      std::fill(to, exists ? to + inside.begin : to + width, T{0});
      if (!exists) continue;
      const T* features = static_cast<const T*>(c.features) + channel * space + row * c.pitch() + j * c.scale;
      const T* grad = static_cast<const T*>(c.grad) + (channel * c.out_height() + y) * c.pitch() + c.margin();
      for (int64_t x = inside.begin; x < inside.end; x += kCarafeBlock) {
        const int64_t count = std::min(kCarafeBlock, inside.end - x);
        std::fill_n(sum, kCarafeBlock, T{0});
        add_products<T, true>(sum, {grad + x, c.out_height() * c.pitch()}, {features + x, space}, c.group_channels(),
                              count);
        std::copy_n(sum, count, to + x);
      }
      std::fill(to + inside.end, to + width, T{0});
    }
  }
}

// Adds the products of the gradients of row y with the masks of row i of the kernel to the sums of some channels. The
// block begins at position x of the repeated features; tap j reaches it from the output (j - radius) * scale to the
// left.
template <typename T>
HWY_INLINE void add_gradients(const CarafeCall& c, int64_t n, int64_t g, int64_t i, int64_t y, int64_t channel,
                              int64_t channels, int64_t x, int64_t count, CarafeBuffers<T>* b) {
  const int64_t space = c.out_height() * c.pitch();
  const T* grad = static_cast<const T*>(c.grad) + (n * c.channels + channel) * space + y * c.pitch() + c.margin();
  for (int64_t j = 0; j < c.kernel; j += kCarafeTaps) {
    const int64_t taps = std::min(kCarafeTaps, c.kernel - j), first = x - (j - c.radius()) * c.scale;
    for (int64_t k = 0; k < taps; ++k) {
      copy_inside(carafe_mask<T>(c, n, g, i, j + k, y), first - k * c.scale, count, 0, c.out_width(),
                  b->mask + k * kCarafeBlock);
    }
    for (int64_t k = 0; k < channels; ++k) {
      add_products<T, true>(b->sum + k * kCarafeBlock, {b->mask, kCarafeBlock}, {grad + k * space + first, -c.scale},
                            taps, count);
    }
  }
}

// Adds the elements [x, x + count) of a row of repeated features to the features; an element at a multiple of `repeat`
// begins a new sum.
template <typename T>
HWY_INLINE void add_repeated(const T* sums, int64_t x, int64_t count, int64_t repeat, T* features) {
  int64_t place = x / repeat, part = x % repeat;
  for (int64_t t = 0; t < count;) {
    T total = part == 0 ? T{0} : features[place];
    for (; t < count && part < repeat; ++t, ++part) total += sums[t];
    features[place++] = total;
    part = 0;
  }
}

template <typename T>
void carafe_feature_gradients(const CarafeCall& c, void* out, int64_t begin, int64_t end) {
  CarafeBuffers<T> b;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / c.height, h = row % c.height;
    for (int64_t g = 0; g < c.groups; ++g) {
      for_carafe_blocks(c, g, [&](int64_t channel, int64_t channels, int64_t x, int64_t count) {
        std::fill(b.sum, b.sum + channels * kCarafeBlock, T{0});
        for (int64_t i = 0; i < c.kernel; ++i) {
          const int64_t source = h - i + c.radius();
          if (source < 0 || source >= c.height) continue;
          for (int64_t y = source * c.scale; y < (source + 1) * c.scale; ++y) {
            add_gradients(c, n, g, i, y, channel, channels, x, count, &b);
          }
        }
        for (int64_t k = 0; k < channels; ++k) {
          T* to = static_cast<T*>(out) + ((n * c.channels + channel + k) * c.height + h) * c.width;
          add_repeated(b.sum + k * kCarafeBlock, x, count, c.scale, to);
        }
      });
    }
  }
}

template <typename T>
void widen_rows(const void* in, void* out, int64_t width, int64_t repeat, int64_t margin, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const T* from = static_cast<const T*>(in) + row * width;
    T* to = std::fill_n(static_cast<T*>(out) + row * (width * repeat + 2 * margin), margin, T{0});
    if (repeat == 1) {
      to = std::copy_n(from, width, to);
    } else {
      for (int64_t i = 0; i < width; ++i) to = std::fill_n(to, repeat, from[i]);
    }
    std::fill_n(to, margin, T{0});
  }
}

using CarafeTypes = diopi::TypeList<float, double>;

CarafeFn GetCarafe(diopiDtype_t dtype) {
  return diopi::kernel_for<CarafeTypes>(dtype, [](auto tag) { return carafe_rows<diopi::tagged<decltype(tag)>>; });
}
CarafeFn GetCarafeMaskGradient(diopiDtype_t dtype) {
  return diopi::kernel_for<CarafeTypes>(dtype,
                                        [](auto tag) { return carafe_mask_gradients<diopi::tagged<decltype(tag)>>; });
}
CarafeFn GetCarafeFeatureGradient(diopiDtype_t dtype) {
  return diopi::kernel_for<CarafeTypes>(
      dtype, [](auto tag) { return carafe_feature_gradients<diopi::tagged<decltype(tag)>>; });
}
WidenRowsFn GetWidenRows(diopiDtype_t dtype) {
  return diopi::kernel_for<CarafeTypes>(dtype, [](auto tag) { return widen_rows<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCarafe);
HWY_EXPORT(GetCarafeMaskGradient);
HWY_EXPORT(GetCarafeFeatureGradient);
HWY_EXPORT(GetWidenRows);

CarafeFn carafe_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetCarafe)(dtype); }
CarafeFn carafe_mask_gradient_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetCarafeMaskGradient)(dtype); }
CarafeFn carafe_feature_gradient_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetCarafeFeatureGradient)(dtype);
}
WidenRowsFn widen_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetWidenRows)(dtype); }

}  // namespace impl::cpu
#endif
