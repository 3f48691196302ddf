/* SPDX-License-Identifier: BSD-3-Clause */
// Loops shared by the pooling kernels. They are ordinary loops, compiled once per Highway target, so that the compiler
// vectorises them with that target's registers.
#if defined(IMPL_CPU_POOL_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_POOL_WINDOWS_INL_H_
#undef IMPL_CPU_POOL_WINDOWS_INL_H_
#else
#define IMPL_CPU_POOL_WINDOWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "impl/cpu/pool/partition.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kLine = 1024;  // elements of a line that are processed at a time
// Outputs are computed in groups of this size, so that the loops have no remainders. Outputs behind the last one read
// elements behind the line.
constexpr int64_t kTogether = 16;
// The size of a line in which every `stride`th element begins a window. Strides above 2 have loops with remainders.
constexpr int64_t kPaddedLine = kLine + 2 * kTogether;
HWY_INLINE int64_t outputs_together(int64_t count, int64_t stride) {
  return stride <= 2 ? (count + kTogether - 1) / kTogether * kTogether : count;
}

HWY_INLINE int64_t offset_of(const PoolStrides& s, int64_t a, int64_t b, int64_t c) {
  return a * s.spatial[0] + b * s.spatial[1] + c * s.spatial[2];
}

// The elements of a window: their offsets from the beginning of the image, and their positions in the plane.
struct WindowElements {
  static constexpr int64_t kMost = 64;
  int64_t count = 0;
  int64_t offset[kMost];
  int32_t position[kMost];

  // Returns false if there are more than kMost elements.
  HWY_INLINE bool fill(const PoolArgs& a, const PoolSpan* s) {
    count = 0;
    for (int64_t i = s[0].begin; i < s[0].end; i += s[0].step) {
      for (int64_t j = s[1].begin; j < s[1].end; j += s[1].step) {
        for (int64_t k = s[2].begin; k < s[2].end; k += s[2].step) {
          if (count == kMost) return false;
          offset[count] = offset_of(a.xs, i, j, k);
          position[count++] = static_cast<int32_t>((i * a.dim[1].in + j) * a.dim[2].in + k);
        }
      }
    }
    return true;
  }
};

// Whether the channels of x and y are adjacent.
HWY_INLINE bool has_adjacent_channels(const PoolArgs& a) { return a.xs.channel == 1 && a.ys.channel == 1; }

// Calls f(i, value) for n elements that are `stride` apart.
template <typename T, typename F>
HWY_INLINE void for_line(const T* HWY_RESTRICT in, int64_t stride, int64_t n, const F& f) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) f(i, in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) f(i, in[i * stride]);
  }
}

// Outputs [first, last) of the last dimension, before `stop`. Their windows span at most kLine columns, or it is one
// output.
struct ColumnBlock {
  int64_t first, last, begin, end;
};
HWY_INLINE ColumnBlock next_columns(const PoolDim& dim, int64_t first, int64_t stop) {
  PoolSpan span = dim.span(first);
  ColumnBlock block{first, first + 1, span.begin, std::max(span.begin, span.end)};
  while (block.last < stop) {
    span = dim.span(block.last);
    if (std::max(block.end, span.end) - std::min(block.begin, span.begin) > kLine) break;
    block.begin = std::min(block.begin, span.begin);
    block.end = std::max(block.end, span.end);
    ++block.last;
  }
  return block;
}

// The number of adjacent outputs whose windows, with their elements outside the input, fit in one line; 0 if the
// windows have gaps or different sizes.
HWY_INLINE int64_t outputs_of_line(const PoolDim& dim) {
  if (dim.kernel == 0 || dim.dilation != 1 || dim.kernel > kLine) return 0;
  return (kLine - dim.kernel) / dim.stride + 1;
}

// The columns of the input that the windows of outputs [first, last) cover: `columns` columns from `column` on, of
// which [begin, end) are inside the input. The windows have no gaps.
struct CoveredColumns {
  int64_t column, columns, begin, end;
};
HWY_INLINE CoveredColumns covered_columns(const PoolDim& dim, int64_t first, int64_t last) {
  const int64_t column = first * dim.stride - dim.padding, columns = (last - 1 - first) * dim.stride + dim.kernel;
  return {column, columns, std::max<int64_t>(0, -column), std::min(columns, dim.in - column)};
}

// Outputs [first, last) of a dimension that have full windows without gaps.
struct FullWindows {
  int64_t first = 0, last = 0;
};
HWY_INLINE FullWindows full_windows(const PoolDim& dim) {
  FullWindows full;
  if (dim.kernel == 0 || dim.dilation != 1) return full;
  full.first = (dim.padding + dim.stride - 1) / dim.stride;
  const int64_t room = dim.in + dim.padding - dim.kernel;
  full.last = room < 0 ? 0 : std::min(dim.out, room / dim.stride + 1);
  if (full.last <= full.first) return {};
  return full;
}
// The part of `span` in columns [begin, end).
HWY_INLINE PoolSpan clip(const PoolSpan& span, int64_t begin, int64_t end) {
  int64_t first = span.begin;
  if (first < begin) first += (begin - first + span.step - 1) / span.step * span.step;
  return {first, std::min(span.end, end), span.step, span.size};
}

// The divisor of a window's sum; 0 for an empty window.
HWY_INLINE int64_t divisor_of(const PoolArgs& a, const PoolSpan& d, const PoolSpan& h, const PoolSpan& w) {
  if (d.begin >= d.end || h.begin >= h.end || w.begin >= w.end) return 0;
  return a.divisor != 0 ? a.divisor : d.size * h.size * w.size;
}

// Returns a + b. Sums of integers wrap around.
template <typename T>
HWY_INLINE T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

// Returns sum / divisor. The divisor must not be 0. The quotient of the smallest integer and -1 wraps around.
template <typename T>
HWY_INLINE T divided(T sum, T divisor) {
  if constexpr (std::is_integral_v<T>) {
    return divisor == -1 ? static_cast<T>(0 - static_cast<uint64_t>(sum)) : sum / divisor;
  } else {
    return sum / divisor;
  }
}

template <typename T>
HWY_INLINE T quotient(T sum, int64_t divisor) {
  return divisor == 0 ? T{} : divided(sum, static_cast<T>(divisor));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
