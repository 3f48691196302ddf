// SPDX-License-Identifier: BSD-3-Clause
// Interpolation of images whose channels are adjacent: each position is a weighted sum of vectors of channels.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/sampling/resample.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/resample_channels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "impl/cpu/sampling/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The positions of the input that a position of the output reads: up to kRun at a time.
template <typename S>
struct Sources {
  const S* at[kRun];
  ComputeOf<S> weight[kRun];
  int64_t count = 0;
};

// The weighted sum of lanes [c, c + lanes) of the sources.
template <typename S, class Load>
HWY_INLINE VecOf<S> sum_sources(const Sources<S>& sources, int64_t c, Load load) {
  const TagOf<S> d;
  auto sum = hn::Mul(hn::Set(d, sources.weight[0]), load(sources.at[0] + c));
  for (int64_t k = 1; k < sources.count; ++k) {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, sources.weight[k]), load(sources.at[k] + c)));
  }
  return sum;
}

// Writes whole vectors of the sum of four sources, past the caches if `kStreams`. Returns the number of channels that
// are written.
template <bool kStreams, typename S>
HWY_INLINE int64_t write_four(const Sources<S>& sources, int64_t channels, S* out) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>();
  const auto w0 = hn::Set(d, sources.weight[0]), w1 = hn::Set(d, sources.weight[1]);
  const auto w2 = hn::Set(d, sources.weight[2]), w3 = hn::Set(d, sources.weight[3]);
  const S *p0 = sources.at[0], *p1 = sources.at[1], *p2 = sources.at[2], *p3 = sources.at[3];
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    auto sum = hn::Mul(w0, load_vector(p0 + c));
    sum = hn::Add(sum, hn::Mul(w1, load_vector(p1 + c)));
    sum = hn::Add(sum, hn::Mul(w2, load_vector(p2 + c)));
    sum = hn::Add(sum, hn::Mul(w3, load_vector(p3 + c)));
    if constexpr (kStreams) {
      hn::Stream(sum, d, out + c);
    } else {
      store_vector<S>(sum, out + c);
    }
  }
  return c;
}

// `streams`: the result is large, and vectors of `out` are aligned.
template <typename S>
HWY_INLINE void write_sum(const Sources<S>& sources, int64_t channels, S* out, bool streams) {
  constexpr bool kCanStream = std::is_same_v<S, ComputeOf<S>>;
  if (sources.count == 0) {
    std::fill_n(out, channels, S{});
    return;
  }
  const int64_t lanes = lanes_of<S>();
  int64_t c = 0;
  if (sources.count == 4) {
    c = streams && kCanStream ? write_four<kCanStream>(sources, channels, out)
                              : write_four<false>(sources, channels, out);
  }
  for (; c + lanes <= channels; c += lanes) {
    store_vector<S>(sum_sources(sources, c, [](const S* p) { return load_vector(p); }), out + c);
  }
  if (c < channels) {
    const int64_t rest = channels - c;
    store_some<S>(sum_sources(sources, c, [rest](const S* p) { return load_some(p, rest); }), out + c, rest);
  }
}

// Adds the sum to totals in float64.
template <typename S>
HWY_NOINLINE void add_sum(const Sources<S>& sources, int64_t channels, double* totals) {
  using T = ComputeOf<S>;
  for (int64_t c = 0; c < channels; ++c) {
    T sum{};
    for (int64_t k = 0; k < sources.count; ++k) sum = sum + sources.weight[k] * static_cast<T>(sources.at[k][c]);
    totals[c] += static_cast<double>(sum);
  }
}

template <typename S>
class ChannelRows {
  using T = ComputeOf<S>;

 public:
  ChannelRows(const ResampleArgs& args, void* scratch)
      : a_(args),
        d_(*static_cast<const Taps<T>*>(args.taps[0])),
        h_(*static_cast<const Taps<T>*>(args.taps[1])),
        w_(*static_cast<const Taps<T>*>(args.taps[2])),
        totals_(static_cast<double*>(scratch)) {
    const int64_t count = a_.images * a_.channels * d_.out * h_.out * w_.out;
    const int64_t line = lanes_of<S>() * static_cast<int64_t>(sizeof(S));
    streams_ = count * static_cast<int64_t>(sizeof(S)) >= stream_bytes() && a_.channels % lanes_of<S>() == 0 &&
               reinterpret_cast<intptr_t>(a_.out) % line == 0;
    for (const int i : {0, 2, 3, 4}) streams_ = streams_ && a_.out_stride[i] % lanes_of<S>() == 0;
  }
  ~ChannelRows() {
    if (streams_) hwy::FlushStream();
  }
  ChannelRows(const ChannelRows&) = delete;
  ChannelRows& operator=(const ChannelRows&) = delete;

  void compute_row(int64_t row) {
    const int64_t y = row % h_.out, z = row / h_.out % d_.out, n = row / h_.out / d_.out;
    const S* in = static_cast<const S*>(a_.in) + n * a_.in_stride[0];
    S* out = static_cast<S*>(a_.out) + n * a_.out_stride[0] + z * a_.out_stride[2] + y * a_.out_stride[3];
    if (d_.count * h_.count * w_.count > kRun) {
      for (int64_t x = 0; x < w_.out; ++x) compute_long(in, z, y, x, out + x * a_.out_stride[4]);
      return;
    }
    Sources<S> rows, sources;
    for_rows(in, z, y, [&](const S* from, T weight) {
      rows.at[rows.count] = from;
      rows.weight[rows.count++] = weight;
    });
    const bool two_by_two = rows.count == 2 && w_.count == 2 && !w_.has_gaps;
    for (int64_t x = 0; x < w_.out; ++x) {
      if (two_by_two) {
        take_four(rows, x, &sources);
      } else {
        sources.count = 0;
        for (int64_t r = 0; r < rows.count; ++r) for_columns(rows.at[r], rows.weight[r], x, &sources, [] {});
      }
      write_sum(sources, a_.channels, out + x * a_.out_stride[4], streams_);
    }
  }

 private:
  // Calls f(row, weight) for each row of the input that positions of row (z, y) of the output read.
  template <class F>
  HWY_INLINE void for_rows(const S* in, int64_t z, int64_t y, F f) {
    for (int64_t i = 0; i < d_.count; ++i) {
      const int64_t from_z = d_.index[i * d_.out + z];
      if (from_z == d_.in) continue;
      for (int64_t j = 0; j < h_.count; ++j) {
        const int64_t from_y = h_.index[j * h_.out + y];
        if (from_y == h_.in) continue;
        f(in + from_z * a_.in_stride[2] + from_y * a_.in_stride[3],
          d_.weight[i * d_.out + z] * h_.weight[j * h_.out + y]);
      }
    }
  }

  // Calls f() after each source that position x of the output reads in a row.
  template <class F>
  HWY_INLINE void for_columns(const S* row, T weight, int64_t x, Sources<S>* sources, F f) {
    for (int64_t k = 0; k < w_.count; ++k) {
      const int64_t from_x = w_.index[k * w_.out + x];
      if (from_x == w_.in) continue;
      sources->at[sources->count] = row + from_x * a_.in_stride[4];
      sources->weight[sources->count++] = weight * w_.weight[k * w_.out + x];
      f();
    }
  }
  // for_columns() of two rows, where position x reads two elements of each: without loops, sources stay in registers.
  HWY_INLINE void take_four(const Sources<S>& rows, int64_t x, Sources<S>* sources) {
    const int64_t first = w_.index[x] * a_.in_stride[4], second = w_.index[w_.out + x] * a_.in_stride[4];
    const T first_weight = w_.weight[x], second_weight = w_.weight[w_.out + x];
    sources->count = 4;
    sources->at[0] = rows.at[0] + first;
    sources->at[1] = rows.at[0] + second;
    sources->at[2] = rows.at[1] + first;
    sources->at[3] = rows.at[1] + second;
    sources->weight[0] = rows.weight[0] * first_weight;
    sources->weight[1] = rows.weight[0] * second_weight;
    sources->weight[2] = rows.weight[1] * first_weight;
    sources->weight[3] = rows.weight[1] * second_weight;
  }
  // A position with more than kRun sources.
  void compute_long(const S* in, int64_t z, int64_t y, int64_t x, S* out) {
    Sources<S> sources{};
    std::fill_n(totals_, a_.channels, 0.0);
    for_rows(in, z, y, [&](const S* row, T weight) {
      for_columns(row, weight, x, &sources, [&] {
        if (sources.count < kRun) return;
        add_sum(sources, a_.channels, totals_);
        sources.count = 0;
      });
    });
    add_sum(sources, a_.channels, totals_);
    for (int64_t c = 0; c < a_.channels; ++c) out[c] = static_cast<S>(static_cast<T>(totals_[c]));
  }

  const ResampleArgs& a_;
  const Taps<T>&d_, &h_, &w_;
  double* const totals_;
  bool streams_;
};

template <typename S>
void compute_channel_rows(const ResampleArgs& args, int64_t begin, int64_t end, void* scratch) {
  ChannelRows<S> rows(args, scratch);
  for (int64_t row = begin; row < end; ++row) rows.compute_row(row);
}

ResampleFn GetResampleChannels(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return compute_channel_rows<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetResampleChannels);

namespace {

template <typename T>
ResampleWork plan(const ResampleArgs& a) {
  const auto taps = [&](int i) -> const Taps<T>& { return *static_cast<const Taps<T>*>(a.taps[i]); };
  ResampleWork work;
  work.rows = a.images * taps(0).out * taps(1).out;
  work.scratch = a.channels * static_cast<int64_t>(sizeof(double));
  work.picoseconds = 200 * taps(2).out * taps(0).count * taps(1).count * taps(2).count * (a.channels + 8);
  return work;
}

}  // namespace

ResampleWork plan_resample_channels(diopiDtype_t dtype, const ResampleArgs& args) {
  return dtype == diopi_dtype_float64 ? plan<double>(args) : plan<float>(args);
}

ResampleFn resample_channels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetResampleChannels)(dtype); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
