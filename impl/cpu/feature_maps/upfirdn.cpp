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

// Finds taps from number `*next` of the kernel on, until the kernel ends or `taps` is full. Returns their number.
template <typename T>
HWY_INLINE int64_t find_taps(const UpfirdnCall& c, const UpfirdnLine& line, int64_t* next, FilterTap<T>* taps) {
  int64_t found = 0;
  const int64_t area = c.kernel_height * c.kernel_width;
  for (; *next < area && found < kUpfirdnTaps; ++*next) {
    const int64_t a = *next / c.kernel_width, b = *next % c.kernel_width;
    const int64_t y = line.y * c.down[0] + a - c.pad[0], x = line.phase * c.down[1] + b - c.pad[1];
    if (y % c.up[0] != 0 || x % c.up[1] != 0 || y < 0 || y / c.up[0] >= c.height) continue;
    const int64_t first = x / c.up[1];
    const PhaseRange range = inside_range(first, c.down[1], c.row.width, line.count);
    if (range.begin == range.end) continue;
    const T* row = static_cast<const T*>(c.input) + (line.image * c.height + y / c.up[0]) * c.row.elements();
    taps[found++] = {row + c.row.place(first), static_cast<const T*>(c.kernel)[area - 1 - *next],
                     range.begin * c.row.items, range.end * c.row.items};
  }
  return found;
}

template <typename T>
void filter_line(const UpfirdnCall& c, const UpfirdnLine& line, T* out) {
  HWY_ALIGN T sum[kUpfirdnBlock];
  FilterTap<T> taps[kUpfirdnTaps];
  const int64_t items = c.row.items, elements = line.count * items, area = c.kernel_height * c.kernel_width;
  int64_t next = 0;
  int64_t count = find_taps(c, line, &next, taps);
  const bool all = next == area;
  for (int64_t first = 0; first < elements; first += kUpfirdnBlock) {
    const int64_t last = std::min(elements, first + kUpfirdnBlock);
    std::fill_n(sum, kUpfirdnBlock, T{0});
    if (all) {
      add_taps(taps, count, first, last, sum);
    } else {
      for (next = 0; next < area;) {
        count = find_taps(c, line, &next, taps);
        add_taps(taps, count, first, last, sum);
      }
    }
    if (c.up[1] == 1) {
      std::copy(sum, sum + (last - first), out + first);
    } else {
      int64_t item = first % items;
      T* to = out + (first / items * c.up[1] + line.phase) * items;
      for (int64_t e = first; e < last; ++e) {
        to[item] = sum[e - first];
        if (++item == items) {
          item = 0;
          to += c.up[1] * items;
        }
      }
    }
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
