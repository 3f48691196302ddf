// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/geometry/upright.hpp"

#include "impl/common/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/geometry/upright.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Plain loops without branches, which the compiler vectorises for the target. NaN in a or b gives NaN.
template <typename T>
HWY_INLINE T least(T a, T b) {
  const T smaller = b < a ? b : a;
  return b != b ? b : smaller;
}
template <typename T>
HWY_INLINE T most(T a, T b) {
  const T greater = b > a ? b : a;
  return b != b ? b : greater;
}

template <bool kOverFirst, typename T>
HWY_INLINE T overlap(const T (&a)[4], T x1, T y1, T x2, T y2, T offset) {
  const T w = least(a[2], x2) - most(a[0], x1) + offset, h = least(a[3], y2) - most(a[1], y1) + offset;
  const T shared = (w < 0 ? T{0} : w) * (h < 0 ? T{0} : h);
  const T area = (a[2] - a[0] + offset) * (a[3] - a[1] + offset);
  const T other = (x2 - x1 + offset) * (y2 - y1 + offset);
  const T divisor = kOverFirst ? area : area + other - shared;
  return shared / (divisor < offset ? offset : divisor);
}

template <typename T, bool kOverFirst>
void rows(const UprightOverlaps& p, void* result, int64_t begin, int64_t end) {
  const T* x1 = static_cast<const T*>(p.second);
  const T *y1 = x1 + p.columns, *x2 = y1 + p.columns, *y2 = x2 + p.columns;
  const T offset = static_cast<T>(p.offset);
  for (int64_t i = begin; i < end; ++i) {
    const T* row = static_cast<const T*>(p.first) + 4 * i;
    const T a[4] = {row[0], row[1], row[2], row[3]};
    if (p.aligned) {
      static_cast<T*>(result)[i] = overlap<kOverFirst>(a, x1[i], y1[i], x2[i], y2[i], offset);
      continue;
    }
    T* out = static_cast<T*>(result) + i * p.columns;
    for (int64_t j = 0; j < p.columns; ++j) out[j] = overlap<kOverFirst>(a, x1[j], y1[j], x2[j], y2[j], offset);
  }
}

void Rows(const UprightOverlaps& pairs, diopiDtype_t dtype, void* out, int64_t begin, int64_t end) {
  if (dtype == diopi_dtype_float64) {
    (pairs.over_first ? rows<double, true> : rows<double, false>)(pairs, out, begin, end);
  } else {
    (pairs.over_first ? rows<float, true> : rows<float, false>)(pairs, out, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(Rows);

void upright_overlaps(const UprightOverlaps& pairs, diopiDtype_t dtype, void* out) {
  const diopi::Picoseconds each{1500 * (pairs.aligned ? 2 : pairs.columns + 1)};
  diopi::parallel_for(pairs.rows, each, [&pairs, dtype, out](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Rows)(pairs, dtype, out, begin, end);
  });
}

}  // namespace impl::cpu
#endif
