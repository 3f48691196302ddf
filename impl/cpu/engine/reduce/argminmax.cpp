// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/reduce/argminmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/engine/reduce/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The extreme value so far and its position. `position` is negative if there was no element yet.
template <typename T>
struct Found {
  T value;
  int64_t position;
};

template <bool kLargest, typename T>
struct Locate {
  using Op = ExtremumOp<kLargest>;
  using F = Found<T>;
  // Rows of at most so many elements are searched together.
  static constexpr int64_t kFew = 16;
  // Vectors of row numbers have the lanes of vectors of T.
  static constexpr bool kHasRowNumbers = std::is_signed_v<T> && sizeof(T) >= 4;
  using Row = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

  // Whether a later value `b` replaces `a`: if it is beyond `a`, or the first NaN.
  static bool replaces(T b, T a) { return a == a && (b != b || (kLargest ? b > a : b < a)); }
  template <class V>
  static HWY_INLINE auto replaces_lanes(V b, V a) {
    const auto beyond = kLargest ? hn::Gt(b, a) : hn::Lt(b, a);
    if constexpr (std::is_floating_point_v<T>) {
      return hn::Or(beyond, hn::And(hn::IsNaN(b), hn::Not(hn::IsNaN(a))));
    } else {
      return beyond;
    }
  }

  static void init(void* accumulators, int64_t n) {
    std::fill_n(static_cast<F*>(accumulators), n, F{Op::template identity<T>(), -1});
  }
  static void fold_row(void* accumulator, const void* in, int64_t n, int64_t base, const void*) {
    F* a = static_cast<F*>(accumulator);
    const T* x = static_cast<const T*>(in);
    const T best = fold<Op>(x, n);
    if (a->position >= 0 && !replaces(best, a->value)) return;
    const int64_t first = find_first(x, n, best);
    *a = {x[first], base + first};  // `best` may be a zero of the other sign
  }
  static void fold_each(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, const void*) {
    F* a = static_cast<F*>(accumulators);
    const auto row = [&](int64_t i) { return reinterpret_cast<const T*>(static_cast<const char*>(in) + i * pitch); };
    int64_t i = n <= kFew ? search_vectors(a, row(0), pitch / static_cast<int64_t>(sizeof(T)), rows, n) : 0;
    for (; i < rows; ++i) {
      if (n <= kFew) {
        a[i] = search(row(i), n);
      } else {
        const int64_t first = find_first(row(i), n, fold<Op>(row(i), n));
        a[i] = {row(i)[first], first};
      }
    }
  }
  // Searches one row of n elements.
  static F search(const T* x, int64_t n) {
    F found{x[0], 0};
    for (int64_t k = 1; k < n; ++k) {
      if (replaces(x[k], found.value)) found = {x[k], k};
    }
    return found;
  }
  // Searches whole vectors of rows, an element of each row in every step, and returns the number of these rows. `pitch`
  // counts elements.
  static int64_t search_vectors(F* a, const T* x, int64_t pitch, int64_t rows, int64_t n) {
    if constexpr (!kHasRowNumbers) {
      return 0;
    } else {
      const hn::ScalableTag<T> d;
      const hn::ScalableTag<Row> dr;
      const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
      if (pitch < 0 || pitch > INT32_MAX / lanes) return 0;  // distances of rows would not fit a lane
      HWY_ALIGN T best[HWY_MAX_BYTES / sizeof(T)];
      HWY_ALIGN Row at[HWY_MAX_BYTES / sizeof(T)];
      for (int64_t k = 0; k < lanes; ++k) at[k] = static_cast<Row>(k * pitch);
      const auto distances = hn::Load(dr, at);
      int64_t i = 0;
      for (; i + lanes <= rows; i += lanes) {
        const T* first = x + i * pitch;
        auto top = hn::GatherIndex(d, first, distances);
        auto place = hn::Zero(dr);
        for (int64_t k = 1; k < n; ++k) {
          const auto v = hn::GatherIndex(d, first + k, distances);
          const auto newer = replaces_lanes(v, top);
          top = hn::IfThenElse(newer, v, top);
          place = hn::IfThenElse(hn::RebindMask(dr, newer), hn::Set(dr, static_cast<Row>(k)), place);
        }
        hn::Store(top, d, best);
        hn::Store(place, dr, at);
        for (int64_t k = 0; k < lanes; ++k) a[i + k] = {best[k], at[k]};
      }
      return i;
    }
  }
  static void fold_column(void* accumulators, const void* in, int64_t n, int64_t base, const void*) {
    F* a = static_cast<F*>(accumulators);
    const T* x = static_cast<const T*>(in);
    for (int64_t i = 0; i < n; ++i) {
      if (a[i].position < 0 || replaces(x[i], a[i].value)) a[i] = {x[i], base};
    }
  }
  // Values and row numbers are in separate arrays here, so that vectors of both can be replaced at once.
  static void fold_rows(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t base,
                        const void*) {
    const hn::ScalableTag<T> d;
    const hn::ScalableTag<Row> dr;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    HWY_ALIGN T best[kMaxTileWidth];
    HWY_ALIGN Row at[kMaxTileWidth];
    std::copy_n(static_cast<const T*>(in), n, best);
    std::fill_n(at, n, Row(0));
    for (int64_t r = 1; r < rows; ++r) {
      const T* x = reinterpret_cast<const T*>(static_cast<const char*>(in) + r * pitch);
      const auto row = hn::Set(dr, static_cast<Row>(r));
      int64_t i = 0;
      for (; i + lanes <= n; i += lanes) {
        const auto v = hn::LoadU(d, x + i), old = hn::Load(d, best + i);
        const auto newer = replaces_lanes(v, old);
        hn::Store(hn::IfThenElse(newer, v, old), d, best + i);
        hn::Store(hn::IfThenElse(hn::RebindMask(dr, newer), row, hn::Load(dr, at + i)), dr, at + i);
      }
      for (; i < n; ++i) {
        if (replaces(x[i], best[i])) best[i] = x[i], at[i] = static_cast<Row>(r);
      }
    }
    F* a = static_cast<F*>(accumulators);
    for (int64_t i = 0; i < n; ++i) {
      if (a[i].position < 0 || replaces(best[i], a[i].value)) a[i] = {best[i], base + at[i]};
    }
  }
  static void merge(void* accumulators, const void* other, int64_t n) {
    F* a = static_cast<F*>(accumulators);
    const F* b = static_cast<const F*>(other);
    for (int64_t i = 0; i < n; ++i) {
      if (b[i].position < 0) continue;
      const bool equal = !replaces(a[i].value, b[i].value) && b[i].position < a[i].position;
      if (a[i].position < 0 || replaces(b[i].value, a[i].value) || equal) a[i] = b[i];
    }
  }
  static void place(void* accumulators, int64_t n, int64_t joined, int64_t first) {
    F* a = static_cast<F*>(accumulators);
    for (int64_t r = 0; r < joined; ++r, a += n) {
      for (int64_t i = 0; i < n; ++i) a[i].position = first + a[i].position * joined + r;
    }
  }
  static void finish_both(void* const* out, const void* accumulators, int64_t n, int64_t, const void*) {
    const F* a = static_cast<const F*>(accumulators);
    for (int64_t i = 0; i < n; ++i) {
      static_cast<T*>(out[0])[i] = a[i].value;
      static_cast<int64_t*>(out[1])[i] = a[i].position;
    }
  }
  static void finish_position(void* const* out, const void* accumulators, int64_t n, int64_t, const void*) {
    const F* a = static_cast<const F*>(accumulators);
    for (int64_t i = 0; i < n; ++i) static_cast<int64_t*>(out[0])[i] = a[i].position;
  }
};

template <bool kLargest, typename T, bool kWithValue, diopiDtype_t kDtype>
const ReduceKernel* locate_kernel() {
  using L = Locate<kLargest, T>;
  static const ReduceKernel kKernel = [] {
    ReduceKernel k;
    k.in = kDtype;
    k.num_outputs = kWithValue ? 2 : 1;
    k.out[0] = kWithValue ? kDtype : diopi_dtype_int64;
    k.out[1] = diopi_dtype_int64;
    k.accumulator_size = sizeof(Found<T>);
    k.ordered = true;
    k.init = L::init;
    k.fold_row = L::fold_row;
    k.fold_each = L::fold_each;
    k.fold_column = L::fold_column;
    if constexpr (L::kHasRowNumbers) k.fold_rows = L::fold_rows;
    k.place = L::place;
    k.merge = L::merge;
    k.finish = kWithValue ? L::finish_both : L::finish_position;
    return k;
  }();
  return &kKernel;
}

template <bool kLargest, bool kWithValue>
const ReduceKernel* locate(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return locate_kernel<kLargest, uint8_t, kWithValue, diopi_dtype_bool>();
  return diopi::kernel_for<diopi::RealTypes>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return locate_kernel<kLargest, T, kWithValue, diopi::dtype_of<T>>();
  });
}

const ReduceKernel* GetExtremum(bool largest, diopiDtype_t dtype, bool with_value) {
  if (largest) return with_value ? locate<true, true>(dtype) : locate<true, false>(dtype);
  return with_value ? locate<false, true>(dtype) : locate<false, false>(dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetExtremum);

const ReduceKernel* extremum_kernel(bool largest, diopiDtype_t dtype, bool with_value) {
  return HWY_DYNAMIC_DISPATCH(GetExtremum)(largest, dtype, with_value);
}
}  // namespace impl::cpu
#endif
