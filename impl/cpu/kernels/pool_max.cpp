#include "pool.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/pool_max.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "pool_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <typename T>
HWY_INLINE bool is_nan(T v) {
  return v != v;
}

HWY_INLINE void store_index(const PoolArgs& a, int64_t at, int64_t value) {
  if (a.index == nullptr) return;
  if (a.narrow_index) {
    static_cast<int32_t*>(a.index)[at] = static_cast<int32_t>(value);
  } else {
    static_cast<int64_t*>(a.index)[at] = value;
  }
}

// Of n outputs whose indices lie `step` apart.
HWY_INLINE void store_indices(const PoolArgs& a, int64_t at, int64_t step, const int32_t* HWY_RESTRICT values,
                              int64_t n) {
  if (a.index != nullptr && !a.narrow_index && step == 1) {
    int64_t* HWY_RESTRICT index = static_cast<int64_t*>(a.index) + at;
    for (int64_t i = 0; i < n; ++i) index[i] = values[i];
  } else {
    for (int64_t i = 0; i < n; ++i) store_index(a, at + i * step, values[i]);
  }
}

// bfloat16 is compared as float32; other dtypes as they are.
template <typename S>
using Compared = std::conditional_t<std::is_same_v<S, diopi::bfloat16>, float, S>;

// A later element wins where it is larger or NaN.
template <typename T>
HWY_INLINE void fold(T v, int32_t position, T* HWY_RESTRICT best, int32_t* HWY_RESTRICT where) {
  const bool wins = (v > *best) | is_nan(v);
  *best = wins ? v : *best;
  *where = wins ? position : *where;
}

template <typename S, typename T>
HWY_INLINE void fold_line(const S* HWY_RESTRICT in, int64_t stride, int64_t n, int32_t position, T* HWY_RESTRICT best,
                          int32_t* HWY_RESTRICT where) {
  if (stride != 1 || n < kTogether) {
    for_line(in, stride, n, [&](int64_t i, S v) HWY_ATTR { fold(static_cast<T>(v), position, best + i, where + i); });
    return;
  }
  for (int64_t i = 0; i < n; i += kTogether) {
    const int64_t first = std::min(i, n - kTogether);  // to fold an element twice does no harm
    for (int64_t k = first; k < first + kTogether; ++k) fold(static_cast<T>(in[k]), position, best + k, where + k);
  }
}

// Channels [first, first + n) of one output position.
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

// Unit: one row of output positions of one image, all channels.
template <typename S>
void max_over_channels(const PoolArgs& a, int64_t begin, int64_t end) {
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t j = unit % a.dim[1].out, i = unit / a.dim[1].out % a.dim[0].out;
    const int64_t n = unit / a.dim[1].out / a.dim[0].out;
    const S* x = static_cast<const S*>(a.x) + n * a.xs.batch;
    PoolSpan s[3] = {a.dim[0].span(i), a.dim[1].span(j), {}};
    for (int64_t k = 0; k < a.dim[2].out; ++k) {
      s[2] = a.dim[2].span(k);
      const int64_t y_at = n * a.ys.batch + offset_of(a.ys, i, j, k), i_at = n * a.is.batch + offset_of(a.is, i, j, k);
      for (int64_t c = 0; c < a.channels; c += kLine) {
        max_channels(a, x, y_at, i_at, s, c, std::min(kLine, a.channels - c));
      }
    }
  }
}

template <typename T>
struct Best {
  T value;
  int64_t position;
};

// The elements come column by column, but the winner is that of the row-major order: the first of equal ones, the
// last NaN.
template <typename T>
HWY_INLINE void fold_column(T v, int64_t position, Best<T>* best) {
  const bool nan = is_nan(v);
  const bool wins = v > best->value || (v == best->value && position < best->position) ||
                    (nan && (!is_nan(best->value) || position > best->position));
  if (wins) *best = {v, position};
}

// Outputs of one column block; `x` is the plane, `rows` are its depth and height spans.
template <typename S>
void max_columns(const PoolArgs& a, const S* x, const PoolSpan* rows, const ColumnBlock& block, int64_t y_at,
                 int64_t i_at) {
  const int64_t h = a.dim[1].in, w = a.dim[2].in, step = a.xs.spatial[2];
  const int64_t first_row = rows[0].begin * h + rows[1].begin;
  using T = Compared<S>;
  T line[kLine];
  int32_t where[kLine];
  Best<T> single{};
  for (int64_t begin = block.begin; begin == block.begin || begin < block.end; begin += kLine) {
    const int64_t n = std::min(kLine, block.end - begin);
    std::fill_n(line, n, lowest<T>());
    std::fill_n(where, n, static_cast<int32_t>(first_row));
    for (int64_t i = rows[0].begin; i < rows[0].end; i += rows[0].step) {
      for (int64_t j = rows[1].begin; j < rows[1].end; j += rows[1].step) {
        fold_line(x + offset_of(a.xs, i, j, begin), step, n, static_cast<int32_t>(i * h + j), line, where);
      }
    }
    for (int64_t o = block.first; o < block.last; ++o) {
      const PoolSpan span = a.dim[2].span(o), part = clip(span, begin, begin + n);
      Best<T> best{lowest<T>(), first_row * w + span.begin};
      if (begin > block.begin) best = single;  // only an output that is alone in its block has several pieces
      for (int64_t k = part.begin; k < part.end; k += part.step) {
        fold_column(line[k - begin], int64_t{where[k - begin]} * w + k, &best);
      }
      single = best;
      static_cast<S*>(a.y)[y_at + o * a.ys.spatial[2]] = static_cast<S>(best.value);
      store_index(a, i_at + o * a.is.spatial[2], best.position);
    }
  }
}

// Windows that all lie within the input: `kernel` columns of `line`, column 0 first, with their positions in the plane.
// All outputs take a step together, so that none of them is a branch.
template <int kStride, typename T>
HWY_INLINE void fold_windows(const T* HWY_RESTRICT line, const int32_t* HWY_RESTRICT position, int64_t kernel,
                             int64_t stride, int64_t n, T* HWY_RESTRICT best, int32_t* HWY_RESTRICT where) {
  const int64_t step = kStride > 0 ? kStride : stride;
  if (kStride > 0) n = n / kTogether * kTogether;  // which it is: for the compiler
  for (int64_t o = 0; o < n; ++o) {
    best[o] = line[o * step];
    where[o] = position[o * step];
  }
  for (int64_t k = 1; k < kernel; ++k) {
    for (int64_t o = 0; o < n; ++o) {
      const T v = line[o * step + k];
      const int32_t p = position[o * step + k];
      const bool wins =
          (v > best[o]) | ((v == best[o]) & (p < where[o])) | (is_nan(v) & (!is_nan(best[o]) | (p > where[o])));
      best[o] = wins ? v : best[o];
      where[o] = wins ? p : where[o];
    }
  }
}

// The same as max_columns for outputs [first, last) that all have full windows, in one line.
template <typename S>
void max_full_columns(const PoolArgs& a, const S* x, const PoolSpan* rows, int64_t first, int64_t last, int64_t y_at,
                      int64_t i_at) {
  using T = Compared<S>;
  const PoolDim& dim = a.dim[2];
  const int64_t h = a.dim[1].in, w = dim.in, begin = first * dim.stride - dim.padding, count = last - first;
  const int64_t n = (count - 1) * dim.stride + dim.kernel, outputs = outputs_together(count, dim.stride);
  const int64_t padded = (outputs - 1) * dim.stride + dim.kernel;
  T line[kPaddedLine], best[kPaddedLine];
  int32_t position[kPaddedLine], where[kPaddedLine];
  std::fill_n(line, padded, lowest<T>());
  std::fill_n(position, padded, static_cast<int32_t>(rows[0].begin * h + rows[1].begin));
  for (int64_t i = rows[0].begin; i < rows[0].end; i += rows[0].step) {
    for (int64_t j = rows[1].begin; j < rows[1].end; j += rows[1].step) {
      fold_line(x + offset_of(a.xs, i, j, begin), a.xs.spatial[2], n, static_cast<int32_t>(i * h + j), line, position);
    }
  }
  for (int64_t k = 0; k < n; ++k) position[k] = position[k] * static_cast<int32_t>(w) + static_cast<int32_t>(begin + k);
  if (dim.stride == 1) {
    fold_windows<1>(line, position, dim.kernel, 1, outputs, best, where);
  } else if (dim.stride == 2) {
    fold_windows<2>(line, position, dim.kernel, 2, outputs, best, where);
  } else {
    fold_windows<0>(line, position, dim.kernel, dim.stride, count, best, where);
  }
  S* y = static_cast<S*>(a.y) + y_at + first * a.ys.spatial[2];
  if (a.ys.spatial[2] == 1) {
    for (int64_t o = 0; o < count; ++o) y[o] = static_cast<S>(best[o]);
  } else {
    for (int64_t o = 0; o < count; ++o) y[o * a.ys.spatial[2]] = static_cast<S>(best[o]);
  }
  store_indices(a, i_at + first * a.is.spatial[2], a.is.spatial[2], where, count);
}

// Windows of one element each, none of them outside: the same as max_columns.
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

// Unit: one row of outputs of one channel.
template <typename S>
void max_over_columns(const PoolArgs& a, int64_t begin, int64_t end) {
  const bool selection = is_selection(a);
  const bool narrow = a.plane() <= std::numeric_limits<int32_t>::max();  // positions fit beside float32
  const FullWindows full = narrow ? full_windows(a.dim[2]) : FullWindows{};
  for (int64_t unit = begin; unit < end; ++unit) {
    int64_t rest = unit;
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
    for_columns(
        a.dim[2], full,
        [&](int64_t first, int64_t last) HWY_ATTR { max_full_columns(a, x, rows, first, last, y_at, i_at); },
        [&](const ColumnBlock& block) HWY_ATTR { max_columns(a, x, rows, block, y_at, i_at); });
  }
}

template <typename T>
PoolUnitsFn max_forward_of(bool over_channels) {
  return over_channels ? max_over_channels<T> : max_over_columns<T>;
}

PoolUnitsFn find_max_forward(diopiDtype_t dtype, bool over_channels) {
  switch (dtype) {
    case diopi_dtype_int8:
      return max_forward_of<int8_t>(over_channels);
    case diopi_dtype_uint8:
      return max_forward_of<uint8_t>(over_channels);
    case diopi_dtype_int16:
      return max_forward_of<int16_t>(over_channels);
    case diopi_dtype_uint16:
      return max_forward_of<uint16_t>(over_channels);
    case diopi_dtype_int32:
      return max_forward_of<int32_t>(over_channels);
    case diopi_dtype_uint32:
      return max_forward_of<uint32_t>(over_channels);
    case diopi_dtype_int64:
      return max_forward_of<int64_t>(over_channels);
    case diopi_dtype_uint64:
      return max_forward_of<uint64_t>(over_channels);
    case diopi_dtype_float32:
      return max_forward_of<float>(over_channels);
    case diopi_dtype_float64:
      return max_forward_of<double>(over_channels);
    case diopi_dtype_bfloat16:
      return max_forward_of<diopi::bfloat16>(over_channels);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(find_max_forward);

}  // namespace

bool max_pool_forward(diopiDtype_t dtype, const PoolArgs& args) {
  return run_forward(HWY_DYNAMIC_DISPATCH(find_max_forward)(dtype, args.over_channels), args);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
