// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/upsample.hpp"

#include "impl/cuda/kernels/resample/resample.hpp"

namespace impl::cuda {

namespace {

// Views images [N, C, spatial...] or a grid [N, spatial..., coordinates] with three spatial dimensions.
TensorView with_depth(TensorView view, int dim) {
  while (view.ndim() < 5) view = view.unsqueeze(dim);
  return view;
}

Status run(diopiContextHandle_t ctx, Resampling call, bool adjoint) {
  call.from = with_depth(call.from, 2);
  call.to = with_depth(call.to, 2);
  return resample(ctx, call, adjoint);
}

}  // namespace

Status run_resample(diopiContextHandle_t ctx, const Resampling& call) { return run(ctx, call, false); }

Status run_resample_backward(diopiContextHandle_t ctx, const Resampling& call) { return run(ctx, call, true); }

Status run_grid_sample(diopiContextHandle_t ctx, const GridSampling& call) {
  GridSampling volumes = call;
  volumes.in = with_depth(call.in, 2);
  volumes.out = with_depth(call.out, 2);
  volumes.grid = with_depth(call.grid, 1);
  return sample_grid(ctx, volumes);
}

}  // namespace impl::cuda
