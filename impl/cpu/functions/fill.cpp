// SPDX-License-Identifier: BSD-3-Clause
// Fills tensors with constants, ranges and one-hot rows.
#include "impl/cpu/tensor/fill.hpp"

#include <diopi/functions.h>

#include <cmath>

#include "impl/common/checked.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::read_tensor;
using diopi::Status;
using diopi::TensorView;

namespace {

bool is_real(diopiDtype_t dtype) { return diopi::is_floating(dtype) || diopi::is_integral(dtype); }

double as_double(const diopiScalar_t& s) { return diopi::is_floating(s) ? s.fval : static_cast<double>(s.ival); }
int64_t as_integer(const diopiScalar_t& s) { return diopi::is_floating(s) ? static_cast<int64_t>(s.fval) : s.ival; }

// The number that a scalar becomes in `dtype`: truncated for integral dtypes, and for unsigned ones negative integers
// wrap around.
double as_held(const diopiScalar_t& s, diopiDtype_t dtype) {
  if (!diopi::is_integral(dtype)) return as_double(s);
  if (diopi::is_floating(s)) return std::trunc(s.fval);
  if (s.ival >= 0 || !diopi::is_unsigned(dtype)) return as_double(s);
  return static_cast<double>(static_cast<uint64_t>(s.ival) & ~uint64_t{0} >> (64 - 8 * diopi::dtype_size(dtype)));
}

Status fill_number(diopiTensorHandle_t handle, const char* name, int64_t number) {
  TensorView out;
  DIOPI_TRY(read_tensor(handle, name, &out));
  DIOPI_TRY(require_storage(out));
  DIOPI_TRY(diopi::require_writable(out));
  fill_constant(out, number);
  return diopiSuccess;
}

Status fill_sized(diopiTensorHandle_t handle, const diopiSize_t& size, int64_t number) {
  TensorView out;
  DIOPI_TRY(read_tensor(handle, "out", &out));
  DIOPI_REQUIRE(size.len >= 0 && size.len <= diopi::kMaxDims, diopiErrorOccurred, "size has %lld dimensions",
                static_cast<long long>(size.len));
  DIOPI_TRY(diopi::require_result_shape(out, Dims(size)));
  return fill_number(handle, "out", number);
}

// Requires that `out` is one row of `count` elements.
Status require_row(const TensorView& out, int64_t count) {
  Dims expected;
  expected.push_back(count);
  DIOPI_TRY(diopi::require_shape(out, expected));
  return diopi::require_writable(out);
}

// Computes the number of elements of a range. The caller has checked the bounds. As in PyTorch, all three numbers are
// truncated first for int64, but not for other integer dtypes.
Status arange_size(diopiDtype_t dtype, const diopiScalar_t& start, const diopiScalar_t& end, const diopiScalar_t& step,
                   int64_t* size) {
  const bool fractions = diopi::is_floating(start) || diopi::is_floating(end) || diopi::is_floating(step);
  if (fractions && dtype != diopi_dtype_int64) {
    *size = static_cast<int64_t>(std::ceil((as_double(end) - as_double(start)) / as_double(step)));
    return diopiSuccess;
  }
  DIOPI_TRY(diopi::require_fits(end, "end", diopi_dtype_int64));
  const __int128 span = static_cast<__int128>(as_integer(end)) - as_integer(start), by = as_integer(step);
  DIOPI_REQUIRE(by != 0, diopiErrorOccurred, "step = %g becomes zero when it is truncated to int64", as_double(step));
  *size = static_cast<int64_t>((span + by - (by > 0 ? 1 : -1)) / by);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiFill(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* value) {
  TensorView out;
  DIOPI_TRY(read_tensor(input, "input", &out));
  DIOPI_TRY(require_storage(out));
  DIOPI_TRY(diopi::require_fits(*value, "value", out.dtype));
  DIOPI_TRY(diopi::require_writable(out));
  if (diopi::is_floating(*value)) {
    fill_constant(out, value->fval);
  } else {
    fill_constant(out, value->ival);
  }
  return diopiSuccess;
}

diopiError_t diopiZeros(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiSize_t size) {
  return fill_sized(out, size, 0);
}

diopiError_t diopiOnes(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiSize_t size) {
  return fill_sized(out, size, 1);
}

diopiError_t diopiZeroInp(diopiContextHandle_t ctx, diopiTensorHandle_t self) { return fill_number(self, "self", 0); }

diopiError_t diopiArange(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* start,
                         const diopiScalar_t* end, const diopiScalar_t* step) {
  TensorView o;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_REQUIRE(is_real(o.dtype), diopiDtypeNotSupported, "out has dtype %s, expected a real one",
                diopi::dtype_name(o.dtype));
  const double first = as_double(*start), last = as_double(*end), by = as_double(*step);
  DIOPI_REQUIRE(by > 0 || by < 0, diopiErrorOccurred, "step = %g is zero or NaN", by);
  DIOPI_REQUIRE(std::isfinite(first) && std::isfinite(last) && std::isfinite(by), diopiErrorOccurred,
                "start = %g, end = %g, step = %g: a range has finite bounds", first, last, by);
  DIOPI_REQUIRE((by > 0 && last >= first) || (by < 0 && last <= first), diopiErrorOccurred,
                "start = %g and end = %g contradict the sign of step = %g", first, last, by);
  const double estimate = std::ceil((last - first) / by);
  DIOPI_REQUIRE(estimate < 0x1p62, diopiErrorOccurred,
                "start = %g, end = %g, step = %g: a range of %g elements is too long", first, last, by, estimate);
  if (!diopi::is_floating(o.dtype)) {
    DIOPI_TRY(diopi::require_fits(*start, "start", diopi_dtype_int64));
    DIOPI_TRY(diopi::require_fits(*step, "step", diopi_dtype_int64));
  }
  int64_t size = 0;
  DIOPI_TRY(arange_size(o.dtype, *start, *end, *step, &size));
  DIOPI_TRY(require_row(o, size));
  if (diopi::is_floating(o.dtype)) {
    fill_arange(o, first, by);
  } else {
    fill_arange(o, as_integer(*start), as_integer(*step));
  }
  return diopiSuccess;
}

diopiError_t diopiLinspace(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* start,
                           const diopiScalar_t* end, int64_t steps) {
  TensorView o;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_REQUIRE(is_real(o.dtype) || diopi::is_complex(o.dtype), diopiDtypeNotSupported,
                "out has dtype %s, expected a numeric one", diopi::dtype_name(o.dtype));
  DIOPI_TRY(require_storage(o));
  DIOPI_REQUIRE(steps >= 0, diopiErrorOccurred, "steps = %lld is negative", static_cast<long long>(steps));
  DIOPI_TRY(require_row(o, steps));
  if (steps > 0) DIOPI_TRY(diopi::require_fits(*start, "start", o.dtype));
  if (steps > 1) DIOPI_TRY(diopi::require_fits(*end, "end", o.dtype));
  if (steps == 1 && !diopi::is_floating(*start)) {
    fill_constant(o, start->ival);
  } else {
    fill_linspace(o, as_held(*start, o.dtype), as_held(*end, o.dtype), steps);
  }
  return diopiSuccess;
}

diopiError_t diopiOneHot(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         int64_t num_classes) {
  TensorView o, in;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(read_tensor(input, "input", &in));
  DIOPI_REQUIRE(in.dtype == diopi_dtype_int64 || in.dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "input has dtype %s, expected int64 or int32", diopi::dtype_name(in.dtype));
  DIOPI_REQUIRE(is_real(o.dtype), diopiDtypeNotSupported, "out has dtype %s, expected a real one",
                diopi::dtype_name(o.dtype));
  DIOPI_REQUIRE(num_classes >= -1, diopiErrorOccurred, "num_classes = %lld is less than -1",
                static_cast<long long>(num_classes));
  DIOPI_REQUIRE(in.numel > 0 || num_classes > 0, diopiErrorOccurred,
                "num_classes = %lld, expected at least 1: an empty input does not determine the number of classes",
                static_cast<long long>(num_classes));
  DIOPI_REQUIRE(in.ndim() < diopi::kMaxDims, diopiErrorOccurred, "input has %d dimensions; at most %d are supported",
                in.ndim(), diopi::kMaxDims - 1);
  // If the number of classes is not known yet, the shape of `out` is accepted for it; it is checked again below.
  Dims expected = in.shape;
  expected.push_back(num_classes == -1 && o.ndim() == in.ndim() + 1 ? o.shape[in.ndim()] : num_classes);
  DIOPI_TRY(diopi::require_shape(o, expected));
  DIOPI_TRY(diopi::require_writable(o));
  DIOPI_REQUIRE(!diopi::may_overlap(o, in), diopiErrorOccurred, "out shares memory with input");
  int64_t least = 0, most = -1;
  if (in.numel > 0) index_range(diopi::without_repeats(in), &least, &most);
  DIOPI_REQUIRE(least >= 0, diopiErrorOccurred, "input has the negative class %lld", static_cast<long long>(least));
  int64_t classes = num_classes;
  if (num_classes == -1) {
    DIOPI_REQUIRE(diopi::add_sizes(most, 1, &classes), diopiErrorOccurred, "input has class %lld",
                  static_cast<long long>(most));
  }
  DIOPI_REQUIRE(most < classes, diopiErrorOccurred, "input has class %lld, but num_classes = %lld",
                static_cast<long long>(most), static_cast<long long>(classes));
  expected[in.ndim()] = classes;
  DIOPI_TRY(diopi::require_shape(o, expected));
  fill_one_hot(o, in);
  return diopiSuccess;
}

diopiError_t diopiMeshGrid(diopiContextHandle_t ctx, diopiTensorHandle_t* outs, diopiConstTensorHandle_t* inputs,
                           int64_t inputsNum) {
  DIOPI_REQUIRE(inputsNum >= 1 && inputsNum <= diopi::kMaxDims, diopiErrorOccurred,
                "inputsNum = %lld is out of range [1, %d]", static_cast<long long>(inputsNum), diopi::kMaxDims);
  const int count = static_cast<int>(inputsNum);
  TensorView in[diopi::kMaxDims], out[diopi::kMaxDims];
  Dims grid;
  for (int i = 0; i < count; ++i) {
    DIOPI_REQUIRE(inputs[i] != nullptr && outs[i] != nullptr, diopiErrorOccurred, "%s[%d] is null",
                  inputs[i] == nullptr ? "inputs" : "outs", i);
    DIOPI_TRY(read_tensor(inputs[i], "inputs", &in[i]));
    DIOPI_TRY(read_tensor(outs[i], "outs", &out[i]));
    DIOPI_TRY(require_storage(in[i]));
    DIOPI_REQUIRE(in[i].ndim() <= 1, diopiErrorOccurred, "inputs has shape %s, expected at most one dimension",
                  diopi::Text(in[i].shape).c_str());
    DIOPI_TRY(diopi::require_dtype(in[i], in[0].dtype));
    grid.push_back(in[i].numel);
  }
  for (int i = 0; i < count; ++i) {
    DIOPI_TRY(diopi::require_dtype(out[i], in[0].dtype));
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
    copy_view(out[i], axis);
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
