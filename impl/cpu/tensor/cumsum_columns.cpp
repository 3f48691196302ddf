// SPDX-License-Identifier: BSD-3-Clause
// Cumulative sums along columns that are adjacent in memory: the sums of all columns grow together.
#include <algorithm>
#include <cstdint>

#include "impl/cpu/tensor/cumsum.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/tensor/cumsum_columns.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T, typename Sum, bool kReversed>
void cumsum_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width) {
  HWY_ALIGN Sum sums[kMaxColumns];
  std::fill_n(sums, width, Sum(0));
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = kReversed ? n - 1 - k : k;
    const T* x = reinterpret_cast<const T*>(static_cast<const char*>(in[0]) + i * pitch[1]);
    T* y = reinterpret_cast<T*>(static_cast<char*>(out[0]) + i * pitch[0]);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      const Sum sum = sums[j] + static_cast<Sum>(x[j]);
      sums[j] = sum;
      y[j] = static_cast<T>(sum);
    }
  }
}

template <bool kReversed>
ColumnFn columns_of(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int64:
      return cumsum_columns<uint64_t, uint64_t, kReversed>;
    case diopi_dtype_float32:
      return cumsum_columns<float, double, kReversed>;
    case diopi_dtype_float64:
      return cumsum_columns<double, double, kReversed>;
    default:
      return nullptr;
  }
}

ColumnFn GetCumsumColumns(diopiDtype_t dtype, bool reversed) {
  return reversed ? columns_of<true>(dtype) : columns_of<false>(dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetCumsumColumns);

ColumnFn cumsum_columns_kernel(diopiDtype_t dtype, bool reversed) {
  return HWY_DYNAMIC_DISPATCH(GetCumsumColumns)(dtype, reversed);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
