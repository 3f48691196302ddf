// SPDX-License-Identifier: BSD-3-Clause
// Dropout, with the mask as an output.
#include <diopi/functions.h>

#include "impl/common/generator.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/pointwise/dropout.hpp"
#include "impl/cpu/random/random.hpp"
#include "impl/cpu/tensor/fill.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::read_tensor;
using diopi::Status;
using diopi::TensorView;

namespace {

Status check(const TensorView& input, double p, TensorView* out) {
  DIOPI_TRY(require_floating(input));
  DIOPI_TRY(require_floating(*out));
  DIOPI_REQUIRE(p >= 0 && p <= 1, diopiErrorOccurred, "p = %g is outside [0, 1]", p);
  DIOPI_TRY(diopi::require_result_shape(out, input));
  return diopi::require_writable(*out);
}

Status read_mask(diopiTensorHandle_t handle, const TensorView& out, const TensorView& input, TensorView* mask) {
  DIOPI_TRY(read_tensor(handle, "mask", mask));
  DIOPI_REQUIRE(mask->dtype == diopi_dtype_bool || diopi::is_integral(mask->dtype) || diopi::is_floating(mask->dtype),
                diopiDtypeNotSupported, "mask has dtype %s, expected a real one or bool",
                diopi::dtype_name(mask->dtype));
  Dims shape;
  diopi::drop_dim_of_number(mask, input.shape);
  DIOPI_TRY(diopi::broadcast_shapes(input, *mask, &shape));
  DIOPI_REQUIRE(shape == input.shape, diopiErrorOccurred, "mask has shape %s, which does not broadcast to %s",
                diopi::Text(mask->shape).c_str(), diopi::Text(input.shape).c_str());
  DIOPI_REQUIRE(!diopi::may_overlap(*mask, input) && !diopi::may_overlap(*mask, out), diopiErrorOccurred,
                "mask shares memory with %s", diopi::may_overlap(*mask, out) ? out.name : input.name);
  return diopi::require_writable(*mask);
}

// Whether all tensors are packed. Then one pass makes the mask and applies it.
bool is_packed(const TensorView& out, const TensorView& mask, const TensorView& input) {
  return input.dtype == out.dtype && input.shape == mask.shape &&
         (mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8) && input.is_contiguous() &&
         mask.is_contiguous() && out.is_contiguous() &&
         (diopi::is_same_view(out, input) || !diopi::may_overlap(out, input));
}

// Copies the input if nothing is dropped. No random numbers are taken.
Status keep_all(diopiContextHandle_t ctx, const TensorView& out, diopiTensorHandle_t mask_handle,
                const TensorView& input) {
  TensorView mask;
  if (mask_handle != nullptr) DIOPI_TRY(read_mask(mask_handle, out, input, &mask));
  DIOPI_TRY(copy_tensor(ctx, out, input));
  if (mask_handle != nullptr) fill_constant(mask, int64_t{1});
  return diopiSuccess;
}

Status dropout(diopiContextHandle_t ctx, TensorView out, diopiTensorHandle_t mask_handle, const TensorView& input,
               double p, bool train, diopiGeneratorHandle_t generator) {
  DIOPI_TRY(check(input, p, &out));
  if (!train) return keep_all(ctx, out, mask_handle, input);
  DIOPI_REQUIRE(mask_handle != nullptr && generator != nullptr, diopiErrorOccurred, "%s is null while train is set",
                mask_handle == nullptr ? "mask" : "generator");
  TensorView mask;
  RandomStream stream;
  DIOPI_TRY(read_mask(mask_handle, out, input, &mask));
  DIOPI_TRY(diopi::reserve_random(ctx, generator, mask.numel, &stream));
  const BernoulliParams keep(1 - p);
  const double scale = p < 1 ? 1 / (1 - p) : 0;
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
  TensorView o, x;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(out, "out", &o));
  return dropout(ctx, o, mask, x, p, train, generator);
}

diopiError_t diopiDropoutInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiTensorHandle_t mask, double p,
                             bool train, diopiGeneratorHandle_t generator) {
  TensorView x;
  DIOPI_TRY(read_tensor(input, "input", &x));
  return dropout(ctx, x, mask, x, p, train, generator);
}

}  // namespace impl::cpu
