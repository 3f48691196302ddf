// SPDX-License-Identifier: BSD-3-Clause
// Draws positions with given weights.
#include <diopi/functions.h>

#include <cmath>

#include "impl/common/checked.hpp"
#include "impl/common/generator.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/random/multinomial.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::read_tensor;
using diopi::Status;
using diopi::TensorView;

namespace {

Status check(const TensorView& out, const TensorView& input, int64_t num_samples, bool replacement) {
  DIOPI_TRY(require_floating(input));
  DIOPI_REQUIRE(out.dtype == diopi_dtype_int64 || out.dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "out has dtype %s, expected int64 or int32", diopi::dtype_name(out.dtype));
  DIOPI_REQUIRE(input.ndim() == 1 || input.ndim() == 2, diopiErrorOccurred,
                "input has shape %s, expected one or two dimensions", diopi::Text(input.shape).c_str());
  const int64_t n = input.shape[input.ndim() - 1];
  DIOPI_REQUIRE(num_samples > 0, diopiErrorOccurred, "num_samples = %lld is not positive",
                static_cast<long long>(num_samples));
  DIOPI_REQUIRE(replacement || num_samples <= n, diopiErrorOccurred,
                "num_samples = %lld is more than the %lld positions of input, without replacement",
                static_cast<long long>(num_samples), static_cast<long long>(n));
  Dims expected = input.shape;
  expected[expected.n - 1] = num_samples;
  DIOPI_TRY(diopi::require_shape(out, expected));
  DIOPI_TRY(diopi::require_numbered(out, n, input));
  DIOPI_REQUIRE(!diopi::may_overlap(out, input), diopiErrorOccurred, "out shares memory with input");
  return diopi::require_writable(out);
}

}  // namespace

diopiError_t diopiMultinomial(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              int64_t num_samples, bool replacement, diopiGeneratorHandle_t generator) {
  TensorView o, in;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(read_tensor(input, "input", &in));
  DIOPI_TRY(check(o, in, num_samples, replacement));
  if (in.ndim() == 1) {
    in = in.unsqueeze(0);
    o = o.unsqueeze(0);
  }
  const int64_t rows = in.shape[0], n = in.shape[1];
  double* weights = nullptr;
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(rows * n, &weights));
  const WeightProblem problem = read_weights(in, weights);
  DIOPI_REQUIRE(problem.row < 0 || !problem.invalid, diopiErrorOccurred,
                "input has an element that is negative, infinite or NaN in row %lld",
                static_cast<long long>(problem.row));
  DIOPI_REQUIRE(problem.row < 0, diopiErrorOccurred, "the weights of row %lld of input do not have a positive sum",
                static_cast<long long>(problem.row));
  MultinomialPlan plan{rows, n, num_samples, weights, nullptr};
  if (!replacement) DIOPI_TRY(workspace.take(rows * n, &plan.order));
  RandomStream stream;
  DIOPI_TRY(diopi::reserve_random(ctx, generator, 2 * rows * (replacement ? num_samples : n), &stream));
  if (replacement) {
    draw_with_replacement(stream, plan, o);
  } else {
    draw_without_replacement(stream, plan, o);
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
