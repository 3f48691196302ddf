// SPDX-License-Identifier: BSD-3-Clause
// What the families of pooling share: the windows of a call, and tensors as planes.
#ifndef IMPL_COMMON_FAMILIES_POOLING_HPP_
#define IMPL_COMMON_FAMILIES_POOLING_HPP_

#include "impl/common/checked.hpp"
#include "impl/common/engine/pool.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::kMaxSpatial;

// Views a tensor as [N, C, D, H, W]. Missing dimensions have extent 1.
inline TensorView as_planes(const TensorView& view, int spatial) {
  TensorView planes = view.ndim() == spatial + 1 ? view.unsqueeze(0) : view;
  while (planes.ndim() < kMaxSpatial + 2) planes = planes.unsqueeze(2);
  return planes;
}

// Requires that the number of elements of a window fits 64 bits.
inline Status require_countable_windows(const Windows& windows, const diopi::NamedList& kernel) {
  int64_t positions = 1;
  for (const diopi::Window& w : windows.dim) {
    DIOPI_REQUIRE(diopi::mul_sizes(positions, w.kernel, &positions), diopiErrorOccurred,
                  "%s = %s has more than 2^63 elements", kernel.name, diopi::Text(kernel.values).c_str());
  }
  return diopiSuccess;
}

// Makes windows that divide each spatial dimension of `input` into as many parts as `output` has elements there.
inline Status divide_into_windows(const TensorView& input, const TensorView& output, int spatial, Windows* windows) {
  windows->spatial = spatial;
  for (int i = 1; i <= spatial; ++i) {
    diopi::Window& w = windows->dim[kMaxSpatial - i];
    w.kernel = 0;
    w.in = input.shape[input.ndim() - i];
    w.out = output.shape[output.ndim() - i];
    int64_t steps = 0;  // bounds of windows are multiples of the input's extent, rounded up
    const bool fits = diopi::mul_sizes(w.out, w.in, &steps) && diopi::add_sizes(steps, w.out, &steps);
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "%s of shape %s is too large for input of shape %s", output.name,
                  diopi::Text(output.shape).c_str(), diopi::Text(input.shape).c_str());
  }
  return diopiSuccess;
}

inline Status avg_pool(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging,
                       const TensorView& out, const TensorView& in, int spatial) {
  DIOPI_TRY(diopi::require_writable(out));
  if (out.numel == 0) return diopiSuccess;
  return run_avg_pool(ctx, windows, averaging, as_planes(out, spatial), as_planes(in, spatial));
}

inline Status avg_pool_backward(diopiContextHandle_t ctx, Windows windows, const Averaging& averaging,
                                const TensorView& grad_input, const TensorView& grad_output, int spatial) {
  DIOPI_TRY(diopi::require_writable(grad_input));
  if (grad_input.numel == 0) return diopiSuccess;
  if (grad_output.numel == 0) {  // there are no windows, although some extents may be large
    for (diopi::Window& w : windows.dim) w.out = 0;
  }
  return run_avg_pool_backward(ctx, windows, averaging, as_planes(grad_input, spatial),
                               as_planes(grad_output, spatial));
}

// out = the largest element of each window; `indices` gets its position in the plane, or is null.
inline Status max_pool(diopiContextHandle_t ctx, const Windows& windows, const TensorView& out,
                       const TensorView* indices, const TensorView& in, int spatial) {
  DIOPI_TRY(diopi::require_writable(out));
  if (indices != nullptr) DIOPI_TRY(diopi::require_writable(*indices));
  if (out.numel == 0) return diopiSuccess;
  const TensorView to = as_planes(out, spatial), from = as_planes(in, spatial);
  if (indices == nullptr) return run_max_pool(ctx, windows, to, nullptr, from);
  const TensorView positions = as_planes(*indices, spatial);
  return run_max_pool(ctx, windows, to, &positions, from);
}

inline Status refuse_position(int64_t value, int64_t element, int64_t plane) {
  return diopi::fail(diopiErrorOccurred, "indices has the value %lld as its element %lld, expected 0 to %lld",
                     static_cast<long long>(value), static_cast<long long>(element), static_cast<long long>(plane - 1));
}

// grad_input = the sums of the elements of grad_output that have its position as their index.
inline Status max_pool_backward(diopiContextHandle_t ctx, Windows windows, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& indices, int spatial) {
  DIOPI_TRY(diopi::require_writable(grad_input));
  if (grad_input.numel == 0) return diopiSuccess;
  const TensorView positions = as_planes(indices, spatial);
  if (grad_output.numel == 0) {  // there are no windows, although some extents may be large
    for (diopi::Window& w : windows.dim) w.out = 0;
  } else {
    const int64_t plane = windows.dim[0].in * windows.dim[1].in * windows.dim[2].in;
    IndexOutside bad;
    DIOPI_TRY(find_index_outside(ctx, positions, plane, &bad));
    if (bad.element >= 0) return refuse_position(bad.value, bad.element, plane);
  }
  return run_max_pool_backward(ctx, windows, as_planes(grad_input, spatial), as_planes(grad_output, spatial),
                               positions);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_POOLING_HPP_
