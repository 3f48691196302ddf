// SPDX-License-Identifier: BSD-3-Clause
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

diopiError_t diopiIndexSelect(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              int64_t dim, diopiConstTensorHandle_t index) {
  TensorView o, x, i;
  DIOPI_TRY(take(out, "out", &o));
  DIOPI_TRY(take(input, "input", &x));
  DIOPI_TRY(take(index, "index", &i));
  int axis = 0;
  DIOPI_TRY(diopi::wrap_dim(dim, x, "dim", &axis));
  DIOPI_TRY(diopi::require_dtype(i, diopi_dtype_int32));
  DIOPI_REQUIRE(i.ndim() <= 1, diopiErrorOccurred, "index has shape %s, expected one dimension", Text(i.shape).c_str());
  const int64_t extent = x.ndim() == 0 ? 1 : x.shape[axis];
  Dims shape = x.shape;
  if (x.ndim() > 0) shape[axis] = i.numel;
  DIOPI_REQUIRE(x.ndim() > 0 || i.numel == 1, diopiErrorOccurred, "index has %lld elements for a 0-d input",
                static_cast<long long>(i.numel));
  DIOPI_TRY(diopi::require_result_shape(&o, shape));
  DIOPI_TRY(diopi::require_dtype(o, x.dtype));
  for (int64_t k = 0; k < i.numel; ++k) {
    const int32_t row = i.ptr<int32_t>()[k];
    DIOPI_REQUIRE(row >= 0 && row < extent, diopiErrorOccurred,
                  "index has %d at position %lld, which is out of range [0, %lld]", row, static_cast<long long>(k),
                  static_cast<long long>(extent - 1));
  }
  DIOPI_TRY(copy_if_overlapping(ctx, o, &x));
  if (x.ndim() == 0) return copy_elements(o, x);
  for (int64_t k = 0; k < i.numel; ++k) {
    DIOPI_TRY(copy_elements(o.select(axis, k), x.select(axis, i.ptr<int32_t>()[k])));
  }
  return diopiSuccess;
}

}  // namespace impl::skeleton
