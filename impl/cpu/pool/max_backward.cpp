// SPDX-License-Identifier: BSD-3-Clause
// The gradient of max pooling, which is added at the positions of the indices; and the check of the indices.
#include "impl/cpu/pool/pool.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pool/max_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <atomic>
#include <type_traits>

#include "impl/cpu/pool/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Adds the gradients of n output positions of one or more channels.
template <typename T, typename I>
HWY_INLINE void scatter_row(const PoolArgs& a, int64_t n, int64_t channels, T* x, int64_t step, const T* y,
                            const I* index) {
  const int64_t y_step = a.ys.spatial[2], i_step = a.is.spatial[2];
  if (channels == 1 && step == 1 && y_step == 1 && i_step == 1) {
    for (int64_t k = 0; k < n; ++k) x[index[k]] += y[k];
    return;
  }
  if (channels == 1) {
    for (int64_t k = 0; k < n; ++k) x[index[k * i_step] * step] += y[k * y_step];
    return;
  }
  if (a.xs.channel == 1 && a.ys.channel == 1 && a.is.channel == 1) {
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t c = 0; c < channels; ++c) x[index[k * i_step + c] * step + c] += y[k * y_step + c];
    }
    return;
  }
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t c = 0; c < channels; ++c) {
      x[index[k * i_step + c * a.is.channel] * step + c * a.xs.channel] += y[k * y_step + c * a.ys.channel];
    }
  }
}

// Whether the positions of a plane of outputs are evenly spaced.
HWY_INLINE bool is_even(const PoolArgs& a, const PoolStrides& s) {
  return (a.dim[1].out == 1 || s.spatial[1] == a.dim[2].out * s.spatial[2]) &&
         (a.dim[0].out == 1 || s.spatial[0] == a.dim[1].out * a.dim[2].out * s.spatial[2]);
}

// Adds the gradients of channels [c0, c1) of image n. `x` is the first element of channel c0.
template <typename T>
HWY_INLINE void scatter_planes(const PoolArgs& a, int64_t n, int64_t c0, int64_t c1, T* x) {
  if (a.outputs() == 0) return;
  const bool even = is_even(a, a.ys) && is_even(a, a.is);
  const int64_t rows = even ? 1 : a.dim[0].out * a.dim[1].out, length = even ? a.outputs() : a.dim[2].out;
  const T* y = static_cast<const T*>(a.y) + n * a.ys.batch + c0 * a.ys.channel;
  const int64_t start = n * a.is.batch + c0 * a.is.channel;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t i = row / a.dim[1].out, j = row % a.dim[1].out;
    const T* from = y + offset_of(a.ys, i, j, 0);
    const int64_t at = start + offset_of(a.is, i, j, 0);
    if (a.narrow_index) {
      scatter_row(a, length, c1 - c0, x, a.xs.spatial[2], from, static_cast<const int32_t*>(a.index) + at);
    } else {
      scatter_row(a, length, c1 - c0, x, a.xs.spatial[2], from, static_cast<const int64_t*>(a.index) + at);
    }
  }
}

// Clears all positions of a number of channels of one image.
template <typename T>
HWY_INLINE void clear(const PoolArgs& a, int64_t channels, T* x) {
  const int64_t plane = a.plane(), step = a.xs.spatial[2];
  if (channels == 1 && step == 1) {
    std::fill_n(x, plane, T{});
    return;
  }
  for (int64_t p = 0; p < plane; ++p) {
    if (a.xs.channel == 1) {
      std::fill_n(x + p * step, channels, T{});
    } else {
      for (int64_t c = 0; c < channels; ++c) x[p * step + c * a.xs.channel] = T{};
    }
  }
}

// Runs chunks: a chunk is one channel, or a block of channels, of one image. No other thread adds to its gradient.
template <typename T>
void max_backward_chunks(const PoolArgs& a, int64_t begin, int64_t end) {
  const int64_t width = a.over_channels ? kChannelsOfChunk : 1, blocks = (a.channels + width - 1) / width;
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    const int64_t n = chunk / blocks, c0 = chunk % blocks * width, c1 = std::min(a.channels, c0 + width);
    T* x = static_cast<T*>(a.x) + n * a.xs.batch + c0 * a.xs.channel;
    clear(a, c1 - c0, x);
    scatter_planes(a, n, c0, c1, x);
  }
}

PoolChunksFn GetMaxBackward(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return max_backward_chunks<float>;
  return dtype == diopi_dtype_float64 ? max_backward_chunks<double> : nullptr;
}

// Whether any of n indices is outside [0, plane). Then `index` or `plane - 1 - index` has its sign bit set.
template <typename I>
bool any_outside(const I* HWY_RESTRICT index, int64_t n, int64_t plane) {
  using U = std::make_unsigned_t<I>;
  const U last = static_cast<U>(plane - 1);
  U seen = 0;
  for (int64_t i = 0; i < n; ++i) seen |= static_cast<U>(index[i]) | (last - static_cast<U>(index[i]));
  return static_cast<I>(seen) < 0;
}

bool AnyIndexOutside(const PoolArgs& a, int64_t begin, int64_t end) {
  return a.narrow_index ? any_outside(static_cast<const int32_t*>(a.index) + begin, end - begin, a.plane())
                        : any_outside(static_cast<const int64_t*>(a.index) + begin, end - begin, a.plane());
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetMaxBackward);
HWY_EXPORT(AnyIndexOutside);

// Returns the first bad index of a row of outputs, or n. Usually there is none, so all are checked at once first.
template <typename I>
int64_t first_bad(const I* index, int64_t stride, int64_t n, int64_t plane) {
  using U = std::make_unsigned_t<I>;
  bool bad = false;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) bad |= static_cast<U>(index[i]) >= static_cast<U>(plane);
  } else {
    for (int64_t i = 0; i < n; ++i) bad |= static_cast<U>(index[i * stride]) >= static_cast<U>(plane);
  }
  int64_t i = bad ? 0 : n;
  while (i < n && static_cast<U>(index[i * stride]) < static_cast<U>(plane)) ++i;
  return i;
}

template <typename I>
int64_t find_bad(const PoolArgs& a, const I* index, int64_t* value) {
  const int64_t plane = a.plane(), width = a.dim[2].out;
  const int64_t rows = a.batch * a.channels * a.dim[0].out * a.dim[1].out;
  const auto row_start = [&](int64_t row) {
    const int64_t j = row % a.dim[1].out, i = row / a.dim[1].out % a.dim[0].out;
    const int64_t plane_index = row / a.dim[1].out / a.dim[0].out;
    const int64_t c = plane_index % a.channels, n = plane_index / a.channels;
    return index + n * a.is.batch + c * a.is.channel + i * a.is.spatial[0] + j * a.is.spatial[1];
  };
  std::atomic<int64_t> first{rows};
  diopi::parallel_for(rows, 16384 / (width + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      if (first_bad(row_start(row), a.is.spatial[2], width, plane) == width) continue;
      int64_t seen = first.load();
      while (row < seen && !first.compare_exchange_weak(seen, row)) {
      }
      return;
    }
  });
  const int64_t row = first.load();
  if (row == rows) return -1;
  const int64_t i = first_bad(row_start(row), a.is.spatial[2], width, plane);
  *value = row_start(row)[i * a.is.spatial[2]];
  return row * width + i;
}

// Whether the `count` indices are all elements in memory from the first one on.
bool has_gapless_index(const PoolArgs& a, int64_t count) {
  const int64_t extent[5] = {a.batch, a.channels, a.dim[0].out, a.dim[1].out, a.dim[2].out};
  const int64_t stride[5] = {a.is.batch, a.is.channel, a.is.spatial[0], a.is.spatial[1], a.is.spatial[2]};
  int64_t reach = 1;
  for (int i = 0; i < 5; ++i) {
    if (extent[i] > 1 && stride[i] == 0) return false;
    reach += (extent[i] - 1) * stride[i];
  }
  return count > 0 && reach == count;
}

}  // namespace

bool max_pool_backward(diopiDtype_t dtype, const PoolArgs& args) {
  const PoolChunksFn run = HWY_DYNAMIC_DISPATCH(GetMaxBackward)(dtype);
  return run != nullptr && (max_pool_backward_planes(dtype, args) || run_backward(run, args));
}

int64_t find_bad_index(const PoolArgs& a, int64_t* value) {
  const int64_t count = a.batch * a.channels * a.outputs();
  if (has_gapless_index(a, count)) {  // checks all indices in memory order; they are rarely bad
    std::atomic<bool> bad{false};
    diopi::parallel_for(count, 32768, [&](int64_t begin, int64_t end) {
      if (HWY_DYNAMIC_DISPATCH(AnyIndexOutside)(a, begin, end)) bad.store(true);
    });
    if (!bad.load()) return -1;
  }
  return a.narrow_index ? find_bad(a, static_cast<const int32_t*>(a.index), value)
                        : find_bad(a, static_cast<const int64_t*>(a.index), value);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
