// SPDX-License-Identifier: BSD-3-Clause
// Matrix products, the linear layer and their gradients. impl/<vendor>/functions/matmul.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MATMUL_HPP_
#define IMPL_COMMON_FAMILIES_MATMUL_HPP_

#include <cmath>

#include "arguments/matmul.hpp"
#include "impl/common/families/matmul_linear.hpp"
#include "impl/common/families/matmul_operands.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::MmArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_matmul(ctx, args.out, args.input, args.mat2);
}
inline Status run(diopiContextHandle_t ctx, diopi::BmmArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_matmul(ctx, args.out, args.input, args.mat2);
}

// A factor for products of `dtype`: truncated to an integer if the dtype is integral.
inline Factor make_factor(const diopiScalar_t& scalar, diopiDtype_t dtype) {
  constexpr double kExact = 0x1p53;  // doubles hold all integers up to this number
  if (!diopi::is_floating(scalar)) return {static_cast<double>(scalar.ival), scalar.ival};
  if (diopi::is_integral(dtype)) {
    const double whole = std::trunc(scalar.fval);
    const bool beyond = whole >= 0x1p63;  // fits only uint64
    return {whole, beyond ? static_cast<int64_t>(static_cast<uint64_t>(whole)) : static_cast<int64_t>(whole)};
  }
  const bool is_integer = std::fabs(scalar.fval) < kExact && scalar.fval == std::trunc(scalar.fval);
  return {scalar.fval, is_integer ? static_cast<int64_t>(scalar.fval) : -1};
}

// Reads beta for a call without a product to add. PyTorch then treats beta as an operand, whose integers wrap around,
// and not as a factor.
inline Status read_only_factor(const diopiScalar_t& beta, diopiDtype_t dtype, Factor* factor) {
  constexpr double kMost = 9.2e18;  // int64 holds it
  const bool is_cut = diopi::is_integral(dtype) && diopi::is_floating(beta);
  DIOPI_REQUIRE(!is_cut || beta.fval == std::trunc(beta.fval), diopiErrorOccurred,
                "beta = %g is not a whole number, which %s needs", beta.fval, diopi::dtype_name(dtype));
  DIOPI_REQUIRE(!is_cut || std::fabs(beta.fval) <= kMost, diopiErrorOccurred, "beta = %g is out of range [%g, %g]",
                beta.fval, -kMost, kMost);
  *factor = make_factor(beta, dtype);
  return diopiSuccess;
}

// Reads alpha and beta as factors. A factor that is not used may have any value.
inline Status read_factors(const diopiScalar_t& alpha, const diopiScalar_t& beta, const TensorView& out,
                           const TensorView& a, MatmulOptions* options) {
  const diopiDtype_t dtype = diopi::compute_dtype(a.dtype);
  if (out.numel == 0) return diopiSuccess;
  if (a.shape[a.ndim() - 1] == 0) return read_only_factor(beta, dtype, &options->beta);
  DIOPI_TRY(diopi::require_fits(alpha, "alpha", dtype));
  options->alpha = make_factor(alpha, dtype);
  DIOPI_TRY(diopi::require_fits(beta, "beta", dtype));
  options->beta = make_factor(beta, dtype);
  return diopiSuccess;
}

// A whole number becomes an integer scalar, so that -1 wraps around in unsigned dtypes.
inline diopiScalar_t as_scalar(double value) {
  diopiScalar_t scalar{diopi_dtype_float64, {value}};
  if (std::fabs(value) < 0x1p63 && value == std::trunc(value)) {
    scalar.stype = diopi_dtype_int64;
    scalar.ival = static_cast<int64_t>(value);
  }
  return scalar;
}

inline Status run(diopiContextHandle_t ctx, diopi::AddmmArgs& args) {
  MatmulOptions options;
  options.c = &args.input;
  DIOPI_TRY(diopi::require_writable(args.out));
  DIOPI_TRY(read_factors(*args.alpha, *args.beta, args.out, args.mat1, &options));
  return run_matmul(ctx, args.out, args.mat1, args.mat2, options);
}

inline Status run(diopiContextHandle_t ctx, diopi::BaddbmmArgs& args) {
  MatmulOptions options;
  options.c = &args.input;
  DIOPI_TRY(diopi::require_writable(args.out));
  DIOPI_TRY(read_factors(as_scalar(args.alpha), as_scalar(args.beta), args.out, args.batch1, &options));
  return run_matmul(ctx, args.out, args.batch1, args.batch2, options);
}

inline Status run(diopiContextHandle_t ctx, diopi::MatmulArgs& args) {
  MatmulOperands m;
  DIOPI_TRY(read_operands(args.input, args.other, &m));
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_matmul(ctx, as_matrices(args.out, m), expand_batch(m.a, m.batch), expand_batch(m.b, m.batch));
}

inline Status run(diopiContextHandle_t ctx, diopi::MatmulBackwardArgs& args) {
  MatmulOperands m;
  DIOPI_TRY(read_operands(args.input, args.other, &m));
  if (args.grad_input) DIOPI_TRY(diopi::require_writable(*args.grad_input));
  if (args.grad_other) DIOPI_TRY(diopi::require_writable(*args.grad_other));
  const TensorView grad = as_matrices(args.grad_out, m);
  const auto of_input = [&] {
    if (!args.grad_input) return Status();
    const TensorView d_input = m.a_is_vector ? args.grad_input->unsqueeze(0) : *args.grad_input;
    MatmulOptions options;
    options.conj_b = true;
    return summed_matmul(ctx, d_input, grad, transposed(m.b), m.batch, options);
  };
  const auto of_other = [&] {
    if (!args.grad_other) return Status();
    const TensorView d_other = m.b_is_vector ? args.grad_other->unsqueeze(1) : *args.grad_other;
    MatmulOptions options;
    options.conj_a = true;
    return summed_matmul(ctx, d_other, transposed(m.a), grad, m.batch, options);
  };
  return diopi::run_steps(of_input, of_other);
}

inline Status run(diopiContextHandle_t ctx, diopi::LinearArgs& args) {
  LinearOperands l;
  DIOPI_TRY(read_operands(&args.input, &args.weight, &l));
  DIOPI_TRY(diopi::require_writable(args.out));
  MatmulOptions options;
  if (args.bias) options.c = &*args.bias;
  const TensorView weights = shared_matrix(transposed(args.weight), args.input);
  return run_matmul(ctx, as_matrices(args.out, l), args.input, weights, options);
}

inline Status run(diopiContextHandle_t ctx, diopi::LinearBackwardArgs& args) {
  LinearOperands l;
  DIOPI_TRY(read_operands(&args.input, &args.weight, &l));
  for (const auto* grad : {&args.grad_input, &args.grad_weight, &args.grad_bias}) {
    if (*grad) DIOPI_TRY(diopi::require_writable(**grad));
  }
  const TensorView grad = as_matrices(args.grad_output, l);
  const auto bias = [&] { return args.grad_bias ? sum_to_bias(ctx, *args.grad_bias, args.grad_output) : Status(); };
  const auto weight = [&] { return args.grad_weight ? weight_gradient(ctx, *args.grad_weight, grad, l) : Status(); };
  const auto input = [&] { return args.grad_input ? input_gradient(ctx, *args.grad_input, grad, l) : Status(); };
  return diopi::run_steps(bias, weight, input);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/matmul.hpp"

#endif  // IMPL_COMMON_FAMILIES_MATMUL_HPP_
