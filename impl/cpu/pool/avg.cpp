// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/long_sum.hpp"
#include "impl/cpu/pool/pool.hpp"
#include "impl/cpu/pool/small_planes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pool/avg.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "impl/cpu/pool/windows-inl.h"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The type of sums: float32 for bfloat16, otherwise the dtype itself.
template <typename S>
using Summed = std::conditional_t<std::is_same_v<S, diopi::bfloat16>, float, S>;

template <typename S, typename T>
HWY_INLINE void add_line(const S* in, int64_t stride, int64_t n, T* HWY_RESTRICT sum) {
  for_line(in, stride, n, [&](int64_t i, S v) { sum[i] = plus(sum[i], static_cast<T>(v)); });
}

// The most rows or columns that are added one after another in T. Sums of more use a wider sum.
constexpr int64_t kRun = 64;

// Adds `rows` rows of n <= kLine columns into `line`. Many rows are added in runs of kRun rows, so that the sum keeps
// its digits.
template <typename T>
class RowSums {
 public:
  HWY_INLINE RowSums(int64_t rows, int64_t n, T* line)
      : line_(line), n_(n), is_long_(!std::is_integral_v<T> && rows > kRun) {
    std::fill_n(line_, n_, T{});
    if (is_long_) std::fill_n(totals_, n_, LongSum<T>(T{}));
  }
  template <typename S>
  HWY_INLINE void add(const S* row, int64_t stride) {
    add_line(row, stride, n_, line_);
    if (is_long_ && ++in_run_ == kRun) join();
  }
  HWY_INLINE void finish() {
    if (!is_long_) return;
    join();
    for (int64_t i = 0; i < n_; ++i) line_[i] = totals_[i].value();
  }

 private:
  HWY_INLINE void join() {
    for (int64_t i = 0; i < n_; ++i) totals_[i].add(line_[i]);
    std::fill_n(line_, n_, T{});
    in_run_ = 0;
  }

  T* line_;
  int64_t n_, in_run_ = 0;
  bool is_long_;
  LongSum<T> totals_[kLine];
};

// The sum of n columns.
template <typename T>
HWY_INLINE T sum_of_columns(const T* line, int64_t n) {
  T sum{};
  if (!std::is_integral_v<T> && n > kRun) {
    LongSum<T> wide(T{});
    for (int64_t k = 0; k < n; ++k) wide.add(line[k]);
    return wide.value();
  }
  for (int64_t k = 0; k < n; ++k) sum = plus(sum, line[k]);
  return sum;
}

HWY_INLINE int64_t steps_of(const PoolSpan& span) { return std::max<int64_t>(0, span.end - span.begin); }

// Computes n adjacent channels of one output position.
template <typename S>
HWY_INLINE void avg_vectors(const S* x, const WindowElements& window, int64_t divisor, int64_t n, S* y) {
  const TagOf<S> d;
  const auto by = hn::Set(d, static_cast<ComputeOf<S>>(divisor));
  const auto mean = [&](const auto& load) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (int64_t e = 0; e < window.count; ++e) sum = hn::Add(sum, load(x + window.offset[e]));
    return divisor == 0 ? hn::Zero(d) : hn::Div(sum, by);
  };
  int64_t c = 0;
  for (; c + lanes_of<S>() <= n; c += lanes_of<S>()) {
    store_vector(mean([&](const S* p) HWY_ATTR { return load_vector(p + c); }), y + c);
  }
  if (c < n) store_some(mean([&](const S* p) HWY_ATTR { return load_some(p + c, n - c); }), y + c, n - c);
}

template <typename S>
void avg_channels(const PoolArgs& a, const S* x, int64_t y_at, const PoolSpan* s, int64_t first, int64_t n) {
  using T = Summed<S>;
  T sum[kLine];
  RowSums<T> rows(steps_of(s[0]) * steps_of(s[1]) * steps_of(s[2]), n, sum);
  for (int64_t i = s[0].begin; i < s[0].end; ++i) {
    for (int64_t j = s[1].begin; j < s[1].end; ++j) {
      for (int64_t k = s[2].begin; k < s[2].end; ++k) {
        rows.add(x + offset_of(a.xs, i, j, k) + first * a.xs.channel, a.xs.channel);
      }
    }
  }
  rows.finish();
  const int64_t divisor = divisor_of(a, s[0], s[1], s[2]);
  for (int64_t c = 0; c < n; ++c) {
    static_cast<S*>(a.y)[y_at + (first + c) * a.ys.channel] = static_cast<S>(quotient(sum[c], divisor));
  }
}

// Runs chunks: a chunk is one row of output positions of one image, for all channels.
template <typename S>
void avg_over_channels(const PoolArgs& a, int64_t begin, int64_t end) {
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    const int64_t j = chunk % a.dim[1].out, i = chunk / a.dim[1].out % a.dim[0].out;
    const int64_t n = chunk / a.dim[1].out / a.dim[0].out;
    const S* x = static_cast<const S*>(a.x) + n * a.xs.batch;
    PoolSpan s[3] = {a.dim[0].span(i), a.dim[1].span(j), {}};
    for (int64_t k = 0; k < a.dim[2].out; ++k) {
      s[2] = a.dim[2].span(k);
      const int64_t y_at = n * a.ys.batch + offset_of(a.ys, i, j, k);
      if constexpr (!std::is_integral_v<S>) {
        if (WindowElements window; has_adjacent_channels(a) && window.fill(a, s)) {
          avg_vectors(x, window, divisor_of(a, s[0], s[1], s[2]), a.channels, static_cast<S*>(a.y) + y_at);
          continue;
        }
      }
      for (int64_t c = 0; c < a.channels; c += kLine) avg_channels(a, x, y_at, s, c, std::min(kLine, a.channels - c));
    }
  }
}

// Adds the rows of one window, or of several adjacent windows: n columns from `begin` on.
template <typename S>
HWY_INLINE void sum_rows(const PoolArgs& a, const S* x, const PoolSpan* rows, int64_t begin, int64_t n,
                         Summed<S>* line) {
  RowSums<Summed<S>> sums(steps_of(rows[0]) * steps_of(rows[1]), n, line);
  for (int64_t i = rows[0].begin; i < rows[0].end; ++i) {
    for (int64_t j = rows[1].begin; j < rows[1].end; ++j) {
      sums.add(x + offset_of(a.xs, i, j, begin), a.xs.spatial[2]);
    }
  }
  sums.finish();
}

template <typename S>
void avg_columns(const PoolArgs& a, const S* x, const PoolSpan* rows, const ColumnBlock& block, int64_t y_at) {
  using T = Summed<S>;
  T line[kLine];
  T single{};
  LongSum<T> wide(T{});
  // Several tiles occur only if the block has a single output.
  const bool is_long = !std::is_integral_v<T> && block.end - block.begin > kLine;
  for (int64_t begin = block.begin; begin == block.begin || begin < block.end; begin += kLine) {
    const int64_t n = std::min(kLine, block.end - begin);
    sum_rows(a, x, rows, begin, n, line);
    for (int64_t o = block.first; o < block.last; ++o) {
      const PoolSpan span = a.dim[2].span(o), part = clip(span, begin, begin + n);
      T sum{};
      if (is_long) {
        for (int64_t k = part.begin; k < part.end; ++k) wide.add(line[k - begin]);
        sum = wide.value();
      } else {
        sum = sum_of_columns(line + (part.begin - begin), part.end - part.begin);
        if (begin > block.begin) sum = plus(sum, single);
        single = sum;
      }
      const T mean = quotient(sum, divisor_of(a, rows[0], rows[1], span));
      static_cast<S*>(a.y)[y_at + o * a.ys.spatial[2]] = static_cast<S>(mean);
    }
  }
}

// Sums windows of `kernel` columns of `line`, beginning with column 0 of each window.
template <int kStride, typename T>
HWY_INLINE void sum_windows(const T* HWY_RESTRICT line, int64_t kernel, int64_t stride, int64_t n,
                            T* HWY_RESTRICT sums) {
  const int64_t step = kStride > 0 ? kStride : stride;
  for (int64_t o = 0; o < n; ++o) sums[o] = line[o * step];
  for (int64_t k = 1; k < kernel; ++k) {
    for (int64_t o = 0; o < n; ++o) sums[o] = plus(sums[o], line[o * step + k]);
  }
}

// Divides the sums of outputs [first, last) of a row by the sizes of their windows. The outputs in `full` have one
// divisor.
template <typename T>
HWY_INLINE void divide_sums(const PoolArgs& a, const PoolSpan* rows, const FullWindows& full, int64_t first,
                            int64_t last, T* HWY_RESTRICT sums) {
  const PoolDim& dim = a.dim[2];
  const int64_t begin = std::clamp(full.first, first, last), end = std::clamp(full.last, begin, last);
  for (int64_t o = first; o < last; ++o) {
    if (o == begin) o = end;
    if (o < last) sums[o - first] = quotient(sums[o - first], divisor_of(a, rows[0], rows[1], dim.span(o)));
  }
  if (begin == end) return;
  const int64_t divisor = divisor_of(a, rows[0], rows[1], dim.span(begin));
  for (int64_t o = begin - first; divisor != 0 && o < end - first; ++o)
    sums[o] = divided(sums[o], static_cast<T>(divisor));
  if (divisor == 0) std::fill(sums + begin - first, sums + end - first, T{});
}

// avg_columns() for outputs [first, last) of a row, whose windows fit in a line. Elements outside the input are 0.
template <typename S>
void avg_row(const PoolArgs& a, const S* x, const PoolSpan* rows, const FullWindows& full, int64_t first, int64_t last,
             int64_t y_at) {
  using T = Summed<S>;
  const PoolDim& dim = a.dim[2];
  T line[kLine], sums[kLine];
  const int64_t n = last - first;
  const CoveredColumns covered = covered_columns(dim, first, last);
  std::fill_n(line, covered.columns, T{});
  sum_rows(a, x, rows, covered.column + covered.begin, covered.end - covered.begin, line + covered.begin);
  if (dim.stride == 1) {
    sum_windows<1>(line, dim.kernel, 1, n, sums);
  } else if (dim.stride == 2) {
    sum_windows<2>(line, dim.kernel, 2, n, sums);
  } else {
    sum_windows<0>(line, dim.kernel, dim.stride, n, sums);
  }
  divide_sums(a, rows, full, first, last, sums);
  S* y = static_cast<S*>(a.y) + y_at + first * a.ys.spatial[2];
  if (a.ys.spatial[2] == 1) {
    for (int64_t o = 0; o < n; ++o) y[o] = static_cast<S>(sums[o]);
  } else {
    for (int64_t o = 0; o < n; ++o) y[o * a.ys.spatial[2]] = static_cast<S>(sums[o]);
  }
}

// Runs chunks: a chunk is one row of outputs of one channel.
template <typename S>
void avg_over_columns(const PoolArgs& a, int64_t begin, int64_t end) {
  const int64_t in_line = a.dim[2].kernel > kRun ? 0 : outputs_of_line(a.dim[2]);
  const FullWindows full = full_windows(a.dim[2]);
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    int64_t rest = chunk;
    const int64_t j = rest % a.dim[1].out;
    rest /= a.dim[1].out;
    const int64_t i = rest % a.dim[0].out;
    rest /= a.dim[0].out;
    const int64_t c = rest % a.channels, n = rest / a.channels;
    const S* x = static_cast<const S*>(a.x) + n * a.xs.batch + c * a.xs.channel;
    const PoolSpan rows[2] = {a.dim[0].span(i), a.dim[1].span(j)};
    const int64_t y_at = n * a.ys.batch + c * a.ys.channel + offset_of(a.ys, i, j, 0);
    for (int64_t o = 0; in_line > 0 && o < a.dim[2].out; o += in_line) {
      avg_row(a, x, rows, full, o, std::min(o + in_line, a.dim[2].out), y_at);
    }
    if (in_line > 0) continue;
    for (int64_t o = 0; o < a.dim[2].out;) {
      const ColumnBlock block = next_columns(a.dim[2], o, a.dim[2].out);
      avg_columns(a, x, rows, block, y_at);
      o = block.last;
    }
  }
}

PoolChunksFn GetAvgForward(diopiDtype_t dtype, bool over_channels) {
  return diopi::kernel_for<diopi::TypeList<float, double, int64_t, diopi::bfloat16>>(dtype, [over_channels](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return over_channels ? avg_over_channels<T> : avg_over_columns<T>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetAvgForward);

}  // namespace

bool avg_pool_forward(diopiDtype_t dtype, const PoolArgs& given) {
  const PoolArgs args = with_even_windows(given);
  if (const int64_t size = diopi::dtype_size(dtype); args.outputs() > 1 && has_small_planes(args, size)) {
    return pool_small_planes(HWY_DYNAMIC_DISPATCH(GetAvgForward)(dtype, true), args, size, false);
  }
  return run_forward(HWY_DYNAMIC_DISPATCH(GetAvgForward)(dtype, args.over_channels), args);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
