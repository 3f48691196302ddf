// SPDX-License-Identifier: BSD-3-Clause
// Matrix products: diopiMm, diopiBmm, diopiMatmul, diopiAddmm, diopiBaddbmm.
#include "impl/cpu/functions/matmul.hpp"

#include <cmath>

#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"

namespace impl::cpu {

using diopi::Dims;

Status require_matmul_dtype(const TensorView& view) {
  const diopiDtype_t d = view.dtype;
  DIOPI_REQUIRE(
      diopi::is_integral(d) || diopi::is_floating(d) || d == diopi_dtype_complex64 || d == diopi_dtype_complex128,
      diopiDtypeNotSupported, "%s has dtype %s, which has no matrix product", view.name, diopi::dtype_name(d));
  return diopiSuccess;
}

Status require_dtype_of(const TensorView& view, const TensorView& like) {
  DIOPI_REQUIRE(view.dtype == like.dtype, diopiDtypeNotSupported, "%s has dtype %s, expected %s, the dtype of %s",
                view.name, diopi::dtype_name(view.dtype), diopi::dtype_name(like.dtype), like.name);
  return diopiSuccess;
}

Status require_ndim(const TensorView& view, int ndim) {
  DIOPI_REQUIRE(view.ndim() == ndim, diopiErrorOccurred, "%s has shape %s, expected %d dimensions", view.name,
                diopi::Text(view.shape).c_str(), ndim);
  return diopiSuccess;
}

Status require_inner(const TensorView& a, const TensorView& b) {
  const int64_t columns = a.shape[a.ndim() - 1], rows = b.shape[b.ndim() - 2];
  DIOPI_REQUIRE(columns == rows, diopiErrorOccurred, "%s of shape %s has %lld rows, expected %lld for %s of shape %s",
                b.name, diopi::Text(b.shape).c_str(), static_cast<long long>(rows), static_cast<long long>(columns),
                a.name, diopi::Text(a.shape).c_str());
  return diopiSuccess;
}

namespace {

// A factor for products of `dtype`: truncated to an integer if the dtype is integral.
Factor make_factor(const diopiScalar_t& scalar, diopiDtype_t dtype) {
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
Status read_only_factor(const diopiScalar_t& beta, diopiDtype_t dtype, Factor* factor) {
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
Status read_factors(const diopiScalar_t& alpha, const diopiScalar_t& beta, MatmulCall* call) {
  const diopiDtype_t dtype = diopi::compute_dtype(call->a.dtype);
  if (call->out.numel == 0) return diopiSuccess;
  if (call->a.shape[call->a.ndim() - 1] == 0) return read_only_factor(beta, dtype, &call->beta);
  DIOPI_TRY(diopi::require_fits(alpha, "alpha", dtype));
  call->alpha = make_factor(alpha, dtype);
  DIOPI_TRY(diopi::require_fits(beta, "beta", dtype));
  call->beta = make_factor(beta, dtype);
  return diopiSuccess;
}

// A whole number becomes an integer scalar, so that -1 wraps around in unsigned dtypes.
diopiScalar_t as_scalar(double value) {
  diopiScalar_t scalar{diopi_dtype_float64, {value}};
  if (std::fabs(value) < 0x1p63 && value == std::trunc(value)) {
    scalar.stype = diopi_dtype_int64;
    scalar.ival = static_cast<int64_t>(value);
  }
  return scalar;
}

// Reads and checks the two matrices (or batches of matrices) and the result of a product.
Status read_matmul(diopiTensorHandle_t out, diopiConstTensorHandle_t a, const char* a_name, diopiConstTensorHandle_t b,
                   const char* b_name, int ndim, const char* out_name, MatmulCall* call) {
  DIOPI_TRY(diopi::read_tensor(out, out_name, &call->out));
  DIOPI_TRY(diopi::read_tensor(a, a_name, &call->a));
  DIOPI_TRY(diopi::read_tensor(b, b_name, &call->b));
  DIOPI_TRY(require_matmul_dtype(call->a));
  DIOPI_TRY(require_dtype_of(call->b, call->a));
  DIOPI_TRY(require_dtype_of(call->out, call->a));
  DIOPI_TRY(require_ndim(call->a, ndim));
  DIOPI_TRY(require_ndim(call->b, ndim));
  DIOPI_TRY(require_inner(call->a, call->b));
  Dims expected;
  if (ndim == 3) {
    DIOPI_REQUIRE(call->a.shape[0] == call->b.shape[0], diopiErrorOccurred,
                  "%s has a batch of %lld, expected %lld, the batch of %s", b_name,
                  static_cast<long long>(call->b.shape[0]), static_cast<long long>(call->a.shape[0]), a_name);
    expected.push_back(call->a.shape[0]);
  }
  expected.push_back(call->a.shape[ndim - 2]);
  expected.push_back(call->b.shape[ndim - 1]);
  DIOPI_TRY(diopi::require_shape(call->out, expected));
  return diopi::require_writable(call->out);
}

// Reads the addend of the product. It has the dtype of the product and broadcasts to the shape of the result.
Status read_addend(diopiConstTensorHandle_t handle, const MatmulCall& call, TensorView* c) {
  DIOPI_TRY(diopi::read_tensor(handle, "input", c));
  DIOPI_TRY(require_dtype_of(*c, call.a));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(call.out, *c, &shape));
  DIOPI_REQUIRE(shape == call.out.shape, diopiErrorOccurred, "input has shape %s, which does not broadcast to %s",
                diopi::Text(c->shape).c_str(), diopi::Text(call.out.shape).c_str());
  return diopiSuccess;
}

// Reads an operand. A vector becomes a matrix of one row (input) or one column (other).
Status read_matmul_operand(diopiConstTensorHandle_t handle, const char* name, int vector_dim, TensorView* view) {
  DIOPI_TRY(diopi::read_tensor(handle, name, view));
  DIOPI_REQUIRE(view->ndim() >= 1, diopiErrorOccurred, "%s has shape [], expected at least one dimension", name);
  DIOPI_REQUIRE(view->ndim() < diopi::kMaxDims, diopiErrorOccurred, "%s has %d dimensions; at most %d are supported",
                name, view->ndim(), diopi::kMaxDims - 1);
  if (view->ndim() == 1) *view = view->unsqueeze(vector_dim);
  return diopiSuccess;
}

}  // namespace

Status resolve_matmul(diopiConstTensorHandle_t input, diopiConstTensorHandle_t other, MatmulShape* m) {
  DIOPI_TRY(read_matmul_operand(input, "input", 0, &m->a));
  DIOPI_TRY(read_matmul_operand(other, "other", 1, &m->b));
  TensorView vector;
  DIOPI_TRY(diopi::read_tensor(input, "input", &vector));
  m->a_is_vector = vector.ndim() == 1;
  DIOPI_TRY(diopi::read_tensor(other, "other", &vector));
  m->b_is_vector = vector.ndim() == 1;
  DIOPI_TRY(require_matmul_dtype(m->a));
  DIOPI_TRY(require_dtype_of(m->b, m->a));
  DIOPI_TRY(require_inner(m->a, m->b));
  Dims a_batch = m->a.shape;
  a_batch.n -= 2;
  TensorView b_batch = m->b;
  b_batch.shape.n -= 2;
  b_batch.stride.n -= 2;
  DIOPI_TRY(diopi::broadcast_shapes(a_batch, "the batch of input", b_batch, &m->batch));
  m->out_shape = m->batch;
  if (!m->a_is_vector) m->out_shape.push_back(m->a.shape[m->a.ndim() - 2]);
  if (!m->b_is_vector) m->out_shape.push_back(m->b.shape[m->b.ndim() - 1]);
  return diopiSuccess;
}

TensorView as_matmul_result(const TensorView& out, const MatmulShape& m) {
  TensorView matrix = out;
  if (m.b_is_vector) matrix = matrix.unsqueeze(matrix.ndim());
  if (m.a_is_vector) matrix = matrix.unsqueeze(matrix.ndim() - 1);
  return matrix;
}

TensorView expand_batch(const TensorView& view, const Dims& batch) {
  Dims shape = batch;
  shape.push_back(view.shape[view.ndim() - 2]);
  shape.push_back(view.shape[view.ndim() - 1]);
  return view.expand(shape);
}

diopiError_t diopiMm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                     diopiConstTensorHandle_t mat2) {
  MatmulCall call;
  call.ctx = ctx;
  DIOPI_TRY(read_matmul(out, input, "input", mat2, "mat2", 2, "out", &call));
  return matmul_into(call);
}

diopiError_t diopiBmm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t mat2) {
  MatmulCall call;
  call.ctx = ctx;
  DIOPI_TRY(read_matmul(out, input, "input", mat2, "mat2", 3, "out", &call));
  return matmul_into(call);
}

diopiError_t diopiMatmul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t other) {
  MatmulCall call;
  MatmulShape m;
  call.ctx = ctx;
  DIOPI_TRY(resolve_matmul(input, other, &m));
  DIOPI_TRY(diopi::read_tensor(out, "out", &call.out));
  DIOPI_TRY(require_dtype_of(call.out, m.a));
  DIOPI_TRY(diopi::require_result_shape(&call.out, m.out_shape));
  DIOPI_TRY(diopi::require_writable(call.out));
  call.out = as_matmul_result(call.out, m);
  call.a = expand_batch(m.a, m.batch);
  call.b = expand_batch(m.b, m.batch);
  return matmul_into(call);
}

diopiError_t diopiAddmm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t mat1, diopiConstTensorHandle_t mat2, const diopiScalar_t* beta,
                        const diopiScalar_t* alpha) {
  MatmulCall call;
  TensorView addend;
  call.ctx = ctx;
  DIOPI_TRY(read_matmul(out, mat1, "mat1", mat2, "mat2", 2, "out", &call));
  DIOPI_TRY(read_addend(input, call, &addend));
  call.c = &addend;
  DIOPI_TRY(read_factors(*alpha, *beta, &call));
  return matmul_into(call);
}

diopiError_t diopiBaddbmm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t batch1, diopiConstTensorHandle_t batch2, double beta, double alpha) {
  MatmulCall call;
  TensorView addend;
  call.ctx = ctx;
  DIOPI_TRY(read_matmul(out, batch1, "batch1", batch2, "batch2", 3, "out", &call));
  DIOPI_TRY(read_addend(input, call, &addend));
  call.c = &addend;
  DIOPI_TRY(read_factors(as_scalar(alpha), as_scalar(beta), &call));
  return matmul_into(call);
}

diopiError_t diopiBaddbmmInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t batch1,
                             diopiConstTensorHandle_t batch2, double beta, double alpha) {
  MatmulCall call;
  call.ctx = ctx;
  DIOPI_TRY(read_matmul(input, batch1, "batch1", batch2, "batch2", 3, "input", &call));
  const TensorView addend = call.out;
  call.c = &addend;
  DIOPI_TRY(read_factors(as_scalar(alpha), as_scalar(beta), &call));
  return matmul_into(call);
}

}  // namespace impl::cpu
