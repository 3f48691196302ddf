// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/narrowing.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "impl/common/dtype.hpp"
#include "impl/common/runtime_call.hpp"

namespace diopi {

namespace {

using Integers = TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;

// The integers that a dtype holds exactly: all of [low, high] up to 2^digits, and beyond that only those with enough
// trailing zeros.
struct ExactRange {
  int64_t low;
  uint64_t high;
  int digits;
};

ExactRange exact_range(diopiDtype_t dtype) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr uint64_t kHigh = std::numeric_limits<uint64_t>::max();
  switch (dtype) {
    case diopi_dtype_float16:
    case diopi_dtype_complex32:
      return {-65504, 65504, 11};
    case diopi_dtype_bfloat16:
      return {kLow, kHigh, 8};
    case diopi_dtype_float32:
    case diopi_dtype_complex64:
      return {kLow, kHigh, 24};
    case diopi_dtype_float64:
    case diopi_dtype_complex128:
      return {kLow, kHigh, 53};
    default:
      break;
  }
  ExactRange range{kLow, kHigh, 64};
  (void)visit_dtype<Integers>(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    range = {static_cast<int64_t>(std::numeric_limits<T>::min()), static_cast<uint64_t>(std::numeric_limits<T>::max()),
             64};
    return diopiSuccess;
  });
  return range;
}

template <typename T>
bool fits(T value, const ExactRange& range) {
  if (value < T{0}) {
    if (static_cast<int64_t>(value) < range.low) return false;
  } else if (static_cast<uint64_t>(value) > range.high) {
    return false;
  }
  if (range.digits == 64 || value == T{0}) return true;
  const uint64_t wide = static_cast<uint64_t>(value);
  const uint64_t magnitude = value < T{0} ? 0 - wide : wide;
  return magnitude >> __builtin_ctzll(magnitude) >> range.digits == 0;
}

// Returns the position of the first of `count` values that does not fit, or -1.
template <typename T>
int64_t first_misfit(const T* values, int64_t count, const ExactRange& range) {
  for (int64_t i = 0; i < count; ++i) {
    if (!fits(values[i], range)) return i;
  }
  return -1;
}

template <typename T>
Status misfit(T value, int64_t position, const TensorView& view, diopiDtype_t to, const char* argument) {
  Dims index;
  index.n = view.ndim();
  for (int dim = view.ndim() - 1; dim >= 0; --dim) {
    index[dim] = position % view.shape[dim];
    position /= view.shape[dim];
  }
  const Text where(index);
  char number[32];
  if constexpr (std::is_unsigned_v<T>) {
    std::snprintf(number, sizeof(number), "%llu", static_cast<unsigned long long>(value));
  } else {
    std::snprintf(number, sizeof(number), "%lld", static_cast<long long>(value));
  }
  return fail(diopiDtypeNotSupported, "%s%s = %s does not fit %s, in which this vendor computes %s", argument,
              index.n == 0 ? "" : where.c_str(), number, dtype_name(to), dtype_name(view.dtype));
}

}  // namespace

bool always_fits(diopiDtype_t from, diopiDtype_t to) {
  if (!is_integral(from)) return true;
  const ExactRange source = exact_range(from), target = exact_range(to);
  if (source.low < target.low || source.high > target.high) return false;
  return target.digits == 64 || source.high >> target.digits == 0;
}

Status check_narrowing(diopiContextHandle_t ctx, const VendorOps& ops, diopiConstTensorHandle_t tensor,
                       const TensorView& view, diopiDtype_t to, const char* argument) {
  if (view.numel == 0 || always_fits(view.dtype, to)) return diopiSuccess;
  TensorView flat = view;
  if (!view.is_contiguous()) {
    diopiTensorHandle_t copy = nullptr;
    DIOPI_TRY(ops.contiguous(ctx, &copy, tensor, Contiguous));
    DIOPI_TRY(read_tensor(copy, argument, &flat));
  }
  diopiDevice_t device = diopi_device;
  if (diopiGetTensorDevice != nullptr) DIOPI_TRY_RUNTIME(argument, diopiGetTensorDevice, tensor, &device);
  const ExactRange range = exact_range(to);
  return visit_dtype<Integers>(view.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    constexpr int64_t kChunk = 16384 / sizeof(T);
    T chunk[kChunk];
    for (int64_t begin = 0; begin < view.numel; begin += kChunk) {
      const int64_t count = std::min(kChunk, view.numel - begin);
      const T* values = flat.ptr<T>() + begin;
      if (device == diopi_device) {
        DIOPI_TRY(ops.copy_to_host(ctx, chunk, values, count * static_cast<int64_t>(sizeof(T))));
        values = chunk;
      }
      const int64_t i = first_misfit(values, count, range);
      if (i >= 0) return misfit(values[i], begin + i, view, to, argument);
    }
    return diopiSuccess;
  });
}

}  // namespace diopi
