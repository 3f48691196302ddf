// SPDX-License-Identifier: BSD-3-Clause
// Filters of upsampled images, and bias with an activation: the operands as the kernels read them.
#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/feature_maps/phase_rows.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/feature_maps/bias_activation.hpp"
#include "impl/cpu/feature_maps/upfirdn.hpp"

namespace impl::cpu {

Status filter_upsampled(diopiContextHandle_t ctx, const UpfirdnSetup& setup, const TensorView& out,
                        const TensorView& in, const TensorView& kernel) {
  if (out.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(in.dtype);
  TensorView filter, rows, to;
  UpfirdnCall call;
  call.height = in.shape[1];
  call.out_height = out.shape[1];
  call.out_width = out.shape[2];
  call.kernel_height = kernel.shape[0];
  call.kernel_width = kernel.shape[1];
  for (int i = 0; i < 2; ++i) {
    call.up[i] = setup.up[i];
    call.down[i] = setup.down[i];
    call.pad[i] = setup.pad[i];
  }
  call.row = {in.shape[2], setup.down[1], in.shape[3]};
  DIOPI_TRY(arrange_input(ctx, kernel, nullptr, false, dtype, &filter));
  DIOPI_TRY(split_into_phases(ctx, in, call.row, dtype, &rows));
  DIOPI_TRY(arrange(ctx, out, false, dtype, false, &to));
  call.input = rows.data;
  call.kernel = filter.data;
  const int64_t taps = (call.kernel_height + setup.up[0] - 1) / setup.up[0] * call.kernel_width / setup.up[1] + 1;
  const UpfirdnFn run = upfirdn_kernel(dtype);
  const UpfirdnCall* shared = &call;
  void* target = to.data;
  diopi::parallel_for(out.shape[0] * call.out_height,
                      diopi::Picoseconds{call.out_width * call.row.items * (taps * 100 + 500)},
                      [=](int64_t begin, int64_t end) { run(*shared, target, begin, end); });
  put_back(out, to);
  return diopiSuccess;
}

Status activate_with_bias(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in,
                          const BiasActivation& setup) {
  if (out.numel == 0) return diopiSuccess;
  TensorView from, bias, refer;
  BiasActivationCall call;
  DIOPI_TRY(arrange_input(ctx, in, nullptr, false, in.dtype, &from));
  call.input = from.data;
  if (setup.bias != nullptr) {
    DIOPI_TRY(arrange_input(ctx, *setup.bias, nullptr, false, in.dtype, &bias));
    call.bias = bias.data;
  }
  if (setup.refer != nullptr) {
    DIOPI_TRY(arrange_input(ctx, *setup.refer, nullptr, false, in.dtype, &refer));
    call.refer = refer.data;
  }
  call.slope = setup.slope;
  call.scale = setup.scale;
  call.slope_everywhere = setup.slope_everywhere;
  const int64_t channels = in.shape[1], inner = in.numel / in.shape[0] / channels;
  call.length = inner == 1 ? channels : inner;
  call.channels = inner == 1 ? 0 : channels;
  const BiasActivationFn run = bias_activation_kernel(in.dtype);
  const BiasActivationCall* shared = &call;
  void* target = out.data;
  diopi::parallel_for(in.numel / call.length, diopi::Picoseconds{call.length * 400 + 5000},
                      [=](int64_t begin, int64_t end) { run(*shared, target, begin, end); });
  return diopiSuccess;
}

}  // namespace impl::cpu
