// SPDX-License-Identifier: BSD-3-Clause
// Dropout, with the mask as an output.
#include <diopi/functions.h>

#include "impl/common/generator.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/kernels/copy.hpp"
#include "impl/cpu/kernels/dropout.hpp"
#include "impl/cpu/kernels/fill.hpp"
#include "impl/cpu/kernels/random.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::read_tensor;
using diopi::Status;
using diopi::TensorView;

namespace {

Status check(const TensorView& out, const TensorView& mask, const TensorView& input, double p) {
  DIOPI_TRY(require_floating(input));
  DIOPI_TRY(require_floating(out));
  DIOPI_REQUIRE(mask.dtype == diopi_dtype_bool || diopi::is_integral(mask.dtype) || diopi::is_floating(mask.dtype),
                diopiDtypeNotSupported, "mask has dtype %s, expected a real one or bool",
                diopi::dtype_name(mask.dtype));
  DIOPI_REQUIRE(p >= 0 && p <= 1, diopiErrorOccurred, "p = %g is outside [0, 1]", p);
  DIOPI_TRY(diopi::require_same_shape(out, input));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(input, mask, &shape));
  DIOPI_REQUIRE(shape == input.shape, diopiErrorOccurred, "mask has shape %s, which does not broadcast to %s",
                diopi::Text(mask.shape).c_str(), diopi::Text(input.shape).c_str());
  DIOPI_REQUIRE(!diopi::may_overlap(mask, input) && !diopi::may_overlap(mask, out), diopiErrorOccurred,
                "mask shares memory with %s", diopi::may_overlap(mask, out) ? out.name : input.name);
  DIOPI_TRY(diopi::require_writable(mask));
  DIOPI_TRY(diopi::require_writable(out));
  return diopiSuccess;
}

// One pass over packed memory makes the mask and applies it.
bool is_packed(const TensorView& out, const TensorView& mask, const TensorView& input) {
  return input.dtype == out.dtype && input.shape == mask.shape &&
         (mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8) && input.is_contiguous() &&
         mask.is_contiguous() && out.is_contiguous() &&
         (diopi::is_same_view(out, input) || !diopi::may_overlap(out, input));
}

Status dropout(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& input,
               double p, bool train, diopiGeneratorHandle_t generator) {
  DIOPI_TRY(check(out, mask, input, p));
  const BernoulliParams keep(train ? 1 - p : 1);
  const double scale = train ? (p < 1 ? 1 / (1 - p) : 0) : 1;
  if (!train) {
    DIOPI_TRY(copy_tensor(ctx, out, input));
    fill_constant(mask, int64_t{1});
    return diopiSuccess;
  }
  RandomStream stream;
  DIOPI_TRY(diopi::reserve_random(ctx, generator, mask.numel, &stream));
  if (is_packed(out, mask, input)) {
    dropout_packed(stream, keep, scale, input.dtype, input.data, input.numel, out.data, mask.ptr<uint8_t>());
    return diopiSuccess;
  }
  fill_random(stream, random_bernoulli(&keep), mask);
  return multiply_by_mask(ctx, out, input, mask, scale);
}

}  // namespace

diopiError_t diopiDropout(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t mask,
                          diopiConstTensorHandle_t input, double p, bool train, diopiGeneratorHandle_t generator) {
  TensorView o, m, x;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(mask, "mask", &m));
  DIOPI_TRY(read_tensor(out, "out", &o));
  return dropout(ctx, o, m, x, p, train, generator);
}

diopiError_t diopiDropoutInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiTensorHandle_t mask, double p,
                             bool train, diopiGeneratorHandle_t generator) {
  TensorView m, x;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(mask, "mask", &m));
  return dropout(ctx, x, m, x, p, train, generator);
}

}  // namespace impl::cpu
