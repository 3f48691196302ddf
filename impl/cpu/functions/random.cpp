// SPDX-License-Identifier: BSD-3-Clause
// Random tensors from a generator's seed and offset.
#include <diopi/functions.h>

#include <cmath>

#include "impl/common/generator.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/functions/random_bounds.hpp"
#include "impl/cpu/random/random.hpp"
#include "impl/cpu/sort/keys.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::read_tensor;
using diopi::Status;
using diopi::TensorView;

namespace {

Status require_real(const TensorView& view) {
  DIOPI_REQUIRE(diopi::is_floating(view.dtype) || diopi::is_integral(view.dtype) || view.dtype == diopi_dtype_bool,
                diopiDtypeNotSupported, "%s has dtype %s, expected a real one or bool", view.name,
                diopi::dtype_name(view.dtype));
  return diopiSuccess;
}

// An element of `out` may be written after the same element of `in` was read. Other overlaps are refused.
Status require_no_partial_overlap(const TensorView& out, const TensorView& in) {
  DIOPI_REQUIRE(!diopi::may_overlap(out, in) || diopi::is_same_view(out, in), diopiErrorOccurred,
                "%s overlaps %s partly", out.name, in.name);
  return diopiSuccess;
}

// Fills `out`. The caller has made all other checks.
Status fill_from(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, const RandomKernel& kernel,
                 const TensorView& out, const TensorView* inputs = nullptr) {
  DIOPI_TRY(diopi::require_writable(out));
  RandomStream stream;
  DIOPI_TRY(diopi::reserve_random(ctx, generator, random_words(kernel, out.numel), &stream));
  fill_random(stream, kernel, out, inputs);
  return diopiSuccess;
}

// Views a complex tensor as a real one with a last dimension of two; a floating point tensor is unchanged.
Status view_as_real(const TensorView& view, TensorView* real) {
  *real = view;
  if (view.dtype == diopi_dtype_complex64 || view.dtype == diopi_dtype_complex128) {
    DIOPI_REQUIRE(view.ndim() < diopi::kMaxDims, diopiErrorOccurred, "%s has %d dimensions, at most %d can be complex",
                  view.name, view.ndim(), diopi::kMaxDims - 1);
    real->dtype = view.dtype == diopi_dtype_complex64 ? diopi_dtype_float32 : diopi_dtype_float64;
    real->numel *= 2;
    for (int i = 0; i < view.ndim(); ++i) real->stride[i] *= 2;
    real->shape.push_back(2);
    real->stride.push_back(1);
  }
  return require_floating(*real);
}

Status normal(diopiContextHandle_t ctx, diopiTensorHandle_t handle, const char* name, double mean, double std,
              diopiGeneratorHandle_t generator) {
  TensorView view;
  DIOPI_TRY(read_tensor(handle, name, &view));
  DIOPI_REQUIRE(std >= 0, diopiErrorOccurred, "std = %g is negative or NaN", std);
  // The variance of a complex number is the sum of the variances of its parts.
  const NormalParams params{mean, diopi::is_complex(view.dtype) ? std / std::sqrt(2.0) : std};
  TensorView out;
  DIOPI_TRY(view_as_real(view, &out));
  return fill_from(ctx, generator, random_normal(out.dtype, &params), out);
}

// A 0-d view of a double, for `mean` and `std` given as numbers.
TensorView number_view(const double* value, const char* name) {
  TensorView view;
  view.data = reinterpret_cast<char*>(const_cast<double*>(value));  // inputs are never written
  view.name = name;
  view.dtype = diopi_dtype_float64;
  view.numel = 1;
  return view;
}

Status normal_tensors(diopiContextHandle_t ctx, diopiTensorHandle_t handle, const TensorView& mean,
                      const TensorView& std, diopiGeneratorHandle_t generator) {
  TensorView out;
  DIOPI_TRY(read_tensor(handle, "out", &out));
  DIOPI_TRY(require_floating(out));
  DIOPI_TRY(require_floating(mean));
  DIOPI_TRY(require_floating(std));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(mean, std, &shape));
  DIOPI_TRY(diopi::require_result_shape(&out, shape));
  const TensorView inputs[] = {mean.expand(shape), std.expand(shape)};
  for (const TensorView& input : inputs) DIOPI_TRY(require_no_partial_overlap(out, input));
  DIOPI_TRY(diopi::require_writable(out));
  const bool valid = all_ranges<double>(diopi::without_repeats(std), [](const double* values, int64_t count) {
    bool all = true;
    for (int64_t i = 0; i < count; ++i) all &= values[i] >= 0;
    return all;
  });
  DIOPI_REQUIRE(valid, diopiErrorOccurred, "std has an element that is negative or NaN");
  return fill_from(ctx, generator, random_normal_tensors(out.dtype), out, inputs);
}

Status bernoulli_from(diopiContextHandle_t ctx, TensorView out, const TensorView& p, diopiGeneratorHandle_t generator) {
  DIOPI_TRY(require_floating(p));
  DIOPI_TRY(require_real(out));
  DIOPI_TRY(diopi::require_result_shape(&out, p));
  DIOPI_TRY(require_no_partial_overlap(out, p));
  DIOPI_TRY(diopi::require_writable(out));
  const bool valid = all_ranges<double>(diopi::without_repeats(p), [](const double* values, int64_t count) {
    bool all = true;
    for (int64_t i = 0; i < count; ++i) all &= values[i] >= 0 && values[i] <= 1;
    return all;
  });
  DIOPI_REQUIRE(valid, diopiErrorOccurred, "%s has an element outside [0, 1]", p.name);
  return fill_from(ctx, generator, random_bernoulli_tensor(), out, &p);
}

}  // namespace

diopiError_t diopiUniformInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, double from, double to,
                             diopiGeneratorHandle_t generator) {
  TensorView view, out;
  DIOPI_TRY(read_tensor(inout, "inout", &view));
  DIOPI_TRY(view_as_real(view, &out));
  UniformParams params{};
  DIOPI_TRY(uniform_params(out.dtype, from, to, &params));
  return fill_from(ctx, generator, random_uniform(out.dtype, &params), out);
}

diopiError_t diopiRandomInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, int64_t from, const int64_t* to,
                            diopiGeneratorHandle_t generator) {
  TensorView out;
  DIOPI_TRY(read_tensor(inout, "inout", &out));
  DIOPI_TRY(require_real(out));
  IntegerParams params{};
  DIOPI_TRY(integer_params(out.dtype, from, to, &params));
  return fill_from(ctx, generator, random_integers(&params), out);
}

diopiError_t diopiNormal(diopiContextHandle_t ctx, diopiTensorHandle_t out, double mean, double std,
                         diopiGeneratorHandle_t generator) {
  return normal(ctx, out, "out", mean, std, generator);
}

diopiError_t diopiNormalInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, double mean, double std,
                            diopiGeneratorHandle_t generator) {
  return normal(ctx, inout, "inout", mean, std, generator);
}

diopiError_t diopiNormalTensorScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t mean,
                                     double std, diopiGeneratorHandle_t generator) {
  TensorView mean_view;
  DIOPI_TRY(read_tensor(mean, "mean", &mean_view));
  DIOPI_REQUIRE(std >= 0, diopiErrorOccurred, "std = %g is negative or NaN", std);
  return normal_tensors(ctx, out, mean_view, number_view(&std, "std"), generator);
}

diopiError_t diopiNormalScalarTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, double mean,
                                     diopiConstTensorHandle_t std, diopiGeneratorHandle_t generator) {
  TensorView std_view;
  DIOPI_TRY(read_tensor(std, "std", &std_view));
  return normal_tensors(ctx, out, number_view(&mean, "mean"), std_view, generator);
}

diopiError_t diopiNormalTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t mean,
                               diopiConstTensorHandle_t std, diopiGeneratorHandle_t generator) {
  TensorView mean_view, std_view;
  DIOPI_TRY(read_tensor(mean, "mean", &mean_view));
  DIOPI_TRY(read_tensor(std, "std", &std_view));
  return normal_tensors(ctx, out, mean_view, std_view, generator);
}

diopiError_t diopiBernoulli(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiGeneratorHandle_t generator) {
  TensorView o, p;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(read_tensor(input, "input", &p));
  return bernoulli_from(ctx, o, p, generator);
}

diopiError_t diopiBernoulliInp(diopiContextHandle_t ctx, diopiTensorHandle_t inout, diopiGeneratorHandle_t generator) {
  TensorView view;
  DIOPI_TRY(read_tensor(inout, "inout", &view));
  return bernoulli_from(ctx, view, view, generator);
}

diopiError_t diopiBernoulliScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, double p,
                                  diopiGeneratorHandle_t generator) {
  TensorView o;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(require_real(o));
  DIOPI_REQUIRE(p >= 0 && p <= 1, diopiErrorOccurred, "p = %g is outside [0, 1]", p);
  const BernoulliParams params(p);
  return fill_from(ctx, generator, random_bernoulli(&params), o);
}

diopiError_t diopiRandperm(diopiContextHandle_t ctx, diopiTensorHandle_t out, int64_t n,
                           diopiGeneratorHandle_t generator) {
  TensorView o;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_REQUIRE(diopi::is_integral(o.dtype) || diopi::is_floating(o.dtype), diopiDtypeNotSupported,
                "out has dtype %s, expected a real one", diopi::dtype_name(o.dtype));
  DIOPI_REQUIRE(n >= 0, diopiErrorOccurred, "n = %lld is negative", static_cast<long long>(n));
  DIOPI_REQUIRE(o.ndim() == 1 && o.numel == n, diopiErrorOccurred, "out has shape %s, expected [%lld]",
                diopi::Text(o.shape).c_str(), static_cast<long long>(n));
  DIOPI_REQUIRE(n <= 1 || static_cast<uint64_t>(n - 1) <= largest_exact(o.dtype), diopiErrorOccurred,
                "n = %lld is too large for out of dtype %s", static_cast<long long>(n), diopi::dtype_name(o.dtype));
  DIOPI_TRY(diopi::require_writable(o));
  diopi::Workspace workspace(ctx);
  uint64_t* keys = nullptr;
  DIOPI_TRY(workspace.take(2 * n, &keys));
  RandomStream stream;
  DIOPI_TRY(diopi::reserve_random(ctx, generator, 2 * n, &stream));
  int bits = 0;
  while (n > int64_t{1} << bits) ++bits;
  permutation_keys(stream, n, bits, keys);
  sort_packed_parallel(keys, n, keys + n);
  const uint64_t low = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
  diopi::parallel_for(n, 32768, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) keys[i] &= low;
  });
  const CopyDim dim{n, o.stride[0], 1};
  copy_strided(o.data, o.dtype, keys, diopi_dtype_uint64, &dim, 1);
  return diopiSuccess;
}

}  // namespace impl::cpu
