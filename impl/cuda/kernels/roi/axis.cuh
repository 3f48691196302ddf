// SPDX-License-Identifier: BSD-3-Clause
// The samples of an upright region along one axis: their positions, and the two elements that each of them reads.
#ifndef IMPL_CUDA_KERNELS_ROI_AXIS_CUH_
#define IMPL_CUDA_KERNELS_ROI_AXIS_CUH_

#include "impl/cuda/kernels/rounded.cuh"

namespace impl::cuda {

// What all regions of a call share.
struct RegionFrame {
  double scale, shift;
  int64_t at_least_one, ratio, counts_in_float32;
};

// Where a bin begins, and where a sample lies: in float64, and with each operation rounded to float32 if that decides.
// See Coordinate in impl/cpu.
struct Coordinate {
  double exact, rounded;
};

// Whole numbers from `first` to `last`, which may be too large for integers.
struct WholeRange {
  double first, last;
};

// The taps of one or more samples: two elements and their weights. A weight of 0 counts as well, because its product
// with an infinite element is NaN: `zero` says that a sample had such a weight.
struct AxisTaps {
  int64_t element[2];
  double weight[2];
  bool zero[2];

  __device__ void clear() {
    for (int k = 0; k < 2; ++k) {
      element[k] = -1;
      weight[k] = 0;
      zero[k] = false;
    }
  }
  __device__ void add(int k, double w) {
    weight[k] += w;
    zero[k] = zero[k] || w == 0;
  }
};

// Whether a position lies in [-1, extent]; false for NaN. Rounding may move it across a border, but not by more than a
// pixel.
__device__ inline bool is_inside(const Coordinate& position, int64_t extent) {
  const auto end = static_cast<double>(extent);
  return position.rounded >= -1 && position.rounded <= end && position.exact >= -2 && position.exact <= end + 1;
}

// Finds the elements and weights of a position. Returns false if it is not inside.
__device__ inline bool find_taps(const Coordinate& position, int64_t extent, int64_t* element, double* weight) {
  if (!is_inside(position, extent)) return false;
  const double inside = position.exact > 0 ? position.exact : 0;
  const auto low = static_cast<int64_t>(inside);
  const bool last = low >= extent - 1;
  const double part = inside - static_cast<double>(low);
  element[0] = last ? extent - 1 : low;
  element[1] = last ? extent - 1 : low + 1;
  weight[0] = last ? 1 : 1 - part;
  weight[1] = last ? 0 : part;
  return true;
}

// The side of a region, and the width of a bin, that are rounded to float32.
template <bool kNarrow>
struct RoundedSide {};
template <>
struct RoundedSide<true> {
  Rounded<float> start, width;
};

// kNarrow: whether positions that are rounded to float32 decide which samples there are, and which of them are inside.
template <bool kNarrow>
struct RegionAxis {
  double start, width;    // of the region; of a bin
  double count;           // of the samples of a bin; less than 1 if there are none
  double inverse, share;  // 1 / width; 1 / count
  double blur;            // how far roundings may move a position
  int64_t bins, extent;   // of the image
  RoundedSide<kNarrow> rounded;

  __device__ void set(const RegionFrame& frame, double low, double high, int64_t bin_count, int64_t image_extent) {
    using Number = Rounded<double>;
    bins = bin_count;
    extent = image_extent;
    const Number begin = Number{low} * Number{frame.scale} - Number{frame.shift};
    double size = (Number{high} * Number{frame.scale} - Number{frame.shift} - begin).v;
    if (frame.at_least_one != 0 && size < 1) size = 1;
    start = begin.v;
    width = size / static_cast<double>(bins);
    if constexpr (kNarrow) set_rounded(frame, low, high);
    count = static_cast<double>(frame.ratio);
    if (frame.ratio <= 0) {
      constexpr double kMostExact = 4503599627370496.0;  // up to 2^52 samples are counted one by one
      count = ceil(frame.counts_in_float32 != 0 ? static_cast<float>(width) : width);
      if constexpr (kNarrow) count = ceil(rounded.width.v);
      if (!(fabs(count) <= kMostExact)) count = 0;
    }
    if (!isfinite(start) || !isfinite(width)) count = 0;
    inverse = 1 / width;
    share = 1 / count;
    blur = 1e-15 * (fabs(start) + fabs(width) * static_cast<double>(bins) + static_cast<double>(extent));
  }
  __device__ bool has_samples() const { return count >= 1; }

  __device__ Coordinate begin_of(double bin) const {
    const double exact = (Rounded<double>{start} + Rounded<double>{bin} * Rounded<double>{width}).v;
    if constexpr (kNarrow) {
      return {exact, (rounded.start + Rounded<float>{static_cast<float>(bin)} * rounded.width).v};
    } else {
      return {exact, exact};
    }
  }
  // begin + (i + 0.5) * width / count. Multiplications divide: the second one corrects what the first one lost.
  __device__ Coordinate position(const Coordinate& begin, double i) const {
    const double all = (i + 0.5) * width, part = all * share;
    const double exact = begin.exact + fma(fma(-part, count, all), share, part);
    if constexpr (kNarrow) {
      const Rounded<float> from{static_cast<float>(begin.rounded)}, to{static_cast<float>(i + 0.5)};
      return {exact, (from + to * rounded.width / Rounded<float>{static_cast<float>(count)}).v};
    } else {
      return {exact, exact};
    }
  }

  // The bins, and the samples of a bin that begins at `begin`, whose positions may lie in [low, high].
  __device__ WholeRange bins_in(double low, double high) const {
    const WholeRange all{0, static_cast<double>(bins - 1)};
    return isfinite(inverse) ? clipped((low - start) * inverse, (high - start) * inverse, 1, inverse, all) : all;
  }
  __device__ WholeRange samples_in(const Coordinate& begin, double low, double high) const {
    const WholeRange all{0, count - 1};
    const double per_pixel = count * inverse;
    if (!isfinite(per_pixel)) return all;
    const double to_low = low - begin.exact, to_high = high - begin.exact;
    return clipped(to_low * per_pixel - 0.5, to_high * per_pixel - 0.5, 0, per_pixel, all);
  }
  // The samples of a bin that may be inside.
  __device__ WholeRange samples_inside(const Coordinate& begin) const {
    return samples_in(begin, -2, static_cast<double>(extent) + 1);
  }
  // Whether a sample may lie in [low, high].
  __device__ bool reaches(double low, double high) const {
    const double end = start + width * static_cast<double>(bins);
    return has_samples() && min(start, end) - blur <= high && max(start, end) + blur >= low;
  }

  // Makes taps of the samples from `*i` to `last` that read the same elements and follow each other. `*i` becomes the
  // sample after them. Returns false if there are none.
  __device__ bool next_taps(const Coordinate& begin, double* i, double last, AxisTaps* taps) const {
    bool found = false;
    taps->clear();
    for (; *i <= last; *i += 1) {
      int64_t element[2];
      double weight[2];
      if (!find_taps(position(begin, *i), extent, element, weight)) continue;
      if (found && element[0] != taps->element[0]) return true;
      found = true;
      for (int k = 0; k < 2; ++k) {
        taps->element[k] = element[k];
        taps->add(k, weight[k]);
      }
    }
    return found;
  }

  // The positions at which a sample may read an element: below 0 it reads 0 and 1. See is_inside() for the borders.
  __device__ double lowest_reader(int64_t at) const { return at <= 1 ? -2 : static_cast<double>(at - 1); }
  __device__ double highest_reader(int64_t at) const { return static_cast<double>(at + (at == extent - 1 ? 2 : 1)); }

  // Adds what the samples of a bin read of the element `at` to tap 0. Returns false if none reads it.
  __device__ bool weight_in(double bin, int64_t at, AxisTaps* taps) const {
    bool found = false;
    taps->clear();
    const Coordinate begin = begin_of(bin);
    const WholeRange samples = samples_in(begin, lowest_reader(at), highest_reader(at));
    for (double i = samples.first; i <= samples.last; i += 1) {
      int64_t element[2];
      double weight[2];
      if (!find_taps(position(begin, i), extent, element, weight)) continue;
      for (int k = 0; k < 2; ++k) {
        if (element[k] != at) continue;
        found = true;
        taps->add(0, weight[k]);
      }
    }
    return found;
  }

 private:
  __device__ void set_rounded(const RegionFrame& frame, double low, double high) {
    using Number = Rounded<float>;
    const Number scale{static_cast<float>(frame.scale)}, shift{static_cast<float>(frame.shift)};
    rounded.start = Number{static_cast<float>(low)} * scale - shift;
    Number size = Number{static_cast<float>(high)} * scale - shift - rounded.start;
    if (frame.at_least_one != 0 && size.v < 1) size.v = 1;
    rounded.width = size / Number{static_cast<float>(bins)};
  }
  // The whole numbers of `all` from the lesser of a and b minus `before` to the greater one, and those that roundings
  // of positions may add. `per_pixel`: how many of them a pixel has.
  __device__ WholeRange clipped(double a, double b, double before, double per_pixel, const WholeRange& all) const {
    const double margin = 1e-3 + blur * fabs(per_pixel);
    return {max(all.first, ceil(min(a, b) - before - margin)), min(all.last, floor(max(a, b) + margin))};
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROI_AXIS_CUH_
