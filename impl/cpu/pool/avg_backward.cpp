// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pool/pool.hpp"
#include "impl/cpu/pool/small_planes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pool/avg_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/pool/planes-inl.h"
#include "impl/cpu/pool/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Adds a line to `n` elements of the input's gradient, which are `stride` apart.
template <typename T>
HWY_INLINE void add_to(T* HWY_RESTRICT into, int64_t stride, int64_t n, const T* HWY_RESTRICT line) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) into[i] = plus(into[i], line[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) into[i * stride] = plus(into[i * stride], line[i]);
  }
}

// Writes a line to `n` elements of the input's gradient, which are `stride` apart.
template <typename T>
HWY_INLINE void put_line(T* HWY_RESTRICT into, int64_t stride, int64_t n, const T* HWY_RESTRICT line) {
  if (stride == 1) {
    std::copy_n(line, n, into);
  } else {
    for (int64_t i = 0; i < n; ++i) into[i * stride] = line[i];
  }
}

// Whether the elements of a channel are adjacent without gaps.
HWY_INLINE bool packed_plane(const PoolArgs& a) {
  const int64_t h = a.dim[1].in, w = a.dim[2].in;
  return (w == 1 || a.xs.spatial[2] == 1) && (h == 1 || a.xs.spatial[1] == w) &&
         (a.dim[0].in == 1 || a.xs.spatial[0] == h * w);
}

template <typename T>
void clear_planes(const PoolArgs& a, T* x, int64_t c0, int64_t c1) {
  if (c1 - c0 == 1 && packed_plane(a)) {
    std::fill_n(x + c0 * a.xs.channel, a.plane(), T{});
    return;
  }
  for (int64_t i = 0; i < a.dim[0].in; ++i) {
    for (int64_t j = 0; j < a.dim[1].in; ++j) {
      for (int64_t k = 0; k < a.dim[2].in; ++k) {
        for (int64_t c = c0; c < c1; ++c) x[offset_of(a.xs, i, j, k) + c * a.xs.channel] = T{};
      }
    }
  }
}

// Runs chunks: a chunk is a block of channels of one image.
template <typename T>
void avg_backward_channels(const PoolArgs& a, int64_t begin, int64_t end) {
  const int64_t blocks = (a.channels + kChannelsOfChunk - 1) / kChannelsOfChunk;
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    const int64_t n = chunk / blocks, c0 = chunk % blocks * kChannelsOfChunk;
    const int64_t width = std::min(kChannelsOfChunk, a.channels - c0);
    T* x = static_cast<T*>(a.x) + n * a.xs.batch;
    clear_planes(a, x, c0, c0 + width);
    for (int64_t o = 0; o < a.outputs(); ++o) {
      const int64_t k = o % a.dim[2].out, j = o / a.dim[2].out % a.dim[1].out, i = o / a.dim[2].out / a.dim[1].out;
      const PoolSpan s[3] = {a.dim[0].span(i), a.dim[1].span(j), a.dim[2].span(k)};
      const int64_t divisor = divisor_of(a, s[0], s[1], s[2]);
      const T* y = static_cast<const T*>(a.y) + n * a.ys.batch + offset_of(a.ys, i, j, k) + c0 * a.ys.channel;
      T line[kChannelsOfChunk];
      for (int64_t c = 0; c < width; ++c) line[c] = quotient(y[c * a.ys.channel], divisor);
      for (int64_t p = s[0].begin; p < s[0].end; ++p) {
        for (int64_t q = s[1].begin; q < s[1].end; ++q) {
          for (int64_t r = s[2].begin; r < s[2].end; ++r) {
            add_to(x + offset_of(a.xs, p, q, r) + c0 * a.xs.channel, a.xs.channel, width, line);
          }
        }
      }
    }
  }
}

// Distributes one row of the output's gradient over the columns of its windows, and adds the result to all rows of the
// windows.
template <typename T>
void distribute_to_columns(const PoolArgs& a, T* x, const PoolSpan* rows, const ColumnBlock& block, const T* y) {
  T line[kLine];
  for (int64_t begin = block.begin; begin < block.end; begin += kLine) {
    const int64_t n = std::min(kLine, block.end - begin);
    std::fill_n(line, n, T{});
    for (int64_t o = block.first; o < block.last; ++o) {
      const PoolSpan span = a.dim[2].span(o), part = clip(span, begin, begin + n);
      const T share = quotient(y[o * a.ys.spatial[2]], divisor_of(a, rows[0], rows[1], span));
      for (int64_t k = part.begin; k < part.end; ++k) line[k - begin] = plus(line[k - begin], share);
    }
    for (int64_t i = rows[0].begin; i < rows[0].end; ++i) {
      for (int64_t j = rows[1].begin; j < rows[1].end; ++j) {
        add_to(x + offset_of(a.xs, i, j, begin), a.xs.spatial[2], n, line);
      }
    }
  }
}

// Adds the shares of outputs to the columns of their windows. A column gets the shares of lower outputs first.
template <int kStride, typename T>
HWY_INLINE void distribute_to_windows(const T* HWY_RESTRICT shares, int64_t kernel, int64_t stride, int64_t n,
                                      T* HWY_RESTRICT line) {
  const int64_t step = kStride > 0 ? kStride : stride;
  for (int64_t k = kernel - 1; k >= 0; --k) {
    for (int64_t o = 0; o < n; ++o) line[o * step + k] = plus(line[o * step + k], shares[o]);
  }
}

// distribute_to_columns() for outputs that all have full windows, in one line. If the windows partition the input
// (`parts`), an element gets only one share, which is written instead of added.
template <typename T>
void distribute_to_full_columns(const PoolArgs& a, T* x, const PoolSpan* rows, int64_t first, int64_t last, const T* y,
                                bool parts) {
  const PoolDim& dim = a.dim[2];
  T line[kLine], shares[kLine];
  const int64_t begin = first * dim.stride - dim.padding, count = last - first;
  const int64_t n = (count - 1) * dim.stride + dim.kernel;
  const int64_t divisor = divisor_of(a, rows[0], rows[1], dim.span(first)), y_step = a.ys.spatial[2];
  for (int64_t o = 0; o < count; ++o) shares[o] = y[(first + o) * y_step];
  for (int64_t o = 0; o < count; ++o) shares[o] = quotient(shares[o], divisor);
  std::fill_n(line, n, T{});
  if (dim.stride == 1) {
    distribute_to_windows<1>(shares, dim.kernel, 1, count, line);
  } else if (dim.stride == 2) {
    distribute_to_windows<2>(shares, dim.kernel, 2, count, line);
  } else {
    distribute_to_windows<0>(shares, dim.kernel, dim.stride, count, line);
  }
  for (int64_t i = rows[0].begin; i < rows[0].end; ++i) {
    for (int64_t j = rows[1].begin; j < rows[1].end; ++j) {
      T* into = x + offset_of(a.xs, i, j, begin);
      if (parts) {
        put_line(into, a.xs.spatial[2], n, line);
      } else {
        add_to(into, a.xs.spatial[2], n, line);
      }
    }
  }
}

// Whether each element of the input is in exactly one window, and windows fit in a line.
HWY_INLINE bool windows_part(const PoolArgs& a) {
  for (const PoolDim& d : a.dim) {
    if (d.kernel != d.stride || d.padding != 0 || d.dilation != 1 || d.out * d.kernel != d.in) return false;
  }
  return a.dim[2].kernel <= kLine && (a.dim[2].in == 1 || a.xs.spatial[2] == 1);
}

// Computes planes. What does not depend on the plane is computed once.
template <typename T>
class PlaneBackward {
 public:
  explicit PlaneBackward(const PoolArgs& a)
      : a_(a),
        together_(outputs_of_line(a.dim[2])),
        full_(together_ > 0 ? full_windows(a.dim[2]) : FullWindows()),
        parts_(windows_part(a)),
        single_(parts_ && a.outputs() == 1 && packed_plane(a)) {
    if (single_) divisor_ = divisor_of(a, a.dim[0].span(0), a.dim[1].span(0), a.dim[2].span(0));
  }

  // The gradient x of channel c of image n.
  void compute(int64_t n, int64_t c, T* x) const {
    const T* grad = static_cast<const T*>(a_.y) + n * a_.ys.batch + c * a_.ys.channel;
    if (single_) {
      std::fill_n(x, a_.plane(), quotient(*grad, divisor_));
      return;
    }
    if (!parts_) clear_planes(a_, x, 0, 1);
    for (int64_t i = 0; i < a_.dim[0].out; ++i) {
      for (int64_t j = 0; j < a_.dim[1].out; ++j) compute_row(i, j, grad + offset_of(a_.ys, i, j, 0), x);
    }
  }

 private:
  void compute_row(int64_t i, int64_t j, const T* y, T* x) const {
    const PoolDim& dim = a_.dim[2];
    const PoolSpan rows[2] = {a_.dim[0].span(i), a_.dim[1].span(j)};
    for (int64_t o = 0; o < dim.out;) {
      if (o >= full_.first && o < full_.last) {
        const int64_t last = std::min(full_.last, o + together_);
        distribute_to_full_columns(a_, x, rows, o, last, y, parts_);
        o = last;
        continue;
      }
      const ColumnBlock block = next_columns(dim, o, o < full_.first ? full_.first : dim.out);
      distribute_to_columns(a_, x, rows, block, y);
      o = block.last;
    }
  }

  const PoolArgs& a_;
  int64_t together_;  // outputs of a line
  FullWindows full_;
  bool parts_, single_;
  int64_t divisor_ = 0;
};

// Runs chunks: a chunk is one channel of one image.
template <typename T>
void avg_backward_columns(const PoolArgs& a, int64_t begin, int64_t end) {
  constexpr int64_t kLargeWindow = 16;
  const PlaneBackward<T> backward(a);
  // Smaller windows take longer to compute than to store; a single one is stored as fast without a buffer.
  const bool few = a.outputs() > 1 && a.outputs() * kLargeWindow <= a.plane();
  if (few && can_stream_planes<T>(a, kStoredTogether)) {
    stream_planes<T>(a, begin, end, [&](int64_t n, int64_t c, T* x) HWY_ATTR { backward.compute(n, c, x); });
    return;
  }
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    const int64_t c = chunk % a.channels, n = chunk / a.channels;
    backward.compute(n, c, static_cast<T*>(a.x) + n * a.xs.batch + c * a.xs.channel);
  }
}

PoolChunksFn GetAvgBackward(diopiDtype_t dtype, bool over_channels) {
  return diopi::kernel_for<diopi::TypeList<float, double, int64_t>>(dtype, [over_channels](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return over_channels ? avg_backward_channels<T> : avg_backward_columns<T>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetAvgBackward);

}  // namespace

bool avg_pool_backward(diopiDtype_t dtype, const PoolArgs& given) {
  const PoolArgs args = with_even_windows(given);
  if (const int64_t size = diopi::dtype_size(dtype); args.outputs() > 1 && has_small_planes(args, size)) {
    return pool_small_planes(HWY_DYNAMIC_DISPATCH(GetAvgBackward)(dtype, true), args, size, true);
  }
  return run_backward(HWY_DYNAMIC_DISPATCH(GetAvgBackward)(dtype, args.over_channels), args);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
