// SPDX-License-Identifier: BSD-3-Clause
// Functions that allocate their output, because its size depends on the values.
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

Status require_output(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, diopiTensorHandle_t* out,
                      TensorView* view) {
  return diopi::allocate_output(ctx, "out", shape, nullptr, dtype, out, view);
}

bool is_nonzero(const TensorView& x, int64_t i) {
  return x.dtype == diopi_dtype_int32 ? x.ptr<int32_t>()[i] != 0 : x.ptr<float>()[i] != 0.0f;
}

}  // namespace

// The contract's result is int64. This vendor returns int32, and the adaptor converts it.
diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input) {
  TensorView x, o;
  DIOPI_TRY(take(input, "input", &x));
  int64_t count = 0;
  for (int64_t i = 0; i < x.numel; ++i) count += is_nonzero(x, i);
  Dims shape;
  shape.push_back(count);
  shape.push_back(x.ndim());
  DIOPI_TRY(require_output(ctx, shape, diopi_dtype_int32, out, &o));
  auto* next = o.ptr<int32_t>();
  for_each_index(x.shape, [&](const int64_t* index) {
    if (!is_nonzero(x, offset_of(x, index))) return;
    for (int dim = 0; dim < x.ndim(); ++dim) *next++ = static_cast<int32_t>(index[dim]);
  });
  return diopiSuccess;
}

diopiError_t diopiMaskedSelect(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t mask) {
  TensorView x, m, o;
  DIOPI_TRY(take(input, "input", &x));
  DIOPI_TRY(diopi::read_tensor(mask, "mask", &m));
  DIOPI_REQUIRE(m.itemsize() == 1, diopiDtypeNotSupported, "mask has dtype %s, expected bool or uint8",
                diopi::dtype_name(m.dtype));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(x, m, &shape));
  const TensorView from = x.expand(shape), chosen = m.expand(shape);
  Dims count;
  count.push_back(0);
  for_each_index(shape,
                 [&](const int64_t* index) { count[0] += chosen.ptr<uint8_t>()[offset_of(chosen, index)] != 0; });
  DIOPI_TRY(require_output(ctx, count, x.dtype, out, &o));
  auto* next = o.ptr<int32_t>();  // both dtypes have four bytes
  for_each_index(shape, [&](const int64_t* index) {
    if (chosen.ptr<uint8_t>()[offset_of(chosen, index)] != 0) *next++ = from.ptr<int32_t>()[offset_of(from, index)];
  });
  return diopiSuccess;
}

}  // namespace impl::skeleton
