// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/feature_maps/upfirdn.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/feature_maps/upfirdn.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kUpfirdnBlock = 512;  // elements of a row
constexpr int64_t kUpfirdnTaps = 16;    // taps that are summed in a register: few, because rounding errors add up

// An element of the kernel and where its products with a row of outputs begin: `from` belongs to output number 0, and
// [begin, end) are the elements of outputs that it reaches.
template <typename T>
struct FilterTap {
  const T* from;
  T weight;
  int64_t begin, end;
};

// sum[e - first] += the products of all taps for e in [first, last).
template <typename T>
HWY_INLINE void add_taps(const FilterTap<T>* taps, int64_t count, int64_t first, int64_t last, T* sum) {
  int64_t low = first, high = last;  // the elements that all taps reach
  for (int64_t k = 0; k < count; ++k) {
    low = std::max(low, std::min(taps[k].begin, last));
    high = std::min(high, std::max(taps[k].end, first));
  }
  high = std::max(high, low);
  const auto add_some = [&](int64_t from, int64_t until) {
    for (int64_t e = from; e < until; ++e) {
      T total = 0;
      for (int64_t k = 0; k < count; ++k) {
        if (e >= taps[k].begin && e < taps[k].end) total += taps[k].weight * taps[k].from[e];
      }
      sum[e - first] += total;
    }
  };
  add_some(first, low);
  for_vectors<T>(high - low, [&](int64_t i, auto load, auto store, auto) {
    const TagOf<T> d;
    auto total = hn::Zero(d);
    for (int64_t k = 0; k < count; ++k) {
      total = hn::Add(total, hn::Mul(hn::Set(d, taps[k].weight), load(taps[k].from + low + i)));
    }
    T* to = sum + (low - first) + i;
    store(hn::Add(load(to), total), to);
  });
  add_some(high, last);
}

// The outputs of one row whose positions are equal modulo up[1].
struct UpfirdnLine {
  int64_t image, y, phase, count;  // `count` outputs
};

// The least k >= 0 for which offset + k is a multiple of `step`.
HWY_INLINE int64_t steps_to_multiple(int64_t offset, int64_t step) {
  return ceil_quotient(offset, step) * step - offset;
}

// The taps of a line, found in the order of the kernel. Only every up[0]-th row and up[1]-th column of the kernel meets
// elements of the input; between them lie zeros.
template <typename T>
class TapWalk {
 public:
  HWY_INLINE TapWalk(const UpfirdnCall& c, const UpfirdnLine& line)
      : c_(c),
        line_(line),
        y_(line.y * c.down[0] - c.pad[0]),
        x_(line.phase * c.down[1] - c.pad[1]),
        first_b_(steps_to_multiple(x_, c.up[1])),
        first_x_((x_ + first_b_) / c.up[1]),
        a_(steps_to_multiple(y_, c.up[0])) {
    begin_row();
  }

  HWY_INLINE bool done() const { return a_ >= c_.kernel_height; }

  // Finds taps until the kernel ends or `taps` is full. Returns their number.
  HWY_INLINE int64_t take(FilterTap<T>* taps) {
    int64_t found = 0;
    while (!done() && found < kUpfirdnTaps) {
      if (!inside_ || b_ >= c_.kernel_width) {
        a_ += c_.up[0];
        begin_row();
        continue;
      }
      const PhaseRange range = inside_range(column_, c_.down[1], c_.row.width, line_.count);
      if (range.begin < range.end) {
        taps[found++] = {row_ + c_.row.place(column_), weights_[-b_], range.begin * c_.row.items,
                         range.end * c_.row.items};
      }
      b_ += c_.up[1];
      ++column_;
    }
    return found;
  }

 private:
  HWY_INLINE void begin_row() {
    b_ = first_b_;
    column_ = first_x_;
    const int64_t y = (y_ + a_) / c_.up[0];
    inside_ = !done() && y >= 0 && y < c_.height;
    if (!inside_) return;
    row_ = static_cast<const T*>(c_.input) + (line_.image * c_.height + y) * c_.row.elements();
    weights_ = static_cast<const T*>(c_.kernel) + (c_.kernel_height - a_) * c_.kernel_width - 1;
  }

  const UpfirdnCall& c_;
  const UpfirdnLine& line_;
  const int64_t y_, x_, first_b_, first_x_;  // of the enlarged image; the first column of the kernel and of the input
  int64_t a_, b_ = 0, column_ = 0;           // the next tap, and its column of the input
  bool inside_ = false;                      // whether row `a_` of the kernel meets a row of the input
  const T* row_ = nullptr;
  const T* weights_ = nullptr;  // of column 0
};

// Copies elements of a line from number `first` on to their places in the row of outputs.
template <typename T>
HWY_INLINE void store_line(const UpfirdnCall& c, const UpfirdnLine& line, const T* sum, int64_t first, int64_t last,
                           T* out) {
  const int64_t items = c.row.items, step = c.up[1] * items;
  if (c.up[1] == 1) {
    std::copy(sum, sum + (last - first), out + first);
    return;
  }
  T* to = out + (first / items * c.up[1] + line.phase) * items;
  if (items == 1) {
    for (int64_t e = 0; e < last - first; ++e) to[e * step] = sum[e];
    return;
  }
  int64_t item = first % items;
  for (int64_t e = first; e < last; ++e) {
    to[item] = sum[e - first];
    if (++item == items) {
      item = 0;
      to += step;
    }
  }
}

template <typename T>
void filter_line(const UpfirdnCall& c, const UpfirdnLine& line, T* out) {
  HWY_ALIGN T sum[kUpfirdnBlock];
  FilterTap<T> taps[kUpfirdnTaps];
  const int64_t elements = line.count * c.row.items;
  TapWalk<T> walk(c, line);
  int64_t count = walk.take(taps);
  const bool all = walk.done();
  for (int64_t first = 0; first < elements; first += kUpfirdnBlock) {
    const int64_t last = std::min(elements, first + kUpfirdnBlock);
    std::fill_n(sum, last - first, T{0});
    if (all) {
      add_taps(taps, count, first, last, sum);
    } else {
      for (TapWalk<T> again(c, line); !again.done();) {
        count = again.take(taps);
        add_taps(taps, count, first, last, sum);
      }
    }
    store_line(c, line, sum, first, last, out);
  }
}

template <typename T>
void upfirdn_rows(const UpfirdnCall& c, void* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    T* row = static_cast<T*>(out) + i * c.out_width * c.row.items;
    for (int64_t phase = 0; phase < std::min(c.up[1], c.out_width); ++phase) {
      filter_line(c, {i / c.out_height, i % c.out_height, phase, ceil_quotient(c.out_width - phase, c.up[1])}, row);
    }
  }
}

UpfirdnFn GetUpfirdn(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::TypeList<float, double>>(
      dtype, [](auto tag) { return upfirdn_rows<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetUpfirdn);
UpfirdnFn upfirdn_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetUpfirdn)(dtype); }
}  // namespace impl::cpu
#endif
