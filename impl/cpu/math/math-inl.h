/* SPDX-License-Identifier: BSD-3-Clause */
// Elementary functions on vectors of float or double, for any Highway target.
//
// Each function takes a tag of a full vector and a vector, like Highway's own operations: Exp(d, x). Special values
// follow Annex F of the C standard. The stated errors are the largest that diopi_test/unit/cpu_math_ulp_test.cpp found
// on any target; the test tried every 127th float and two million doubles.
#if defined(IMPL_CPU_MATH_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_MATH_INL_H_
#undef IMPL_CPU_MATH_MATH_INL_H_
#else
#define IMPL_CPU_MATH_MATH_INL_H_
#endif

#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/math/erf-inl.h"
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/hyperbolic-inl.h"
#include "impl/cpu/math/inverse_trig-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/math/trig-inl.h"

#endif  // IMPL_CPU_MATH_MATH_INL_H_
