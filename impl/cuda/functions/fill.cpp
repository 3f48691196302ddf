// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/fill.hpp"

#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"
#include "impl/cuda/kernels/elementwise/any.hpp"
#include "impl/cuda/kernels/elementwise/check.hpp"
#include "impl/cuda/kernels/fill/fill.hpp"

namespace impl::cuda {

namespace {

// Calls f(stream) unless this is a dry run.
template <typename F>
Status on_stream(diopiContextHandle_t ctx, const F& f) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return f(stream);
}

}  // namespace

Status fill(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& value) {
  diopi::NumberOperand operand;
  TensorView number;
  operand.set(value, "value", diopi::is_floating(value) ? diopi_dtype_float64 : diopi_dtype_int64, &number);
  alignas(16) char element[16];
  convert_number(number, out.dtype, element);
  return on_stream(ctx, [&](cudaStream_t stream) { return fill_elements(stream, out, element); });
}

Status fill_arange(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& start,
                   const diopiScalar_t& step) {
  return on_stream(ctx, [&](cudaStream_t stream) -> Status {
    if (diopi::is_floating(out.dtype)) {
      return fill_range(stream, out, diopi::scalar_as<double>(start), diopi::scalar_as<double>(step));
    }
    return fill_range(stream, out, diopi::scalar_as<int64_t>(start), diopi::scalar_as<int64_t>(step));
  });
}

Status fill_linspace(diopiContextHandle_t ctx, const TensorView& out, double start, double end) {
  return on_stream(ctx, [&](cudaStream_t stream) { return fill_between(stream, out, start, end); });
}

Status fill_one_hot(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  return on_stream(ctx, [&](cudaStream_t stream) -> Status {
    constexpr char kZero[16] = {};
    DIOPI_TRY(fill_elements(stream, out, kZero));
    return write_ones(stream, out, in);
  });
}

Status index_range(diopiContextHandle_t ctx, const TensorView& index, int64_t* least, int64_t* most) {
  return find_range(ctx, index, least, most);
}

Status check_classes(diopiContextHandle_t ctx, const TensorView& in, int64_t classes) {
  const Refusal refusal(
      [classes](int64_t, int64_t number) -> Status { return diopi::refuse_class_number(number, classes); });
  return check_below(ctx, in, classes, refusal);
}

}  // namespace impl::cuda
