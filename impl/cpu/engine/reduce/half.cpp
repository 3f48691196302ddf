// SPDX-License-Identifier: BSD-3-Clause
// Sums and means of float16 and bfloat16. Elements are converted to float as they are loaded, and summed in float.
#include "impl/cpu/engine/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/reduce/half.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
void fold_half_row(void* accumulator, const void* in, int64_t n, int64_t, const void*) {
  const S* x = static_cast<const S*>(in);
  VecOf<S> sum[1] = {hn::Zero(TagOf<S>())};
  add_terms<S, 1>(n, sum, [&](int64_t i, auto load, auto, VecOf<S>(&terms)[1]) { terms[0] = load(x + i); });
  *static_cast<float*>(accumulator) += static_cast<float>(sum_of_lanes<S>(sum[0]));
}

template <typename S>
void fold_half_column(void* accumulators, const void* in, int64_t n, int64_t, const void*) {
  float* a = static_cast<float*>(accumulators);
  const S* x = static_cast<const S*>(in);
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) { store(hn::Add(load(a + i), load(x + i)), a + i); });
}

template <typename S>
void fold_half_rows(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t, const void*) {
  add_rows(static_cast<float*>(accumulators), static_cast<const S*>(in), pitch, rows, n);
}

template <typename S>
void fold_half_each(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, const void*) {
  float* a = static_cast<float*>(accumulators);
  for (int64_t i = 0; i < rows; ++i) {
    a[i] = 0;
    fold_half_row<S>(a + i, static_cast<const char*>(in) + i * pitch, n, 0, nullptr);
  }
}

// The float kernel with functions that read float16 or bfloat16.
template <typename S, bool kMean>
const ReduceKernel* half_kernel() {
  static const ReduceKernel kKernel = [] {
    ReduceKernel k = *reduce_kernel(kMean ? ReduceOp::kMean : ReduceOp::kSum, diopi_dtype_float32);
    k.in = diopi::dtype_of<S>;
    k.run = static_cast<int64_t>(hn::Lanes(TagOf<S>())) * 128;
    k.fold_row = fold_half_row<S>;
    k.fold_each = fold_half_each<S>;
    k.fold_column = fold_half_column<S>;
    k.fold_rows = fold_half_rows<S>;
    return k;
  }();
  return &kKernel;
}

const ReduceKernel* GetHalfReduce(ReduceOp op, diopiDtype_t dtype) {
  if (op != ReduceOp::kSum && op != ReduceOp::kMean) return nullptr;
  const bool mean = op == ReduceOp::kMean;
  if (dtype == diopi_dtype_float16)
    return mean ? half_kernel<diopi::float16, true>() : half_kernel<diopi::float16, false>();
  if (dtype == diopi_dtype_bfloat16) {
    return mean ? half_kernel<diopi::bfloat16, true>() : half_kernel<diopi::bfloat16, false>();
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetHalfReduce);

const ReduceKernel* half_reduce_kernel(ReduceOp op, diopiDtype_t dtype) {
  if (op == ReduceOp::kMaximum || op == ReduceOp::kMinimum) {
    return half_extremum_kernel(op == ReduceOp::kMaximum, dtype);
  }
  return HWY_DYNAMIC_DISPATCH(GetHalfReduce)(op, dtype);
}
}  // namespace impl::cpu
#endif
