// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pool/pool.hpp"
#include "impl/cpu/pool/small_planes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pool/max.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "impl/cpu/pool/max-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Computes channels [first, first + n) of one output position.
template <typename S>
void max_channels(const PoolArgs& a, const S* x, int64_t y_at, int64_t i_at, const PoolSpan* s, int64_t first,
                  int64_t n) {
  using T = Compared<S>;
  T best[kLine];
  int32_t where[kLine];
  const int64_t h = a.dim[1].in, w = a.dim[2].in;
  std::fill_n(best, n, lowest<T>());
  std::fill_n(where, n, static_cast<int32_t>((s[0].begin * h + s[1].begin) * w + s[2].begin));
  for (int64_t i = s[0].begin; i < s[0].end; i += s[0].step) {
    for (int64_t j = s[1].begin; j < s[1].end; j += s[1].step) {
      for (int64_t k = s[2].begin; k < s[2].end; k += s[2].step) {
        fold_line(x + offset_of(a.xs, i, j, k) + first * a.xs.channel, a.xs.channel, n,
                  static_cast<int32_t>((i * h + j) * w + k), best, where);
      }
    }
  }
  S* y = static_cast<S*>(a.y) + y_at + first * a.ys.channel;
  if (a.ys.channel == 1) {
    for (int64_t c = 0; c < n; ++c) y[c] = static_cast<S>(best[c]);
  } else {
    for (int64_t c = 0; c < n; ++c) y[c * a.ys.channel] = static_cast<S>(best[c]);
  }
  store_indices(a, i_at + first * a.is.channel, a.is.channel, where, n);
}

// Computes up to kLine adjacent channels of one output position, and their positions if kPlaces is true. The position
// of an empty window is `none`.
template <bool kPlaces, typename S>
HWY_INLINE void max_vectors(const S* x, const WindowElements& window, int32_t none, int64_t n, S* y,
                            hwy::MakeSigned<Compared<S>>* where) {
  using T = Compared<S>;
  const TagOf<S> d;
  const hn::RebindToSigned<decltype(d)> di;
  using P = hn::TFromD<decltype(di)>;
  const auto largest = [&](int64_t c, const auto& load) HWY_ATTR {
    auto best = hn::Set(d, lowest<T>());
    auto place = hn::Set(di, static_cast<P>(none));
    for (int64_t e = 0; e < window.count; ++e) {
      const auto v = load(x + window.offset[e] + c);
      const auto wins = hn::Or(hn::Gt(v, best), hn::IsNaN(v));
      best = hn::IfThenElse(wins, v, best);
      const auto here = hn::Set(di, static_cast<P>(window.position[e]));
      if constexpr (kPlaces) place = hn::IfThenElse(hn::RebindMask(di, wins), here, place);
    }
    if constexpr (kPlaces) hn::StoreU(place, di, where + c);
    return best;
  };
  int64_t c = 0;
  for (; c + lanes_of<S>() <= n; c += lanes_of<S>()) {
    store_vector(largest(c, [](const S* p) HWY_ATTR { return load_vector(p); }), y + c);
  }
  if (c < n) store_some(largest(c, [&](const S* p) HWY_ATTR { return load_some(p, n - c); }), y + c, n - c);
}

// max_channels() for windows of a few elements of adjacent channels. Returns false for others.
template <typename S>
HWY_INLINE bool max_adjacent_channels(const PoolArgs& a, const S* x, int64_t y_at, int64_t i_at, const PoolSpan* s) {
  using P = hwy::MakeSigned<Compared<S>>;
  P where[kLine + HWY_MAX_BYTES / sizeof(P)];
  WindowElements window;
  if (!has_adjacent_channels(a) || !window.fill(a, s)) return false;
  const auto none = static_cast<int32_t>((s[0].begin * a.dim[1].in + s[1].begin) * a.dim[2].in + s[2].begin);
  S* const y = static_cast<S*>(a.y) + y_at;
  for (int64_t c = 0; c < a.channels; c += kLine) {
    const int64_t n = std::min(kLine, a.channels - c);
    if (a.index == nullptr) {
      max_vectors<false>(x + c, window, none, n, y + c, where);
    } else {
      max_vectors<true>(x + c, window, none, n, y + c, where);
      store_indices(a, i_at + c * a.is.channel, a.is.channel, where, n);
    }
  }
  return true;
}

// Runs chunks: a chunk is one row of output positions of one image, for all channels.
template <typename S>
void max_over_channels(const PoolArgs& a, int64_t begin, int64_t end) {
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    const int64_t j = chunk % a.dim[1].out, i = chunk / a.dim[1].out % a.dim[0].out;
    const int64_t n = chunk / a.dim[1].out / a.dim[0].out;
    const S* x = static_cast<const S*>(a.x) + n * a.xs.batch;
    PoolSpan s[3] = {a.dim[0].span(i), a.dim[1].span(j), {}};
    for (int64_t k = 0; k < a.dim[2].out; ++k) {
      s[2] = a.dim[2].span(k);
      const int64_t y_at = n * a.ys.batch + offset_of(a.ys, i, j, k), i_at = n * a.is.batch + offset_of(a.is, i, j, k);
      if constexpr (std::is_floating_point_v<Compared<S>>) {
        if (max_adjacent_channels(a, x, y_at, i_at, s)) continue;
      }
      for (int64_t c = 0; c < a.channels; c += kLine) {
        max_channels(a, x, y_at, i_at, s, c, std::min(kLine, a.channels - c));
      }
    }
  }
}

// Whether every window is one element inside the input. Then select_columns() gives the result of max_columns().
HWY_INLINE bool is_selection(const PoolArgs& a) {
  for (const PoolDim& d : a.dim) {
    if (d.kernel != 1 || d.padding != 0 || (d.out - 1) * d.stride >= d.in) return false;
  }
  return true;
}

template <typename S>
void select_columns(const PoolArgs& a, const S* x, int64_t row, int64_t y_at, int64_t i_at) {
  const int64_t stride = a.dim[2].stride, n = a.dim[2].out, x_step = stride * a.xs.spatial[2];
  S* y = static_cast<S*>(a.y) + y_at;
  for (int64_t o = 0; o < n; ++o) y[o * a.ys.spatial[2]] = x[o * x_step];
  const int64_t first = row * a.dim[2].in;
  if (a.index != nullptr && !a.narrow_index && a.is.spatial[2] == 1) {
    int64_t* index = static_cast<int64_t*>(a.index) + i_at;
    for (int64_t o = 0; o < n; ++o) index[o] = first + o * stride;
  } else {
    for (int64_t o = 0; o < n; ++o) store_index(a, i_at + o * a.is.spatial[2], first + o * stride);
  }
}

// Whether the only window of a plane is the plane, without gaps in memory.
HWY_INLINE bool is_whole_plane(const PoolArgs& a) {
  int64_t step = 1;
  for (int i = 2; i >= 0; --i) {
    const PoolDim& d = a.dim[i];
    if (d.out != 1) return false;
    const PoolSpan span = d.span(0);
    if (span.begin != 0 || span.end != d.in || (span.step != 1 && d.in > 1)) return false;
    if (d.in > 1 && a.xs.spatial[i] != step) return false;
    step *= d.in;
  }
  return step <= std::numeric_limits<int32_t>::max();
}

// The place of the first largest element of n, or of the last NaN. First all elements are compared with the largest
// one of their lane, then the place is searched.
template <typename T>
HWY_INLINE int64_t place_of_max(const T* HWY_RESTRICT x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  T largest = lowest<T>();
  bool has_nan = false;
  int64_t i = 0;
  if (n >= lanes) {
    auto most = hn::Set(d, largest);
    auto nan = hn::IsNaN(most);
    const auto add = [&](int64_t at) HWY_ATTR {
      const auto v = hn::LoadU(d, x + at);
      nan = hn::Or(nan, hn::IsNaN(v));
      most = hn::Max(most, v);
    };
    for (; i + lanes <= n; i += lanes) add(i);
    add(n - lanes);
    i = n;
    has_nan = !hn::AllFalse(d, nan);
    largest = hn::GetLane(hn::MaxOfLanes(d, most));
  }
  for (; i < n; ++i) {
    has_nan = has_nan || is_nan(x[i]);
    largest = x[i] > largest ? x[i] : largest;
  }
  if (has_nan) {
    for (i = n - 1; !is_nan(x[i]);) --i;
    return i;
  }
  const auto wanted = hn::Set(d, largest);
  for (i = 0; i + lanes <= n; i += lanes) {
    const intptr_t found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, x + i), wanted));
    if (found >= 0) return i + found;
  }
  while (x[i] != largest) ++i;
  return i;
}

// max_over_columns() for windows that are whole planes.
template <typename S>
void max_of_planes(const PoolArgs& a, int64_t begin, int64_t end) {
  for (int64_t plane = begin; plane < end; ++plane) {
    const int64_t c = plane % a.channels, n = plane / a.channels;
    const S* x = static_cast<const S*>(a.x) + n * a.xs.batch + c * a.xs.channel;
    const int64_t place = place_of_max(x, a.plane());
    static_cast<S*>(a.y)[n * a.ys.batch + c * a.ys.channel] = x[place];
    store_index(a, n * a.is.batch + c * a.is.channel, place);
  }
}

// Runs chunks: a chunk is one row of outputs of one channel.
template <typename S>
void max_over_columns(const PoolArgs& a, int64_t begin, int64_t end) {
  if constexpr (std::is_floating_point_v<S>) {
    if (is_whole_plane(a)) return max_of_planes<S>(a, begin, end);
  }
  const bool selection = is_selection(a);
  // Integers are rarely pooled, and the code for rows is large, so only floating point has it. It keeps positions in 32
  // bits.
  constexpr bool kHasRows = std::is_floating_point_v<Compared<S>>;
  const int64_t in_line = kHasRows && a.plane() <= std::numeric_limits<int32_t>::max() ? outputs_of_line(a.dim[2]) : 0;
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
    const int64_t i_at = n * a.is.batch + c * a.is.channel + offset_of(a.is, i, j, 0);
    if (selection) {
      select_columns(a, x + offset_of(a.xs, rows[0].begin, rows[1].begin, 0),
                     rows[0].begin * a.dim[1].in + rows[1].begin, y_at, i_at);
      continue;
    }
    if constexpr (kHasRows) {
      for (int64_t o = 0; in_line > 0 && o < a.dim[2].out; o += in_line) {
        max_row(a, x, rows, o, std::min(o + in_line, a.dim[2].out), y_at, i_at);
      }
      if (in_line > 0) continue;
    }
    for (int64_t o = 0; o < a.dim[2].out;) {
      const ColumnBlock block = next_columns(a.dim[2], o, a.dim[2].out);
      max_columns(a, x, rows, block, y_at, i_at);
      o = block.last;
    }
  }
}

template <typename T>
PoolChunksFn max_forward_of(bool over_channels) {
  return over_channels ? max_over_channels<T> : max_over_columns<T>;
}

PoolChunksFn GetMaxForward(diopiDtype_t dtype, bool over_channels) {
  using Types = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double,
                                diopi::bfloat16>;
  return diopi::kernel_for<Types>(
      dtype, [over_channels](auto tag) { return max_forward_of<diopi::tagged<decltype(tag)>>(over_channels); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetMaxForward);

}  // namespace

bool max_pool_forward(diopiDtype_t dtype, const PoolArgs& given) {
  const PoolArgs args = with_even_windows(given);
  const bool whole = args.outputs() == 1 && dtype != diopi_dtype_bfloat16;  // whole planes have loops of their own
  if (const int64_t size = diopi::dtype_size(dtype); !whole && has_small_planes(args, size)) {
    return pool_small_planes(HWY_DYNAMIC_DISPATCH(GetMaxForward)(dtype, true), args, size, false);
  }
  return run_forward(HWY_DYNAMIC_DISPATCH(GetMaxForward)(dtype, args.over_channels), args);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
