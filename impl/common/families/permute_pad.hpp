// SPDX-License-Identifier: BSD-3-Clause
// Padding. In each dimension, the result consists of the input itself and of the runs that continue it at both ends.
// Part of the family permute.
#ifndef IMPL_COMMON_FAMILIES_PERMUTE_PAD_HPP_
#define IMPL_COMMON_FAMILIES_PERMUTE_PAD_HPP_

#include <algorithm>
#include <cstring>

#include "arguments/permute.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/runs.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;
using diopi::Text;

enum class PadMode { kConstant, kReflect, kReplicate, kCircular };

// The mode of a text that has been checked.
inline PadMode pad_mode(const char* mode) {
  if (std::strcmp(mode, "constant") == 0) return PadMode::kConstant;
  if (std::strcmp(mode, "reflect") == 0) return PadMode::kReflect;
  return std::strcmp(mode, "replicate") == 0 ? PadMode::kReplicate : PadMode::kCircular;
}

// The elements that one dimension gets before and after the input. A negative number removes elements.
struct PadAmounts {
  int64_t before[diopi::kMaxDims], after[diopi::kMaxDims];
};

// The number of padded dimensions.
inline int padded_dims(const diopiSize_t& pad) { return static_cast<int>(pad.len / 2); }

inline Status read_amounts(const diopiSize_t& pad, const TensorView& in, PadAmounts* amounts, Dims* shape) {
  *shape = in.shape;
  std::fill_n(amounts->before, diopi::kMaxDims, 0);
  std::fill_n(amounts->after, diopi::kMaxDims, 0);
  for (int i = 0; i < padded_dims(pad); ++i) {
    const int d = in.ndim() - 1 - i;
    const int64_t before = pad.data[2 * i], after = pad.data[2 * i + 1];
    int64_t cut = 0, extent = 0;
    const bool fits = diopi::add_sizes(std::min<int64_t>(before, 0), std::min<int64_t>(after, 0), &cut) &&
                      diopi::add_sizes(in.shape[d], before, &extent) && diopi::add_sizes(extent, after, &extent);
    DIOPI_REQUIRE(fits && extent >= 0, diopiErrorOccurred,
                  "pad = %s makes dimension %d of input of shape %s smaller than 0 or larger than 2^63",
                  Text(pad).c_str(), d, Text(in.shape).c_str());
    amounts->before[d] = before;
    amounts->after[d] = after;
    (*shape)[d] = extent;
  }
  return diopiSuccess;
}

inline Status require_amounts(PadMode mode, const diopiSize_t& pad, const TensorView& in, const PadAmounts& amounts) {
  const int count = padded_dims(pad);
  if (mode == PadMode::kConstant) return diopiSuccess;
  DIOPI_REQUIRE(count >= 1 && count <= 3, diopiErrorOccurred, "pad has %lld entries, expected 2, 4 or 6 for this mode",
                static_cast<long long>(pad.len));
  DIOPI_REQUIRE(in.ndim() == count + 1 || in.ndim() == count + 2, diopiErrorOccurred,
                "input of shape %s has %d dimensions, expected %d or %d for pad = %s", Text(in.shape).c_str(),
                in.ndim(), count + 1, count + 2, Text(pad).c_str());
  for (int d = in.ndim() - count; d < in.ndim(); ++d) {
    const int64_t before = amounts.before[d], after = amounts.after[d];
    int64_t most = in.shape[d];
    if (mode == PadMode::kReflect) most -= 1;
    if (mode == PadMode::kCircular) most += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    if (mode == PadMode::kReplicate) most = in.shape[d] > 0 ? INT64_MAX : -1;
    DIOPI_REQUIRE(std::max<int64_t>({before, after, 0}) <= most, diopiErrorOccurred,
                  "pad = %s adds more to dimension %d of input of shape %s than this mode finds there",
                  Text(pad).c_str(), d, Text(in.shape).c_str());
  }
  return diopiSuccess;
}

// The runs before, in and after the input. Position s of the input is position s + before of the result.
inline diopi::DimRuns pad_runs(PadMode mode, int64_t extent, int64_t before, int64_t after) {
  int64_t first = 0, last = extent;  // what is left of the input
  if (mode == PadMode::kCircular) {
    first = std::max<int64_t>(0, -before);
    last = std::max(first, extent + std::min<int64_t>(after, 0));
  }
  const int64_t begin = -before, end = extent + after;
  const int64_t middle = std::clamp(first, begin, end), high = std::clamp(std::max(begin, last), middle, end);
  diopi::DimRuns runs;
  const auto add = [&](int64_t from, int64_t to, int64_t in, int64_t step) {
    runs.add({from - begin, to - from, in, step});
  };
  switch (mode) {
    case PadMode::kReflect:
      add(begin, middle, -begin, -1);
      add(middle, high, middle, 1);
      add(high, end, 2 * extent - 2 - high, -1);
      break;
    case PadMode::kReplicate:
      add(begin, middle, 0, 0);
      add(middle, high, middle, 1);
      add(high, end, extent - 1, 0);
      break;
    case PadMode::kCircular:
      add(begin, middle, last - (first - begin), 1);
      add(middle, high, middle, 1);
      add(high, end, first, 1);
      break;
    default:
      add(begin, middle, diopi::Run::kOutside, 0);
      add(middle, high, middle, 1);
      add(high, end, diopi::Run::kOutside, 0);
  }
  return runs;
}

// The padding as an element of `dtype`.
inline Status read_padding(const double* value, diopiDtype_t dtype, diopiScalar_t* scalar,
                           diopi::NumberOperand* operand, TensorView* number) {
  scalar->stype = diopi_dtype_float64;
  scalar->fval = value != nullptr ? *value : 0.0;
  DIOPI_TRY(diopi::require_fits(*scalar, "value", dtype));
  operand->set(*scalar, "value", dtype, number);
  if (dtype == diopi_dtype_float16) *number->ptr<float>() = static_cast<float>(diopi::float16(*number->ptr<float>()));
  if (dtype == diopi_dtype_bfloat16) *number->ptr<float>() = static_cast<float>(diopi::bfloat16(*number->ptr<float>()));
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::PadArgs& args) {
  TensorView &in = args.input, &out = args.out;
  const PadMode mode = pad_mode(args.mode);
  const bool mirrors = mode == PadMode::kReflect || mode == PadMode::kReplicate;
  DIOPI_REQUIRE(!mirrors || in.dtype != diopi_dtype_bool, diopiDtypeNotSupported,
                "input has dtype bool, expected another dtype for mode = %s", args.mode);
  DIOPI_REQUIRE(args.pad.len % 2 == 0 && padded_dims(args.pad) <= in.ndim(), diopiErrorOccurred,
                "pad has %lld entries, expected two for each of at most %d dimensions of input of shape %s",
                static_cast<long long>(args.pad.len), in.ndim(), Text(in.shape).c_str());
  PadAmounts amounts;
  Dims shape;
  DIOPI_TRY(read_amounts(args.pad, in, &amounts, &shape));
  DIOPI_TRY(require_amounts(mode, args.pad, in, amounts));
  diopiScalar_t scalar;
  diopi::NumberOperand operand;
  TensorView number;
  if (mode == PadMode::kConstant) DIOPI_TRY(read_padding(args.value, in.dtype, &scalar, &operand, &number));
  DIOPI_TRY(diopi::require_result_shape(&out, shape));
  DIOPI_TRY(diopi::require_writable(out));
  if (out.numel == 0) return diopiSuccess;
  DIOPI_TRY(replace_if_overlapping(ctx, out, &in));
  RunCopy call;
  call.out = out;
  call.in = in;
  call.number = number;
  for (int d = 0; d < in.ndim(); ++d) {
    call.dims[d] = pad_runs(mode, in.shape[d], amounts.before[d], amounts.after[d]);
  }
  return copy_runs(ctx, call);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_PERMUTE_PAD_HPP_
