// SPDX-License-Identifier: BSD-3-Clause
// Interpolation along one dimension: which input positions an output position reads, and which output positions may
// read an input position. Sources are fractions of integers: there is no rounding before the weights.
#ifndef IMPL_CUDA_KERNELS_RESAMPLE_AXIS_CUH_
#define IMPL_CUDA_KERNELS_RESAMPLE_AXIS_CUH_

#include "impl/common/engine/resample.hpp"
#include "impl/cuda/kernels/planes.cuh"
#include "impl/cuda/kernels/resample/cubic.cuh"

namespace impl::cuda {

__host__ __device__ constexpr int taps_of(Interpolation kind) {
  return kind == Interpolation::kNearest ? 1 : kind == Interpolation::kLinear ? 2 : kMostTaps;
}

// Output position x reads around the input position (x * step + start) / by. T is the type of the weights.
template <typename T, Interpolation kKind>
struct Axis {
  static constexpr int kTaps = taps_of(kKind);
  int32_t in = 1, out = 1;
  int32_t step = 0, start = 0, aligned = 0;
  DividerOf<int32_t> by, by_step;
  double exact_inverse = 1;            // 1 / by
  T inverse = 1, rest_of_inverse = 0;  // their sum is 1 / by, too

  Axis() = default;
  Axis(int64_t in_extent, int64_t out_extent, bool align_corners)
      : in(static_cast<int32_t>(in_extent)), out(static_cast<int32_t>(out_extent)), aligned(align_corners ? 1 : 0) {
    int64_t divisor = 1;
    if (!align_corners) {
      step = 2 * in, start = in - out, divisor = int64_t{2} * out;
    } else if (out > 1) {
      step = in - 1, divisor = out - 1;
    }
    by = DividerOf<int32_t>(divisor);
    by_step = DividerOf<int32_t>(std::max(step, 1));
    exact_inverse = 1.0 / static_cast<double>(divisor);
    inverse = static_cast<T>(exact_inverse);
    rest_of_inverse = static_cast<T>(exact_inverse - static_cast<double>(inverse));
  }
  // Whether all numbers below fit.
  static bool fits(int64_t in_extent, int64_t out_extent) {
    constexpr int64_t kMost = INT32_MAX / 16;
    return in_extent <= kMost && out_extent <= kMost && (in_extent + 4) * (out_extent + 4) <= kMost;
  }

  // The input positions and weights of an output position.
  __device__ void taps(int32_t x, int32_t (&position)[kTaps], T (&weight)[kTaps]) const {
    if constexpr (kKind == Interpolation::kLinear && std::is_same_v<T, double>) {
      taps_of_doubles(x, position, weight);
    } else {
      taps_of_integers(x, position, weight);
    }
  }
  // Output positions from `*begin` and before `*end` may read an input position.
  __device__ void outputs(int32_t i, int32_t* begin, int32_t* end) const {
    constexpr int kAfter = kTaps / 2;  // taps behind the source; those beyond a border read the border
    constexpr int kRounded = std::is_same_v<T, double> ? 1 : 0;  // roundings may move the source of an output
    *begin = i <= 1 ? 0 : max(0, first_from(i - kAfter) - kRounded);
    *end = i == in - 1 ? out : min(out, first_from(i + kAfter) + kRounded);
  }

 private:
  __device__ void taps_of_integers(int32_t x, int32_t (&position)[kTaps], T (&weight)[kTaps]) const {
    int32_t n = x * step + start;  // not less than -by
    if (kKind == Interpolation::kLinear && n < 0) n = 0;
    const int32_t low = by.quotient(n + by.divisor()) - 1;
    const int32_t rest = n - low * by.divisor();
    if constexpr (kKind == Interpolation::kLinear) {
      place(low, position);
      weight[0] = fraction(by.divisor() - rest);
      weight[1] = fraction(rest);
    } else {
      double exact[kTaps];
      cubic_weights(rest * exact_inverse, exact);
      DIOPI_UNROLL
      for (int k = 0; k < kTaps; ++k) {
        position[k] = max(0, min(low - 1 + k, in - 1));
        weight[k] = static_cast<T>(exact[k]);
      }
    }
  }
  // The positions of linear interpolation.
  __device__ void place(int32_t low, int32_t (&position)[kTaps]) const {
    position[0] = low;
    position[1] = in == out || low + 1 >= in ? low : low + 1;
  }
  // rest / by, rounded once.
  __device__ float fraction(int32_t rest) const {
    const auto number = static_cast<float>(rest);
    return fmaf(number, static_cast<float>(inverse), number * static_cast<float>(rest_of_inverse));
  }
  // Linear interpolation of float64 rounds the source as the CPU does.
  __device__ void taps_of_doubles(int32_t x, int32_t (&position)[kTaps], T (&weight)[kTaps]) const {
    double at = x;
    if (in != out && aligned != 0) at = out > 1 ? at * (in - 1) / (out - 1) : 0.0;
    if (in != out && aligned == 0) at = max(0.0, (at + 0.5) * in / out - 0.5);
    const int32_t low = min(static_cast<int32_t>(at), in - 1);
    place(low, position);
    weight[1] = static_cast<T>(min(at - low, 1.0));
    weight[0] = 1 - weight[1];
  }
  // The first output position whose source is not before an input position.
  __device__ int32_t first_from(int32_t i) const {
    const int32_t n = i * by.divisor() - start;
    return n <= 0 ? 0 : step == 0 ? out : by_step.quotient(n + step - 1);
  }
};

template <typename T>
struct Axis<T, Interpolation::kNearest> {
  static constexpr int kTaps = 1;
  int32_t in = 1, out = 1;
  DividerOf<int32_t> by_in;
  float ratio = 1;

  Axis() = default;
  Axis(int64_t in_extent, int64_t out_extent, bool /*align_corners*/)
      : in(static_cast<int32_t>(in_extent)),
        out(static_cast<int32_t>(out_extent)),
        by_in(in_extent),
        ratio(static_cast<float>(in_extent) / static_cast<float>(out_extent)) {}
  static bool fits(int64_t in_extent, int64_t out_extent) {
    return Axis<T, Interpolation::kLinear>::fits(in_extent, out_extent);
  }

  __device__ int32_t nearest(int32_t x) const {
    if (in == out) return x;
    if (out == 2 * in) return x / 2;
    return min(static_cast<int32_t>(floorf(static_cast<float>(x) * ratio)), in - 1);
  }
  __device__ void taps(int32_t x, int32_t (&position)[1], T (&weight)[1]) const {
    position[0] = nearest(x);
    weight[0] = T(1);
  }
  __device__ void outputs(int32_t i, int32_t* begin, int32_t* end) const {
    *begin = first_from(i);
    *end = first_from(i + 1);
  }

 private:
  // The first output position that reads an input position from i on. Roundings may move it from the quotient.
  __device__ int32_t first_from(int32_t i) const {
    if (i >= in) return out;
    if (in == out) return i;
    if (out == 2 * in) return 2 * i;
    int32_t x = min(out, by_in.quotient(i * out + in - 1));
    while (x > 0 && nearest(x - 1) >= i) --x;
    while (x < out && nearest(x) < i) ++x;
    return x;
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RESAMPLE_AXIS_CUH_
