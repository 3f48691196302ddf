// SPDX-License-Identifier: BSD-3-Clause
// Points are handled in blocks. For a block, the offsets and the weights of all taps are computed once, and used for
// every channel.
#include "impl/cpu/sampling/grid_sample.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/grid_sample.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/cpu/sampling/grid_taps-inl.h"

// Whether gathers are instructions, which read elements that are not aligned to their size.
#undef IMPL_CPU_GATHERS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define IMPL_CPU_GATHERS 1
#else
#define IMPL_CPU_GATHERS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
HWY_INLINE auto load_index(const int32_t* offset) {
  const auto narrow = hn::LoadU(NarrowTag<T>(), offset);
  if constexpr (sizeof(T) == 8) {
    return hn::PromoteTo(hn::RebindToSigned<TagOf<T>>(), narrow);
  } else {
    return narrow;
  }
}

// Sums of a vector of points, taps that are outside are 0.
template <typename T>
HWY_INLINE VecOf<T> sample_any(const BlockTaps<T>& taps, const T* channel, int64_t p) {
  const TagOf<T> d;
  const hn::RebindToSigned<TagOf<T>> di;
  auto sum = hn::Zero(d);
  for (int k = 0; k < taps.count; ++k) {
    const auto index = load_index<T>(taps.offset[k] + p);
    const auto value = hn::GatherIndex(d, channel, hn::Max(index, hn::Zero(di)));
    const auto outside = hn::RebindMask(d, hn::Lt(index, hn::Zero(di)));
    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, taps.weight[k] + p), hn::IfThenZeroElse(outside, value)));
  }
  return sum;
}

// Sums of a vector of points whose taps are all inside.
template <typename T>
HWY_INLINE VecOf<T> sample_inside(const BlockTaps<T>& taps, const T* channel, int64_t p) {
  const TagOf<T> d;
  auto sum = hn::Zero(d);
  for (int k = 0; k < taps.count; ++k) {
    const auto value = hn::GatherIndex(d, channel, load_index<T>(taps.offset[k] + p));
    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, taps.weight[k] + p), value));
  }
  return sum;
}

#if IMPL_CPU_GATHERS
// The same for taps of which every two are neighbours in memory: these are gathered as one element of twice the size.
HWY_INLINE VecOf<float> sample_pairs(const BlockTaps<float>& taps, const float* channel, int64_t p) {
  const TagOf<float> d;
  const hn::Repartition<uint64_t, TagOf<float>> pair;
  const hn::RebindToSigned<decltype(pair)> index;
  const hn::Rebind<int32_t, decltype(pair)> half;
  const auto* memory = reinterpret_cast<const uint64_t*>(channel);
  const auto gather = [&](const int32_t* offset) HWY_ATTR {
    const auto bytes = hn::ShiftLeft<2>(hn::PromoteTo(index, hn::LoadU(half, offset)));
    return hn::BitCast(d, hn::GatherOffset(pair, memory, bytes));
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(pair));
  auto sum = hn::Zero(d);
  for (int k = 0; k < taps.count; k += 2) {
    const auto low = gather(taps.offset[k] + p), high = gather(taps.offset[k] + p + lanes);
    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, taps.weight[k] + p), hn::ConcatEven(d, high, low)));
    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, taps.weight[k + 1] + p), hn::ConcatOdd(d, high, low)));
  }
  return sum;
}
#endif

// Samples one channel at n points.
template <bool kPairs, typename T>
HWY_INLINE void sample_channel(const BlockTaps<T>& taps, const T* channel, int64_t n, T* out) {
  const auto sample = [&](int64_t p) HWY_ATTR {
    if (!taps.inside[p / lanes_of<T>()]) return sample_any(taps, channel, p);
#if IMPL_CPU_GATHERS
    if constexpr (kPairs && sizeof(T) == 4) return sample_pairs(taps, channel, p);
#endif
    return sample_inside(taps, channel, p);
  };
  int64_t p = 0;
  for (; p + lanes_of<T>() <= n; p += lanes_of<T>()) hn::StoreU(sample(p), TagOf<T>(), out + p);
  if (p < n) store_some<T>(sample(p), out + p, n - p);
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
  BlockTaps<T> taps;
  const T* grid = static_cast<const T*>(a.grid) + image * a.grid_stride[0] + first * a.grid_stride[1];
  block_taps(a, grid, n, &taps);
  const T* in = static_cast<const T*>(a.in) + image * a.in_stride[0];
  T* out = static_cast<T*>(a.out) + image * a.out_stride[0] + first * a.out_stride[2];
  if (a.in_stride[1] == 1 && a.out_stride[1] == 1 && a.channels > 1) {
    for (int64_t p = 0; p < n; ++p) sample_point(taps, in, p, a.channels, out + p * a.out_stride[2]);
    return;
  }
  const bool pairs = a.kind == Interpolation::kLinear && a.in_stride[4] == 1, packed = a.out_stride[2] == 1;
  T line[kPoints];
  for (int64_t c = 0; c < a.channels; ++c) {
    const T* channel = in + c * a.in_stride[1];
    T* to = out + c * a.out_stride[1];
    T* samples = packed ? to : line;
    pairs ? sample_channel<true>(taps, channel, n, samples) : sample_channel<false>(taps, channel, n, samples);
    for (int64_t p = 0; p < n && !packed; ++p) to[p * a.out_stride[2]] = line[p];
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
  const int64_t blocks = args.images * ((args.points + kGridBlock - 1) / kGridBlock);
  using diopi::Interpolation;
  const int64_t taps = args.kind == Interpolation::kNearest ? 1 : args.kind == Interpolation::kCubic ? 16 : 4;
  diopi::parallel_for(blocks, diopi::Picoseconds{kGridBlock * (args.channels * taps * 500 + 5000)},
                      [&](int64_t begin, int64_t end) { run(args, begin, end); });
  return true;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
