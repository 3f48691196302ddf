// SPDX-License-Identifier: BSD-3-Clause
// Random tensors from a generator's seed and offset. impl/<vendor>/functions/random.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_RANDOM_HPP_
#define IMPL_COMMON_FAMILIES_RANDOM_HPP_

#include "arguments/random.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/random.hpp"

namespace impl::DIOPI_VENDOR {

// The words of numbers of a floating point dtype.
inline RandomWords words_of_numbers(diopiGeneratorHandle_t generator, const TensorView& out) {
  return {generator, (out.dtype == diopi_dtype_float64 ? 2 : 1) * out.numel};
}

// An element of `out` may be written after the same element of `in` was read. Other overlaps are refused.
inline Status require_no_partial_overlap(const TensorView& out, const TensorView& in) {
  DIOPI_REQUIRE(!diopi::may_overlap(out, in) || diopi::is_same_view(out, in), diopiErrorOccurred,
                "%s overlaps %s partly", out.name, in.name);
  return diopiSuccess;
}

// Views a complex tensor as a real one with a last dimension of two; a floating point tensor is unchanged.
inline Status view_as_real(TensorView* view) {
  if (!diopi::is_complex(view->dtype)) return diopiSuccess;
  DIOPI_REQUIRE(view->ndim() < diopi::kMaxDims, diopiErrorOccurred, "%s has %d dimensions, at most %d can be complex",
                view->name, view->ndim(), diopi::kMaxDims - 1);
  view->dtype = diopi::real_dtype(view->dtype);
  view->numel *= 2;
  for (int i = 0; i < view->ndim(); ++i) view->stride[i] *= 2;
  view->shape.push_back(2);
  view->stride.push_back(1);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::UniformInpArgs& args) {
  TensorView& out = args.inout;
  DIOPI_TRY(view_as_real(&out));
  const diopi::UniformParams params = diopi::uniform_params(out.dtype, args.from, args.to);
  DIOPI_TRY(diopi::require_writable(out));
  return run_uniform(ctx, words_of_numbers(args.generator, out), out, params);
}

inline Status run(diopiContextHandle_t ctx, diopi::RandomInpArgs& args) {
  diopi::IntegerParams params{};
  DIOPI_TRY(diopi::integer_params(args.inout.dtype, args.from, args.to, &params));
  DIOPI_TRY(diopi::require_writable(args.inout));
  return run_integers(ctx, {args.generator, 2 * args.inout.numel}, args.inout, params);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalArgs& args) {
  // The variance of a complex number is the sum of the variances of its parts.
  const double std = diopi::is_complex(args.out.dtype) ? args.std / std::sqrt(2.0) : args.std;
  DIOPI_TRY(view_as_real(&args.out));
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_normal(ctx, words_of_numbers(args.generator, args.out), args.out, {args.mean, std});
}

// `mean` and `std` broadcast to the shape of `out`.
inline Status normal_tensors(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, const TensorView& out,
                             const TensorView& mean, const TensorView& std) {
  const TensorView means = mean.expand(out.shape), stds = std.expand(out.shape);
  DIOPI_TRY(require_no_partial_overlap(out, means));
  DIOPI_TRY(require_no_partial_overlap(out, stds));
  DIOPI_TRY(diopi::require_writable(out));
  return run_normal_tensors(ctx, words_of_numbers(generator, out), out, means, stds);
}

// The error for elements that are not in [0, most].
inline Status refuse_outside(const char* name, double most) {
  if (most == INFINITY) return diopi::fail(diopiErrorOccurred, "%s has an element that is negative or NaN", name);
  return diopi::fail(diopiErrorOccurred, "%s has an element outside [0, %g]", name, most);
}

inline Status require_within(diopiContextHandle_t ctx, const TensorView& view, double most) {
  bool valid = true;
  DIOPI_TRY(all_within(ctx, view, 0, most, &valid));
  return valid ? Status(diopiSuccess) : refuse_outside(view.name, most);
}

// A number as an operand of float64.
inline void set_number(diopi::NumberOperand* number, double value, const char* name, TensorView* view) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_float64;
  scalar.fval = value;
  number->set(scalar, name, scalar.stype, view);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalTensorScalarArgs& args) {
  diopi::NumberOperand number;
  TensorView std;
  set_number(&number, args.std, "std", &std);
  return normal_tensors(ctx, args.generator, args.out, args.mean, std);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalScalarTensorArgs& args) {
  diopi::NumberOperand number;
  TensorView mean;
  set_number(&number, args.mean, "mean", &mean);
  DIOPI_TRY(require_within(ctx, args.std, INFINITY));
  return normal_tensors(ctx, args.generator, args.out, mean, args.std);
}

inline Status run(diopiContextHandle_t ctx, diopi::NormalTensorArgs& args) {
  DIOPI_TRY(require_within(ctx, args.std, INFINITY));
  return normal_tensors(ctx, args.generator, args.out, args.mean, args.std);
}

inline Status bernoulli_from(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, const TensorView& out,
                             const TensorView& p) {
  DIOPI_TRY(require_no_partial_overlap(out, p));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(require_within(ctx, p, 1));
  return run_bernoulli_tensor(ctx, {generator, out.numel}, out, p);
}

inline Status run(diopiContextHandle_t ctx, diopi::BernoulliArgs& args) {
  return bernoulli_from(ctx, args.generator, args.out, args.input);
}
inline Status run(diopiContextHandle_t ctx, diopi::BernoulliInpArgs& args) {
  return bernoulli_from(ctx, args.generator, args.inout, args.inout);
}

inline Status run(diopiContextHandle_t ctx, diopi::BernoulliScalarArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_bernoulli(ctx, {args.generator, args.out.numel}, args.out, diopi::BernoulliParams(args.p));
}

inline Status run(diopiContextHandle_t ctx, diopi::RandpermArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_permutation(ctx, {args.generator, 2 * args.n}, args.out);
}

inline Status run(diopiContextHandle_t ctx, diopi::MultinomialArgs& args) {
  TensorView out = args.out, weights = args.input;
  if (weights.ndim() == 1) {
    weights = weights.unsqueeze(0);
    out = out.unsqueeze(0);
  }
  const int64_t rows = weights.shape[0], n = weights.shape[1];
  DIOPI_TRY(diopi::require_numbered(out, n, args.input));
  DIOPI_REQUIRE(!diopi::may_overlap(out, weights), diopiErrorOccurred, "out shares memory with input");
  DIOPI_TRY(diopi::require_writable(out));
  const RandomWords words{args.generator, 2 * rows * (args.replacement ? args.num_samples : n)};
  return run_multinomial(ctx, words, out, weights, args.replacement);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/random.hpp"

#endif  // IMPL_COMMON_FAMILIES_RANDOM_HPP_
