// SPDX-License-Identifier: BSD-3-Clause
// Padding. The result consists of parts that are copies of views of the input: in each dimension the input itself, and
// what continues it at both ends. Part of the family permute.
#ifndef IMPL_COMMON_FAMILIES_PERMUTE_PAD_HPP_
#define IMPL_COMMON_FAMILIES_PERMUTE_PAD_HPP_

#include <algorithm>
#include <cstring>

#include "arguments/permute.hpp"
#include "impl/common/checked.hpp"
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

// A run of positions of a dimension of the result, and the positions of the input that it is a copy of.
struct PadRun {
  int64_t out, length, in, step;
};

// The runs before, in and after the input. Position s of the input is position s + before of the result.
inline void pad_runs(PadMode mode, int64_t extent, int64_t before, int64_t after, PadRun runs[3]) {
  int64_t first = 0, last = extent;  // what is left of the input
  if (mode == PadMode::kCircular) {
    first = std::max<int64_t>(0, -before);
    last = std::max(first, extent + std::min<int64_t>(after, 0));
  }
  const int64_t begin = -before, end = extent + after;
  const auto run = [&](int64_t from, int64_t to, int64_t in, int64_t step) {
    return PadRun{from - begin, std::max<int64_t>(0, to - from), in, step};
  };
  const int64_t middle = std::max(begin, first), after_middle = std::max(begin, last);
  const int64_t low_end = std::min(first, end), high = after_middle;
  runs[1] = run(middle, std::min(end, last), middle, 1);
  switch (mode) {
    case PadMode::kReflect:
      runs[0] = run(begin, low_end, -begin, -1);
      runs[2] = run(high, end, 2 * extent - 2 - high, -1);
      break;
    case PadMode::kReplicate:
      runs[0] = run(begin, low_end, 0, 0);
      runs[2] = run(high, end, extent - 1, 0);
      break;
    case PadMode::kCircular:
      runs[0] = run(begin, low_end, last - (first - begin), 1);
      runs[2] = run(high, end, first, 1);
      break;
    default:
      runs[0] = runs[2] = PadRun{0, 0, 0, 0};
  }
}

// Copies all combinations of runs of the dimensions from `dim` on.
inline Status copy_runs(diopiContextHandle_t ctx, PadMode mode, const PadAmounts& amounts, const TensorView& out,
                        const TensorView& in, int dim) {
  if (dim == in.ndim()) return copy(ctx, out, in);
  PadRun runs[3];
  pad_runs(mode, in.shape[dim], amounts.before[dim], amounts.after[dim], runs);
  for (const PadRun& run : runs) {
    if (run.length == 0) continue;
    TensorView from = in.narrow(dim, run.in, run.length);
    from.stride[dim] *= run.step;
    DIOPI_TRY(copy_runs(ctx, mode, amounts, out.narrow(dim, run.out, run.length), from, dim + 1));
  }
  return diopiSuccess;
}

// Writes `number` to what surrounds the input, dimension after dimension, and then the input.
inline Status pad_constant(diopiContextHandle_t ctx, const PadAmounts& amounts, TensorView out, TensorView in,
                           const TensorView& number) {
  for (int d = 0; d < in.ndim(); ++d) {
    PadRun runs[3];
    pad_runs(PadMode::kConstant, in.shape[d], amounts.before[d], amounts.after[d], runs);
    const PadRun& kept = runs[1];
    const int64_t low = kept.length > 0 ? kept.out : 0, high = low + kept.length;
    for (const TensorView& edge : {out.narrow(d, 0, low), out.narrow(d, high, out.shape[d] - high)}) {
      if (edge.numel > 0) DIOPI_TRY(copy(ctx, edge, number));
    }
    if (kept.length == 0) return diopiSuccess;
    out = out.narrow(d, low, kept.length);
    in = in.narrow(d, kept.in, kept.length);
  }
  return copy(ctx, out, in);
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
  if (mode == PadMode::kConstant) return pad_constant(ctx, amounts, out, in, number);
  return copy_runs(ctx, mode, amounts, out, in, in.ndim() - padded_dims(args.pad));
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_PERMUTE_PAD_HPP_
