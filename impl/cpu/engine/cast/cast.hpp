// SPDX-License-Identifier: BSD-3-Clause
// Conversion of contiguous elements between dtypes with PyTorch's rules: one table of all pairs of storage dtypes.
#ifndef IMPL_CPU_ENGINE_CAST_CAST_HPP_
#define IMPL_CPU_ENGINE_CAST_CAST_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// Converts `n` elements from `src` to `dst`. The ranges must not overlap; alignment to the element size is enough.
using CastFn = void (*)(void* dst, const void* src, int64_t n);

// The conversion from one storage dtype to another, a plain copy if both are equal; null if one of them has no
// storage type. The rules, bit for bit the same on every target:
//  - floating point to integer truncates toward zero. Integer types of up to 32 bits (except uint32) are converted
//    through int32; uint32 and int64 through int64; uint64 covers values up to 2^64. NaN and values out of range become
//    the minimum of that type, whose low bits are kept. Integer to narrower integer keeps the low bits.
//  - to bool is `!= 0` (NaN is true, a complex number is true if one of its parts is).
//  - float64, integers and complex numbers are converted to float16 and bfloat16 through float32, which is rounded to
//    nearest even; NaN stays NaN.
//  - complex to real takes the real part; real to complex has a zero imaginary part.
CastFn cast_function(diopiDtype_t from, diopiDtype_t to);

// Does `cast_function(from, to)(dst, src, n)` on several threads.
void cast_contiguous(void* dst, diopiDtype_t to, const void* src, diopiDtype_t from, int64_t n);

// Returns the conversion loop compiled for the running CPU, for two different dtypes of int8, uint8, int16, int32,
// int64, float32, float64 and bool.
CastFn cast_loop(diopiDtype_t from, diopiDtype_t to);

// The pairs with explicit vector code; the compiler vectorises the loops of all other pairs.
void cast_float16_to_float32(void* dst, const void* src, int64_t n);
void cast_float32_to_float16(void* dst, const void* src, int64_t n);
void cast_bfloat16_to_float32(void* dst, const void* src, int64_t n);
void cast_float32_to_bfloat16(void* dst, const void* src, int64_t n);
void cast_float64_to_float32(void* dst, const void* src, int64_t n);
void cast_float32_to_float64(void* dst, const void* src, int64_t n);
void cast_float32_to_int32(void* dst, const void* src, int64_t n);
void cast_float32_to_int64(void* dst, const void* src, int64_t n);
void cast_float64_to_int32(void* dst, const void* src, int64_t n);
void cast_float64_to_int64(void* dst, const void* src, int64_t n);
void cast_int32_to_float32(void* dst, const void* src, int64_t n);
void cast_float16_to_int32(void* dst, const void* src, int64_t n);
void cast_bfloat16_to_int32(void* dst, const void* src, int64_t n);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_CAST_CAST_HPP_
