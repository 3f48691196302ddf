/* SPDX-License-Identifier: BSD-3-Clause */
// Elementary functions on vectors of float or double, for any Highway target.
//
// Each function takes a tag of a full vector and a vector, like Highway's own operations: Exp(d, x). Special values
// follow Annex F of the C standard. The stated errors are the largest that diopi_test/unit/cpu_math_ulp_test.cpp found
// on any target; the test tried every 127th float and two million doubles.
#if defined(IMPL_CPU_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_MATH_INL_H_
#undef IMPL_CPU_KERNELS_MATH_INL_H_
#else
#define IMPL_CPU_KERNELS_MATH_INL_H_
#endif

#include "math_common-inl.h"
#include "math_exp-inl.h"
#include "math_log-inl.h"
#include "math_trig-inl.h"
#include "math_atrig-inl.h"
#include "math_erf-inl.h"
#include "math_hyperbolic-inl.h"
#include "math_power-inl.h"

#endif  // IMPL_CPU_KERNELS_MATH_INL_H_
