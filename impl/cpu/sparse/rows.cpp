// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sparse/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sparse/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
void add_row(void* to, const void* from, int64_t n) {
  T* y = static_cast<T*>(to);
  const T* x = static_cast<const T*>(from);
  for_vectors<T>(n, [&](int64_t c, auto load, auto store, auto) { store(hn::Add(load(y + c), load(x + c)), y + c); });
}

template <typename T>
void maximum_row(void* to, const void* from, int64_t n) {
  T* y = static_cast<T*>(to);
  const T* x = static_cast<const T*>(from);
  for_vectors<T>(n, [&](int64_t c, auto load, auto store, auto) {
    const auto old = load(y + c), next = load(x + c);
    store(hn::IfThenElse(hn::Gt(next, old), next, old), y + c);  // false for NaN
  });
}

template <typename T>
void add_row_where_equal(void* to, const void* from, const void* a, const void* b, int64_t n) {
  T* y = static_cast<T*>(to);
  const T *x = static_cast<const T*>(from), *left = static_cast<const T*>(a), *right = static_cast<const T*>(b);
  for_vectors<T>(n, [&](int64_t c, auto load, auto store, auto) {
    const auto term = hn::IfThenElseZero(hn::Eq(load(left + c), load(right + c)), load(x + c));
    store(hn::Add(load(y + c), term), y + c);
  });
}

template <typename T>
SparseRowKernels row_kernels() {
  return {add_row<T>, maximum_row<T>, add_row_where_equal<T>};
}

SparseRowKernels GetSparseRows(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? row_kernels<double>() : row_kernels<float>();
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSparseRows);

SparseRowKernels sparse_row_kernels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSparseRows)(dtype); }

}  // namespace impl::cpu
#endif
