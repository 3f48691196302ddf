// SPDX-License-Identifier: BSD-3-Clause
// Fills tensors with constants, ranges and one-hot rows. impl/<vendor>/functions/fill.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_FILL_HPP_
#define IMPL_COMMON_FAMILIES_FILL_HPP_

#include <cmath>

#include "arguments/fill.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/engine/index_range.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;
using diopi::Text;

inline Status fill_whole(diopiContextHandle_t ctx, const TensorView& out, int64_t number) {
  DIOPI_TRY(diopi::require_writable(out));
  diopiScalar_t value;
  value.stype = diopi_dtype_int64;
  value.ival = number;
  return fill(ctx, out, value);
}

inline Status run(diopiContextHandle_t ctx, diopi::FillArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.input));
  return fill(ctx, args.input, *args.value);
}
inline Status run(diopiContextHandle_t ctx, diopi::ZerosArgs& args) { return fill_whole(ctx, args.out, 0); }
inline Status run(diopiContextHandle_t ctx, diopi::OnesArgs& args) { return fill_whole(ctx, args.out, 1); }
inline Status run(diopiContextHandle_t ctx, diopi::ZeroInpArgs& args) { return fill_whole(ctx, args.self, 0); }

// Computes the number of elements of a range. The caller has checked the bounds. As in PyTorch, all three numbers are
// truncated first for int64, but not for other integer dtypes.
inline Status arange_size(diopiDtype_t dtype, const diopiScalar_t& start, const diopiScalar_t& end,
                          const diopiScalar_t& step, int64_t* size) {
  const bool fractions = diopi::is_floating(start) || diopi::is_floating(end) || diopi::is_floating(step);
  const auto by = diopi::scalar_as<double>(step);
  if (fractions && dtype != diopi_dtype_int64) {
    *size = static_cast<int64_t>(std::ceil((diopi::scalar_as<double>(end) - diopi::scalar_as<double>(start)) / by));
    return diopiSuccess;
  }
  DIOPI_TRY(diopi::require_fits(end, "end", diopi_dtype_int64));
  const auto first = diopi::scalar_as<int64_t>(start), last = diopi::scalar_as<int64_t>(end);
  const auto whole_step = diopi::scalar_as<int64_t>(step);
  int64_t distance = 0;
  if (diopi::sub_sizes(last, first, &distance)) {  // the quotient of 128 bits takes several times as long
    *size = distance / whole_step + (distance % whole_step != 0 ? 1 : 0);
    return diopiSuccess;
  }
  const __int128 span = static_cast<__int128>(last) - first;
  const __int128 whole = whole_step;
  *size = static_cast<int64_t>((span + whole - (whole > 0 ? 1 : -1)) / whole);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::ArangeArgs& args) {
  const TensorView& out = args.out;
  const auto first = diopi::scalar_as<double>(*args.start), last = diopi::scalar_as<double>(*args.end);
  const auto by = diopi::scalar_as<double>(*args.step);
  DIOPI_REQUIRE((by > 0 && last >= first) || (by < 0 && last <= first), diopiErrorOccurred,
                "start = %g and end = %g contradict the sign of step = %g", first, last, by);
  const double estimate = std::ceil((last - first) / by);
  DIOPI_REQUIRE(estimate < 0x1p62, diopiErrorOccurred,
                "start = %g, end = %g, step = %g: a range of %g elements is too long", first, last, by, estimate);
  if (!diopi::is_floating(out.dtype)) {
    DIOPI_TRY(diopi::require_fits(*args.start, "start", diopi_dtype_int64));
    DIOPI_TRY(diopi::require_fits(*args.step, "step", diopi_dtype_int64));
  }
  int64_t size = 0;
  DIOPI_TRY(arange_size(out.dtype, *args.start, *args.end, *args.step, &size));
  DIOPI_TRY(diopi::require_shape_like(&args.out, {size}));
  DIOPI_TRY(diopi::require_writable(out));
  return fill_arange(ctx, out, *args.start, *args.step);
}

// The number that a scalar becomes in `dtype`: truncated for integral dtypes, and for unsigned ones negative integers
// wrap around.
inline double held_number(const diopiScalar_t& s, diopiDtype_t dtype) {
  if (!diopi::is_integral(dtype)) return diopi::scalar_as<double>(s);
  if (diopi::is_floating(s)) return std::trunc(s.fval);
  if (s.ival >= 0 || !diopi::is_unsigned(dtype)) return diopi::scalar_as<double>(s);
  return static_cast<double>(static_cast<uint64_t>(s.ival) & ~uint64_t{0} >> (64 - 8 * diopi::dtype_size(dtype)));
}

inline Status run(diopiContextHandle_t ctx, diopi::LinspaceArgs& args) {
  const TensorView& out = args.out;
  DIOPI_TRY(diopi::require_writable(out));
  if (args.steps == 1 && !diopi::is_floating(*args.start)) return fill(ctx, out, *args.start);
  return fill_linspace(ctx, out, held_number(*args.start, out.dtype), held_number(*args.end, out.dtype));
}

// The number of classes: one more than the greatest.
inline Status count_classes(diopiContextHandle_t ctx, const TensorView& in, int64_t* classes) {
  int64_t least = 0, most = -1;
  if (in.numel > 0) DIOPI_TRY(index_range(ctx, in, &least, &most));
  if (least < 0) return diopi::refuse_class_number(least, 0);
  DIOPI_REQUIRE(diopi::add_sizes(most, 1, classes), diopiErrorOccurred, "input has class %lld",
                static_cast<long long>(most));
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::OneHotArgs& args) {
  const TensorView &out = args.out, &in = args.input;
  DIOPI_TRY(diopi::require_ndim(in, diopi::Between{0, diopi::kMaxDims - 1}));
  // If the number of classes is not known yet, the shape of `out` is accepted for it; it is checked again below.
  Dims expected = in.shape;
  expected.push_back(args.num_classes == -1 && out.ndim() == in.ndim() + 1 ? out.shape[in.ndim()] : args.num_classes);
  DIOPI_TRY(diopi::require_shape(out, expected));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_REQUIRE(!diopi::may_overlap(out, in), diopiErrorOccurred, "out shares memory with input");
  if (args.num_classes == -1) {
    DIOPI_TRY(count_classes(ctx, in, &expected[in.ndim()]));
    DIOPI_TRY(diopi::require_shape(out, expected));
  } else if (in.numel > 0) {
    DIOPI_TRY(check_classes(ctx, in, args.num_classes));
  }
  return fill_one_hot(ctx, out, in);
}

inline Status run(diopiContextHandle_t ctx, diopi::MeshGridArgs& args) {
  const diopi::ViewList &in = args.inputs, &out = args.outs;
  const int count = static_cast<int>(in.size());
  Dims grid;
  for (const TensorView& view : in) grid.push_back(view.numel);
  for (int i = 0; i < count; ++i) {
    DIOPI_TRY(diopi::require_shape(out[i], grid));
    DIOPI_TRY(diopi::require_writable(out[i]));
    for (int j = 0; j < count; ++j) {
      DIOPI_REQUIRE(!diopi::may_overlap(out[i], in[j]) && (i == j || !diopi::may_overlap(out[i], out[j])),
                    diopiErrorOccurred, "outs shares memory with inputs or with itself");
    }
  }
  for (int i = 0; i < count; ++i) {
    TensorView axis = in[i];  // the input along dimension i, repeated along all others
    axis.shape = grid;
    axis.stride = grid;
    for (int d = 0; d < count; ++d) axis.stride[d] = d == i && in[i].ndim() == 1 ? in[i].stride[0] : 0;
    axis.numel = out[i].numel;
    DIOPI_TRY(copy(ctx, out[i], axis));
  }
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/fill.hpp"

#endif  // IMPL_COMMON_FAMILIES_FILL_HPP_
