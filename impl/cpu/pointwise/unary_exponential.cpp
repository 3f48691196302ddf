// SPDX-License-Identifier: BSD-3-Clause
// Roots, exponentials, logarithms and error functions of float and double.
#include "impl/cpu/pointwise/unary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/unary_exponential.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

IMPL_CPU_VECTOR_FUNCTION(SquareRoot);
IMPL_CPU_VECTOR_FUNCTION(Reciprocal);
IMPL_CPU_VECTOR_FUNCTION(Rsqrt);
IMPL_CPU_VECTOR_FUNCTION(Exp);
IMPL_CPU_VECTOR_FUNCTION(Expm1);
IMPL_CPU_VECTOR_FUNCTION(Log);
IMPL_CPU_VECTOR_FUNCTION(Log2);
IMPL_CPU_VECTOR_FUNCTION(Log10);
IMPL_CPU_VECTOR_FUNCTION(Log1p);
IMPL_CPU_VECTOR_FUNCTION(Erf);
IMPL_CPU_VECTOR_FUNCTION(Erfinv);

// Two of three vectors compute the roots from estimates, in the arithmetic units. The divider computes the third at the
// same time; for all three it would take twice as long.
template <typename T>
void square_root_loop(void* const* out, const void* const* in, int64_t n, const void* params) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  T* o = static_cast<T*>(out[0]);
  const T* a = static_cast<const T*>(in[0]);
  int64_t i = 0;
  if constexpr (kEstimatesWell) {
    constexpr int64_t kAhead = 1024 / sizeof(T);
    for (; i + 3 * lanes <= n; i += 3 * lanes) {
      for (int k = 0; k < 3; ++k) hwy::Prefetch(o + i + k * lanes + kAhead);
      const auto x = hn::LoadU(d, a + i), y = hn::LoadU(d, a + i + lanes), z = hn::LoadU(d, a + i + 2 * lanes);
      const auto root_of_z = hn::Sqrt(z);
      if (HWY_LIKELY(hn::AllTrue(d, hn::And(InMiddleRange(d, x), InMiddleRange(d, y))))) {
        hn::StoreU(SquareRootByEstimate(d, x), d, o + i);
        hn::StoreU(SquareRootByEstimate(d, y), d, o + i + lanes);
      } else {
        hn::StoreU(hn::Sqrt(x), d, o + i);
        hn::StoreU(hn::Sqrt(y), d, o + i + lanes);
      }
      hn::StoreU(root_of_z, d, o + i + 2 * lanes);
    }
  }
  void* const rest_out[] = {o + i};
  const void* const rest_in[] = {a + i};
  vector_loop1<SquareRootFn, T>(rest_out, rest_in, n - i, params);
}

BlockFn GetExponential(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kReciprocal:
      return real_vector_loop1<ReciprocalFn>(dtype);
    case UnaryOp::kSqrt:
      if (dtype == diopi_dtype_float32) return square_root_loop<float>;
      return dtype == diopi_dtype_float64 ? square_root_loop<double> : nullptr;
    case UnaryOp::kRsqrt:
      return real_vector_loop1<RsqrtFn>(dtype);
    case UnaryOp::kExp:
      return real_vector_loop1<ExpFn>(dtype);
    case UnaryOp::kExpm1:
      return real_vector_loop1<Expm1Fn>(dtype);
    case UnaryOp::kLog:
      return real_vector_loop1<LogFn>(dtype);
    case UnaryOp::kLog2:
      return real_vector_loop1<Log2Fn>(dtype);
    case UnaryOp::kLog10:
      return real_vector_loop1<Log10Fn>(dtype);
    case UnaryOp::kLog1p:
      return real_vector_loop1<Log1pFn>(dtype);
    case UnaryOp::kErf:
      return real_vector_loop1<ErfFn>(dtype);
    case UnaryOp::kErfinv:
      return real_vector_loop1<ErfinvFn>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetExponential);

BlockFn exponential_kernel(UnaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetExponential)(op, dtype); }
}  // namespace impl::cpu
#endif
