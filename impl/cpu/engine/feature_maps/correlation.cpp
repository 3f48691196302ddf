// SPDX-License-Identifier: BSD-3-Clause
// Correlation of patches and its gradients: the operands as the kernels read them.
#include "impl/cpu/feature_maps/correlation.hpp"

#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/feature_maps/phase_rows.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {
namespace {

struct Operands {
  CorrelationCall call;
  TensorView first, second;
  diopiDtype_t dtype = diopi_dtype_unsupported;

  // The time of the terms of one row of outputs.
  int64_t row_cost() const {
    return call.out_width * call.channels * call.kernel[0] * call.kernel[1] * call.patch[1] * 100 + 1000;
  }
};

Status prepare(diopiContextHandle_t ctx, const CorrelationSetup& setup, const TensorView& first,
               const TensorView& second, Operands* o) {
  o->dtype = diopi::compute_dtype(first.dtype);
  CorrelationCall& call = o->call;
  call.channels = first.shape[1];
  call.height = first.shape[2];
  call.out_height = setup.windows.at(0).out;
  call.out_width = setup.windows.at(1).out;
  for (int i = 0; i < 2; ++i) {
    const diopi::Window& w = setup.windows.at(i);
    call.kernel[i] = w.kernel;
    call.padding[i] = w.padding;
    call.dilation[i] = w.dilation;
    call.stride[i] = w.stride;
    call.patch[i] = setup.patch[i];
    call.patch_dilation[i] = setup.patch_dilation[i];
  }
  call.row = {first.shape[3], call.stride[1], 1};
  DIOPI_TRY(split_into_phases(ctx, first, call.row, o->dtype, &o->first));
  DIOPI_TRY(split_into_phases(ctx, second, call.row, o->dtype, &o->second));
  call.first = o->first.data;
  call.second = o->second.data;
  return diopiSuccess;
}

void compute(const CorrelationCall& c, CorrelationFn kernel, const TensorView& out, int64_t tasks, int64_t cost) {
  const CorrelationCall* call = &c;
  void* to = out.data;
  diopi::parallel_for(tasks, diopi::Picoseconds{cost},
                      [=](int64_t begin, int64_t end) { kernel(*call, to, begin, end); });
}

}  // namespace

Status correlate(diopiContextHandle_t ctx, const CorrelationSetup& setup, const TensorView& output,
                 const TensorView& first, const TensorView& second) {
  if (output.numel == 0) return diopiSuccess;
  Operands o;
  TensorView out;
  DIOPI_TRY(prepare(ctx, setup, first, second, &o));
  DIOPI_TRY(arrange(ctx, output, false, o.dtype, false, &out));
  compute(o.call, correlation_kernel(o.dtype), out, output.shape[0] * o.call.patch[0] * o.call.out_height,
          o.row_cost());
  put_back(output, out);
  return diopiSuccess;
}

Status correlate_backward(diopiContextHandle_t ctx, const CorrelationSetup& setup, const TensorView& grad_first,
                          const TensorView& grad_second, const TensorView& grad_output, const TensorView& first,
                          const TensorView& second) {
  if (first.numel == 0) return diopiSuccess;
  Operands o;
  CorrelationCall& call = o.call;
  TensorView grad, to[2], rows[2];
  DIOPI_TRY(prepare(ctx, setup, first, second, &o));
  DIOPI_TRY(arrange_input(ctx, grad_output, nullptr, false, o.dtype, &grad));
  call.grad = grad.data;
  const TensorView* targets[2] = {&grad_first, &grad_second};
  for (int i = 0; i < 2; ++i) {
    DIOPI_TRY(arrange(ctx, *targets[i], false, o.dtype, false, &to[i]));
    rows[i] = to[i];
    if (call.row.phases > 1) DIOPI_TRY(make_phase_rows(ctx, *targets[i], call.row, o.dtype, &rows[i]));
  }
  const CorrelationFn kernels[2] = {correlation_first_gradient_kernel(o.dtype),
                                    correlation_second_gradient_kernel(o.dtype)};
  for (int i = 0; i < 2; ++i) {
    compute(call, kernels[i], rows[i], first.shape[0] * call.height, call.patch[0] * o.row_cost());
    if (call.row.phases > 1) merge_phases(rows[i], call.row, to[i]);
    put_back(*targets[i], to[i]);
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
