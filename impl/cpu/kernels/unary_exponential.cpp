// Roots, exponentials, logarithms and error functions of float and double.
#include "impl/cpu/kernels/unary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/unary_exponential.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "impl/cpu/kernels/math-inl.h"
#include "impl/cpu/kernels/vector_loops-inl.h"

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

BlockFn GetExponential(UnaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case UnaryOp::kReciprocal:
      return real_vector_loop1<ReciprocalFn>(dtype);
    case UnaryOp::kSqrt:
      return real_vector_loop1<SquareRootFn>(dtype);
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
