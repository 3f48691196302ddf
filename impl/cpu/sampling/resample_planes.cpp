// SPDX-License-Identifier: BSD-3-Clause
// Interpolation along the columns of each channel.
//
// If the result has about as many rows as the input or more, each row of the input is resampled once along its columns
// and kept, and rows of the output are weighted sums of such rows. Otherwise the rows of the input are added first.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/sampling/resample.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/resample_planes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "impl/cpu/sampling/rows-inl.h"

#ifndef IMPL_CPU_SAMPLING_RESAMPLE_PLANES_
#define IMPL_CPU_SAMPLING_RESAMPLE_PLANES_
namespace impl::cpu {

constexpr int64_t kMostKept = 32;  // resampled rows that are kept
constexpr int64_t kRows = 4;       // in the memory: source, sum, result; an even number, for doubles behind them
constexpr int64_t kSlack = 32;     // behind a row: two vectors of float32

inline int64_t power_of_two_from(int64_t n) {
  int64_t result = 1;
  while (result < n) result *= 2;
  return result;
}

// How a call is computed, and the parts of its memory, in elements.
struct PlaneLayout {
  bool columns_first = true;
  int64_t slots_d = 1, slots_h = 1;  // kept rows
  int64_t width = 0;                 // of a row, with kSlack
  int64_t rows = 0;                  // in the memory
};

template <typename T>
PlaneLayout plane_layout(const ResampleArgs& a) {
  const auto taps = [&](int i) -> const Taps<T>& { return *static_cast<const Taps<T>*>(a.taps[i]); };
  PlaneLayout layout;
  layout.slots_d = power_of_two_from(taps(0).count);
  layout.slots_h = power_of_two_from(taps(1).count);
  layout.width = std::max(taps(2).in, taps(2).out) + kSlack;
  const bool few = layout.slots_h <= kMostKept && layout.slots_d * layout.slots_h <= kMostKept;
  layout.columns_first = few && taps(1).out * 3 >= taps(1).in * 2;
  layout.rows = kRows + (layout.columns_first ? layout.slots_d * layout.slots_h : 2);  // 2: a row of double
  return layout;
}

}  // namespace impl::cpu
#endif  // IMPL_CPU_SAMPLING_RESAMPLE_PLANES_

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
class Planes {
  using T = ComputeOf<S>;
  static constexpr bool kInPlace = std::is_same_v<S, T>;

 public:
  Planes(const ResampleArgs& args, void* scratch)
      : a_(args),
        d_(*static_cast<const Taps<T>*>(args.taps[0])),
        h_(*static_cast<const Taps<T>*>(args.taps[1])),
        w_(*static_cast<const Taps<T>*>(args.taps[2])),
        layout_(plane_layout<T>(args)),
        memory_(static_cast<T*>(scratch)) {
    std::fill_n(kept_, kMostKept, int64_t{-1});
  }

  void compute_rows(int64_t begin, int64_t end) {
    int64_t y = begin % h_.out, z = begin / h_.out % d_.out;
    set_plane(begin / h_.out / d_.out);
    for (int64_t row = begin; row < end; ++row) {
      compute_row(z, y);
      if (++y < h_.out) continue;
      y = 0;
      if (++z < d_.out) continue;
      z = 0;
      set_plane(plane_ + 1);
    }
  }

 private:
  T* line(int64_t i) const { return memory_ + i * layout_.width; }
  void set_plane(int64_t plane) {
    const int64_t c = plane % a_.channels, n = plane / a_.channels;
    plane_ = plane;
    in_ = static_cast<const S*>(a_.in) + n * a_.in_stride[0] + c * a_.in_stride[1];
    out_ = static_cast<S*>(a_.out) + n * a_.out_stride[0] + c * a_.out_stride[1];
  }

  HWY_INLINE void compute_row(int64_t z, int64_t y) {
    S* out = out_ + z * a_.out_stride[2] + y * a_.out_stride[3];
    T* result = line(2);
    if constexpr (kInPlace) {
      if (a_.out_stride[4] == 1) result = out;
    }
    if (layout_.columns_first) {
      sum_kept_rows(z, y, result);
    } else {
      add_source_rows(z, y);
      line(1)[w_.in] = T{};
      resample_row(line(1), layout_.width, w_, result);
    }
    if (static_cast<void*>(result) != static_cast<void*>(out)) store_row(result, w_.out, out, a_.out_stride[4]);
  }

  const S* source(int64_t z, int64_t y) const { return in_ + z * a_.in_stride[2] + y * a_.in_stride[3]; }

  // A row of the input: in place, or in the buffer with a zero behind it.
  const T* load(const S* from, T* buffer, bool buffered) const {
    if constexpr (kInPlace) {
      if (a_.in_stride[4] == 1 && !buffered) return from;
    }
    load_row(from, a_.in_stride[4], w_.in, buffer);
    buffer[w_.in] = T{};
    return buffer;
  }

  // Calls f(z, y, weight) for each row of the input that a row of the output reads.
  template <typename F>
  HWY_INLINE void for_taps(int64_t z, int64_t y, const F& f) const {
    for (int64_t i = 0; i < d_.count; ++i) {
      const int64_t from_z = d_.index[i * d_.out + z];
      if (from_z == d_.in) continue;
      for (int64_t j = 0; j < h_.count; ++j) {
        const int64_t from_y = h_.index[j * h_.out + y];
        if (from_y != h_.in) f(from_z, from_y, d_.weight[i * d_.out + z] * h_.weight[j * h_.out + y]);
      }
    }
  }

  // A row of the input, resampled along its columns.
  const T* kept_row(int64_t z, int64_t y) {
    const int64_t slot = (z & (layout_.slots_d - 1)) * layout_.slots_h + (y & (layout_.slots_h - 1));
    const int64_t key = (plane_ * d_.in + z) * h_.in + y;
    T* row = line(kRows + slot);
    if (kept_[slot] == key) return row;
    const bool buffered = w_.has_gaps || w_.in < kSlack;
    const T* from = load(source(z, y), line(0), buffered);
    resample_row(from, from == line(0) ? layout_.width : w_.in, w_, row);
    kept_[slot] = key;
    return row;
  }

  void sum_kept_rows(int64_t z, int64_t y, T* result) {
    WeightedRow<T> rows[kMostKept];
    int64_t count = 0;
    for_taps(z, y, [&](int64_t from_z, int64_t from_y, T weight) {
      rows[count++] = {kept_row(from_z, from_y), weight};
    });
    sum_rows(rows, count, w_.out, result);
  }

  // line(1) = the weighted sum of the rows of the input. They are read one after another, because the processor's
  // prefetches follow one row, but not several short rows in turns.
  void add_source_rows(int64_t z, int64_t y) {
    T* sum = line(1);
    double* total = reinterpret_cast<double*>(line(kRows));
    const bool is_long = d_.count * h_.count > kRun;
    int64_t added = 0;
    if (is_long) std::fill_n(total, w_.in, 0.0);
    const auto join = [&] {
      if (added == 0) return;
      for (int64_t x = 0; x < w_.in; ++x) total[x] += static_cast<double>(sum[x]);
      added = 0;
    };
    for_taps(z, y, [&](int64_t from_z, int64_t from_y, T weight) {
      const WeightedRow<T> row{load(source(from_z, from_y), line(0), false), weight};
      added == 0 ? sum_rows_of<1, false>(&row, w_.in, sum) : sum_rows_of<1, true>(&row, w_.in, sum);
      if (++added == kRun && is_long) join();
    });
    if (!is_long) {
      if (added == 0) std::fill_n(sum, w_.in, T{});
      return;
    }
    join();
    for (int64_t x = 0; x < w_.in; ++x) sum[x] = static_cast<T>(total[x]);
  }

  const ResampleArgs& a_;
  const Taps<T>&d_, &h_, &w_;
  const PlaneLayout layout_;
  T* const memory_;
  const S* in_ = nullptr;  // of the plane
  S* out_ = nullptr;
  int64_t plane_ = 0;
  int64_t kept_[kMostKept];  // the row of the input in each slot
};

template <typename S>
void compute_rows(const ResampleArgs& args, int64_t begin, int64_t end, void* scratch) {
  Planes<S>(args, scratch).compute_rows(begin, end);
}

ResampleFn GetResamplePlanes(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return compute_rows<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetResamplePlanes);

namespace {

template <typename T>
ResampleWork plan(const ResampleArgs& a) {
  const auto taps = [&](int i) -> const Taps<T>& { return *static_cast<const Taps<T>*>(a.taps[i]); };
  const PlaneLayout layout = plane_layout<T>(a);
  ResampleWork work;
  work.rows = a.images * a.channels * taps(0).out * taps(1).out;
  work.scratch = layout.rows * layout.width * static_cast<int64_t>(sizeof(T));
  const int64_t rows = taps(0).count * taps(1).count;
  work.picoseconds = 400 * (taps(2).out * taps(2).count + rows * (layout.columns_first ? taps(2).out : taps(2).in));
  return work;
}

}  // namespace

ResampleWork plan_resample_planes(diopiDtype_t dtype, const ResampleArgs& args) {
  return dtype == diopi_dtype_float64 ? plan<double>(args) : plan<float>(args);
}

ResampleFn resample_planes(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetResamplePlanes)(dtype); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
