// SPDX-License-Identifier: BSD-3-Clause
// Points are handled in blocks. For a block, the offsets and the weights of all taps are computed once, and used for
// every channel. A tap outside the image has the offset -1 and the weight 0.
#include "impl/cpu/sampling/grid_sample.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/grid_sample.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "impl/common/parallel.hpp"
#include "impl/cpu/simd/load_store-inl.h"

#ifndef IMPL_CPU_SAMPLING_GRID_SAMPLE_
#define IMPL_CPU_SAMPLING_GRID_SAMPLE_
namespace impl::cpu {
constexpr int64_t kPoints = 128;  // of a block
constexpr int kAxisTaps = 4, kMostTaps = 16;
}  // namespace impl::cpu
#endif  // IMPL_CPU_SAMPLING_GRID_SAMPLE_

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using diopi::Interpolation;

// The taps of the points of a block along one dimension. `place` is -1 outside the image.
template <typename T>
struct AxisTaps {
  int count = 1;
  int32_t place[kAxisTaps][kPoints];
  T weight[kAxisTaps][kPoints];
};

// The taps of the points of a block.
template <typename T>
struct BlockTaps {
  int count = 1;
  bool all_inside = true;
  int32_t offset[kMostTaps][kPoints];
  T weight[kMostTaps][kPoints];
};

template <typename T>
HWY_INLINE T cubic_near(T d) {
  constexpr T a = T(-0.75);
  return ((a + T(2)) * d - (a + T(3))) * d * d + T(1);
}

template <typename T>
HWY_INLINE T cubic_far(T d) {
  constexpr T a = T(-0.75);
  return ((a * d - T(5) * a) * d + T(8) * a) * d - T(4) * a;
}

// Sets places and weights of one dimension. `coordinate` has `step` elements from point to point.
template <typename T>
HWY_INLINE void axis_taps(Interpolation kind, const T* coordinate, int64_t step, int64_t n, int64_t extent,
                          AxisTaps<T>* taps) {
  T part[kPoints];
  int32_t low[kPoints];
  const T size = static_cast<T>(extent);
  const auto limit = static_cast<int32_t>(extent);
  for (int64_t p = 0; p < n; ++p) {
    const T at = ((coordinate[p * step] + T(1)) * size - T(1)) / T(2);
    const T whole = kind == Interpolation::kNearest ? std::nearbyint(at) : std::floor(at);
    // Also false for NaN. A place this far outside has no tap inside.
    const bool near = whole >= T(-4) && whole <= size + T(4);
    low[p] = near ? static_cast<int32_t>(whole) : -100;
    part[p] = near ? at - whole : T(0);
  }
  taps->count = kind == Interpolation::kNearest ? 1 : kind == Interpolation::kLinear ? 2 : kAxisTaps;
  const int first = kind == Interpolation::kCubic ? -1 : 0;
  for (int64_t p = 0; p < n; ++p) {
    const T t = part[p];
    if (kind == Interpolation::kNearest) {
      taps->weight[0][p] = T(1);
    } else if (kind == Interpolation::kLinear) {
      taps->weight[0][p] = T(1) - t;
      taps->weight[1][p] = t;
    } else {
      taps->weight[0][p] = cubic_far(t + T(1));
      taps->weight[1][p] = cubic_near(t);
      taps->weight[2][p] = cubic_near(T(1) - t);
      taps->weight[3][p] = cubic_far(T(2) - t);
    }
  }
  for (int k = 0; k < taps->count; ++k) {
    for (int64_t p = 0; p < n; ++p) {
      const int32_t place = low[p] + first + k;
      taps->place[k][p] = place >= 0 && place < limit ? place : -1;
    }
  }
}

// Combines the taps of the dimensions. Unused lanes of the last vector read the first element with the weight 0.
template <typename T>
HWY_INLINE void combine(const GridArgs& a, const AxisTaps<T>* axes, int64_t n, BlockTaps<T>* taps) {
  const int spatial = a.spatial;
  taps->count = 0;
  int32_t outside = 0;
  const int depth = spatial == 3 ? axes[2].count : 1;
  for (int i = 0; i < depth; ++i) {
    for (int j = 0; j < axes[1].count; ++j) {
      for (int k = 0; k < axes[0].count; ++k) {
        int32_t* offset = taps->offset[taps->count];
        T* weight = taps->weight[taps->count++];
        const auto row = static_cast<int32_t>(a.in_stride[3]), column = static_cast<int32_t>(a.in_stride[4]);
        const auto slice = static_cast<int32_t>(a.in_stride[2]);
        for (int64_t p = 0; p < n; ++p) {
          const int32_t x = axes[0].place[k][p], y = axes[1].place[j][p], z = spatial == 3 ? axes[2].place[i][p] : 0;
          const T w = axes[1].weight[j][p] * axes[0].weight[k][p];
          const bool inside = (x | y | z) >= 0;
          offset[p] = inside ? z * slice + y * row + x * column : -1;
          weight[p] = inside ? (spatial == 3 ? axes[2].weight[i][p] * w : w) : T(0);
          outside |= offset[p];
        }
        std::fill(offset + n, offset + kPoints, 0);
        std::fill(weight + n, weight + kPoints, T(0));
      }
    }
  }
  taps->all_inside = outside >= 0;
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> gather_inside(D d, const T* channel, const int32_t* offset, bool all_inside) {
  const hn::RebindToSigned<D> di;
  const auto narrow = hn::LoadU(hn::Rebind<int32_t, D>(), offset);
  const auto index = [&] {
    if constexpr (sizeof(T) == 8) {
      return hn::PromoteTo(di, narrow);
    } else {
      return narrow;
    }
  }();
  if (all_inside) return hn::GatherIndex(d, channel, index);
  const auto value = hn::GatherIndex(d, channel, hn::Max(index, hn::Zero(di)));
  return hn::IfThenZeroElse(hn::RebindMask(d, hn::Lt(index, hn::Zero(di))), value);
}

// Samples one channel at n points.
template <bool kAllInside, typename T>
HWY_INLINE void sample_channel(const BlockTaps<T>& taps, const T* channel, int64_t n, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t p = 0; p < n; p += lanes) {
    auto sum = hn::Mul(hn::LoadU(d, taps.weight[0] + p), gather_inside(d, channel, taps.offset[0] + p, kAllInside));
    for (int k = 1; k < taps.count; ++k) {
      const auto value = gather_inside(d, channel, taps.offset[k] + p, kAllInside);
      sum = hn::Add(sum, hn::Mul(hn::LoadU(d, taps.weight[k] + p), value));
    }
    hn::StoreU(sum, d, out + p);
  }
}

// Samples all channels, which are adjacent, at one point.
template <typename T>
HWY_INLINE void sample_point(const BlockTaps<T>& taps, const T* image, int64_t p, int64_t channels, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* at[kMostTaps];
  T weight[kMostTaps];
  int count = 0;
  for (int k = 0; k < taps.count; ++k) {
    if (taps.offset[k][p] < 0) continue;
    at[count] = image + taps.offset[k][p];
    weight[count++] = taps.weight[k][p];
  }
  if (count == 0) {
    std::fill_n(out, channels, T(0));
    return;
  }
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    auto sum = hn::Mul(hn::Set(d, weight[0]), hn::LoadU(d, at[0] + c));
    for (int k = 1; k < count; ++k) sum = hn::Add(sum, hn::Mul(hn::Set(d, weight[k]), hn::LoadU(d, at[k] + c)));
    hn::StoreU(sum, d, out + c);
  }
  if (c == channels) return;
  const int64_t rest = channels - c;
  auto sum = hn::Mul(hn::Set(d, weight[0]), load_some(at[0] + c, rest));
  for (int k = 1; k < count; ++k) sum = hn::Add(sum, hn::Mul(hn::Set(d, weight[k]), load_some(at[k] + c, rest)));
  store_some<T>(sum, out + c, rest);
}

template <typename T>
void sample_block(const GridArgs& a, int64_t image, int64_t first, int64_t n) {
  AxisTaps<T> axes[3];
  BlockTaps<T> taps;
  const T* grid = static_cast<const T*>(a.grid) + image * a.grid_stride[0] + first * a.grid_stride[1];
  for (int i = 0; i < a.spatial; ++i) {  // the first coordinate is that of the last dimension
    axis_taps(a.kind, grid + i * a.grid_stride[2], a.grid_stride[1], n, a.extent[2 - i], &axes[i]);
  }
  combine(a, axes, n, &taps);
  const T* in = static_cast<const T*>(a.in) + image * a.in_stride[0];
  T* out = static_cast<T*>(a.out) + image * a.out_stride[0] + first * a.out_stride[2];
  if (a.in_stride[1] == 1 && a.out_stride[1] == 1 && a.channels > 1) {
    for (int64_t p = 0; p < n; ++p) sample_point(taps, in, p, a.channels, out + p * a.out_stride[2]);
    return;
  }
  T line[kPoints];
  for (int64_t c = 0; c < a.channels; ++c) {
    const T* channel = in + c * a.in_stride[1];
    if (taps.all_inside) {
      sample_channel<true>(taps, channel, n, line);
    } else {
      sample_channel<false>(taps, channel, n, line);
    }
    T* to = out + c * a.out_stride[1];
    for (int64_t p = 0; p < n; ++p) to[p * a.out_stride[2]] = line[p];
  }
}

template <typename T>
void sample_blocks(const GridArgs& a, int64_t begin, int64_t end) {
  const int64_t blocks = (a.points + kPoints - 1) / kPoints;
  for (int64_t index = begin; index < end; ++index) {
    const int64_t first = index % blocks * kPoints;
    sample_block<T>(a, index / blocks, first, std::min(kPoints, a.points - first));
  }
}

SampleFn GetGridSample(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return sample_blocks<float>;
  return dtype == diopi_dtype_float64 ? sample_blocks<double> : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetGridSample);

bool grid_sample(diopiDtype_t dtype, const GridArgs& args) {
  const SampleFn run = HWY_DYNAMIC_DISPATCH(GetGridSample)(dtype);
  if (run == nullptr) return false;
  const int64_t blocks = args.images * ((args.points + kPoints - 1) / kPoints);
  using diopi::Interpolation;
  const int64_t taps = args.kind == Interpolation::kNearest ? 1 : args.kind == Interpolation::kCubic ? 16 : 4;
  diopi::parallel_for(blocks, diopi::Picoseconds{kPoints * (args.channels * taps * 500 + 5000)},
                      [&](int64_t begin, int64_t end) { run(args, begin, end); });
  return true;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
