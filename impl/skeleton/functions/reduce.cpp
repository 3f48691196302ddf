// SPDX-License-Identifier: BSD-3-Clause
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

// Returns 0 for a value that int32 cannot hold: PyTorch does not define this conversion.
int64_t whole_part(float value) {
  return value > -2147483649.0f && value < 2147483648.0f ? static_cast<int64_t>(value) : 0;
}

}  // namespace

diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiSize_t dim) {
  TensorView o, x;
  DIOPI_TRY(take(out, "out", &o));
  DIOPI_TRY(take(input, "input", &x));
  uint32_t axes = 0;
  DIOPI_TRY(diopi::read_axes(dim, x, "dim", &axes));
  DIOPI_TRY(diopi::require_reduced_shape(o, x, axes));
  // For each element of out, the kept dimensions are fixed and the reduced ones vary.
  Dims kept = diopi::reduced_shape(x.shape, axes, true), reduced = x.shape;
  for (int i = 0; i < x.ndim(); ++i) reduced[i] = (axes >> i & 1) != 0 ? x.shape[i] : 1;
  int64_t position = 0;
  for_each_index(kept, [&](const int64_t* start) {
    const int64_t base = offset_of(x, start);
    double real = 0;
    int64_t integer = 0;
    for_each_index(reduced, [&](const int64_t* index) {
      const int64_t i = base + offset_of(x, index);
      if (x.dtype == diopi_dtype_int32) {
        integer += x.ptr<int32_t>()[i];
      } else if (o.dtype == diopi_dtype_int32) {  // elements are converted to integers before the sum
        integer += whole_part(x.ptr<float>()[i]);
      } else {
        real += x.ptr<float>()[i];
      }
    });
    if (o.dtype == diopi_dtype_int32) {
      o.ptr<int32_t>()[position++] = static_cast<int32_t>(integer);
    } else {
      const double sum = x.dtype == diopi_dtype_int32 ? static_cast<double>(integer) : real;
      o.ptr<float>()[position++] = static_cast<float>(sum);
    }
  });
  return diopiSuccess;
}

}  // namespace impl::skeleton
