// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/cast/cast.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/prefetch.hpp"
#include "impl/cpu/engine/cast/cast_loops-inl.h"

namespace impl::cpu {

namespace {

using diopi::TypeList;

// Every pair of storage dtypes is converted in the steps `from -> hub -> hub -> to`. The hubs are the types below. The
// first and the last step exist only for float16, bfloat16 and complex numbers. This takes 121 loops instead of 225.
using Hubs = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double, bool>;
constexpr int kDtypes = 17;
constexpr int64_t kBlock = 512;  // elements per step; they stay in the first-level cache

using HWY_NAMESPACE::convert_loop;

template <typename T>
constexpr bool has_target_loop =
    !std::is_same_v<T, uint16_t> && !std::is_same_v<T, uint32_t> && !std::is_same_v<T, uint64_t>;

template <typename T, typename F>
void target_loop(void* dst, const void* src, int64_t n) {
  cast_loop(diopi::dtype_of<F>, diopi::dtype_of<T>)(dst, src, n);
}

template <typename T, typename F>
constexpr CastFn hub_cast() {
  if constexpr (std::is_same_v<F, float> && std::is_same_v<T, int32_t>) {
    return cast_float32_to_int32;
  } else if constexpr (std::is_same_v<F, float> && std::is_same_v<T, int64_t>) {
    return cast_float32_to_int64;
  } else if constexpr (std::is_same_v<F, double> && std::is_same_v<T, int32_t>) {
    return cast_float64_to_int32;
  } else if constexpr (std::is_same_v<F, double> && std::is_same_v<T, int64_t>) {
    return cast_float64_to_int64;
  } else if constexpr (std::is_same_v<F, float> && std::is_same_v<T, double>) {
    return cast_float32_to_float64;
  } else if constexpr (std::is_same_v<F, double> && std::is_same_v<T, float>) {
    return cast_float64_to_float32;
  } else if constexpr (std::is_same_v<F, int32_t> && std::is_same_v<T, float>) {
    return cast_int32_to_float32;
  } else if constexpr (has_target_loop<F> && has_target_loop<T> && !std::is_same_v<F, T>) {
    return target_loop<T, F>;
  } else if constexpr (std::is_integral_v<F> && !std::is_same_v<F, bool> && std::is_unsigned_v<T> &&
                       !std::is_same_v<T, bool>) {
    return convert_loop<std::make_signed_t<T>, F>;  // produces the same bits and saves a loop
  } else {
    return convert_loop<T, F>;
  }
}

template <size_t kSize>
void copy_loop(void* dst, const void* src, int64_t n) {
  std::memcpy(dst, src, static_cast<size_t>(n) * kSize);
}

template <typename T>
void real_part(void* dst, const void* src, int64_t n) {
  T* __restrict to = static_cast<T*>(dst);
  const T* __restrict from = static_cast<const T*>(src);
  for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
}

template <typename T>
void zero_imaginary_part(void* dst, const void* src, int64_t n) {
  T* __restrict to = static_cast<T*>(dst);
  const T* __restrict from = static_cast<const T*>(src);
  for (int64_t i = 0; i < n; ++i) {
    to[2 * i] = from[i];
    to[2 * i + 1] = 0;
  }
}

template <typename T>
void either_part(void* dst, const void* src, int64_t n) {
  bool* __restrict to = static_cast<bool*>(dst);
  const T* __restrict from = static_cast<const T*>(src);
  for (int64_t i = 0; i < n; ++i) to[i] = (from[2 * i] != 0) | (from[2 * i + 1] != 0);
}

void complex64_to_complex128(void* dst, const void* src, int64_t n) { cast_float32_to_float64(dst, src, 2 * n); }
void complex128_to_complex64(void* dst, const void* src, int64_t n) { cast_float64_to_float32(dst, src, 2 * n); }

constexpr bool has_storage(int d) { return d != diopi_dtype_tfloat32 && d != diopi_dtype_complex32 && d < kDtypes; }

constexpr int hub_of(int d) {
  if (d == diopi_dtype_float16 || d == diopi_dtype_bfloat16 || d == diopi_dtype_complex64) return diopi_dtype_float32;
  return d == diopi_dtype_complex128 ? diopi_dtype_float64 : d;
}

// A function and whether it exists: some sanitizers do not accept the comparison of its address as a constant
// expression.
struct Entry {
  CastFn fn = nullptr;
  bool exists = false;

  constexpr Entry& operator=(CastFn f) {
    fn = f;
    exists = true;
    return *this;
  }
};

struct Table {
  Entry at[kDtypes][kDtypes] = {};  // [from][to]
};

template <typename F, typename... T>
constexpr void fill_hub_row(Table* table, TypeList<T...>) {
  ((table->at[diopi::dtype_of<F>][diopi::dtype_of<T>] = hub_cast<T, F>()), ...);
}

template <typename... F>
constexpr Table hub_table(TypeList<F...> hubs) {
  Table table;
  (fill_hub_row<F>(&table, hubs), ...);
  constexpr CastFn kCopies[] = {copy_loop<1>, copy_loop<2>, copy_loop<4>, copy_loop<8>};
  ((table.at[diopi::dtype_of<F>][diopi::dtype_of<F>] = kCopies[sizeof(F) == 1   ? 0
                                                               : sizeof(F) == 2 ? 1
                                                               : sizeof(F) == 4 ? 2
                                                                                : 3]),
   ...);
  return table;
}

// Fills in the conversions between hubs, then those of the other types from and to their hubs.
constexpr Table direct_table() {
  Table table = hub_table(Hubs{});
  table.at[diopi_dtype_float16][diopi_dtype_float32] = cast_float16_to_float32;
  table.at[diopi_dtype_float32][diopi_dtype_float16] = cast_float32_to_float16;
  table.at[diopi_dtype_bfloat16][diopi_dtype_float32] = cast_bfloat16_to_float32;
  table.at[diopi_dtype_float32][diopi_dtype_bfloat16] = cast_float32_to_bfloat16;
  table.at[diopi_dtype_float16][diopi_dtype_int32] = cast_float16_to_int32;
  table.at[diopi_dtype_bfloat16][diopi_dtype_int32] = cast_bfloat16_to_int32;
  table.at[diopi_dtype_complex64][diopi_dtype_float32] = real_part<float>;
  table.at[diopi_dtype_float32][diopi_dtype_complex64] = zero_imaginary_part<float>;
  table.at[diopi_dtype_complex128][diopi_dtype_float64] = real_part<double>;
  table.at[diopi_dtype_float64][diopi_dtype_complex128] = zero_imaginary_part<double>;
  table.at[diopi_dtype_complex64][diopi_dtype_complex128] = complex64_to_complex128;
  table.at[diopi_dtype_complex128][diopi_dtype_complex64] = complex128_to_complex64;
  table.at[diopi_dtype_complex64][diopi_dtype_bool] = either_part<float>;
  table.at[diopi_dtype_complex128][diopi_dtype_bool] = either_part<double>;
  table.at[diopi_dtype_float16][diopi_dtype_float16] = copy_loop<2>;
  table.at[diopi_dtype_bfloat16][diopi_dtype_bfloat16] = copy_loop<2>;
  table.at[diopi_dtype_complex64][diopi_dtype_complex64] = copy_loop<8>;
  table.at[diopi_dtype_complex128][diopi_dtype_complex128] = copy_loop<16>;
  return table;
}

constexpr Table kDirect = direct_table();

constexpr size_t storage_size(int d) {
  constexpr int kSizes[kDtypes] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1, 2, 0, 0, 8, 16};
  return static_cast<size_t>(kSizes[d]);
}

// Converts block by block, through the hub dtypes.
template <int kFrom, int kTo>
void through_hubs(void* dst, const void* src, int64_t n) {
  constexpr int kIn = hub_of(kFrom), kOut = hub_of(kTo);
  alignas(64) char first[kBlock * storage_size(kIn)];
  alignas(64) char second[kBlock * storage_size(kOut)];
  auto* to = static_cast<char*>(dst);
  const auto* from = static_cast<const char*>(src);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = n - i < kBlock ? n - i : kBlock;
    const void* in = from + static_cast<size_t>(i) * storage_size(kFrom);
    void* out = to + static_cast<size_t>(i) * storage_size(kTo);
    if constexpr (kFrom != kIn) {
      kDirect.at[kFrom][kIn].fn(first, in, count);
      in = first;
    }
    if constexpr (kIn != kOut) {
      void* target = kTo != kOut ? static_cast<void*>(second) : out;
      kDirect.at[kIn][kOut].fn(target, in, count);
      in = target;
    }
    if constexpr (kTo != kOut) kDirect.at[kOut][kTo].fn(out, in, count);
  }
}

template <int kFrom, int kTo>
constexpr CastFn pair_cast() {
  if constexpr (!has_storage(kFrom) || !has_storage(kTo)) {
    return nullptr;
  } else if constexpr (kDirect.at[kFrom][kTo].exists) {
    return kDirect.at[kFrom][kTo].fn;
  } else {
    return through_hubs<kFrom, kTo>;
  }
}

template <int kFrom, int... kTo>
constexpr void fill_row(Table* table, std::integer_sequence<int, kTo...>) {
  ((table->at[kFrom][kTo] = pair_cast<kFrom, kTo>()), ...);
}

template <int... kFrom>
constexpr Table full_table(std::integer_sequence<int, kFrom...> dtypes) {
  Table table;
  (fill_row<kFrom>(&table, dtypes), ...);
  return table;
}

constexpr Table kTable = full_table(std::make_integer_sequence<int, kDtypes>{});

}  // namespace

CastFn cast_function(diopiDtype_t from, diopiDtype_t to) {
  const auto row = static_cast<unsigned>(from), column = static_cast<unsigned>(to);
  return row < kDtypes && column < kDtypes ? kTable.at[row][column].fn : nullptr;
}

namespace {

// Converts block by block in the first-level cache and writes the results with non-temporal stores.
void cast_streaming(CastFn cast, char* dst, int64_t dst_size, const char* src, int64_t src_size, int64_t n) {
  alignas(64) char block[kStreamBlock * 16];
  for_stream_blocks(dst, dst_size, n, [&](int64_t i, int64_t count) {
    cast(block, src + i * src_size, count);
    stream_rows(dst + i * dst_size, 0, block, 0, count * dst_size, 1);
  });
}

// Whether both are integers of the same size.
bool have_same_bits(diopiDtype_t a, diopiDtype_t b) {
  return diopi::is_integral(a) && diopi::is_integral(b) && diopi::dtype_size(a) == diopi::dtype_size(b);
}

}  // namespace

void cast_contiguous(void* dst, diopiDtype_t to, const void* src, diopiDtype_t from, int64_t n) {
  const CastFn cast = cast_function(from, to);
  const int64_t in = diopi::dtype_size(from), out = diopi::dtype_size(to);
  constexpr int64_t kGrain = 32768;
  // Non-temporal stores do not pay for a narrower result, except on AMD's processors from 8 bytes on.
  const bool streams = n * out >= stream_bytes() && (out >= in || (in == 8 && reads_half_lines()));
  diopi::parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    char* const target = static_cast<char*>(dst) + begin * out;
    const char* const source = static_cast<const char*>(src) + begin * in;
    if (!streams) {
      cast(target, source, end - begin);
      return;
    }
    if (from == to || have_same_bits(from, to)) {
      stream_rows(target, 0, source, 0, (end - begin) * out, 1);
    } else {
      cast_streaming(cast, target, out, source, in, end - begin);
    }
    finish_stores();
  });
}

}  // namespace impl::cpu
