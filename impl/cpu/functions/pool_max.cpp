// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_max.hpp"

#include "impl/cpu/functions/pool_operand.hpp"

namespace impl::cpu {

namespace {

// Whether the positions of a plane are evenly spaced; `step` becomes the distance.
bool has_even_plane(const TensorView& planes, int64_t* step) {
  int64_t next = 0;
  for (int dim = 4; dim >= 2; --dim) {
    if (planes.shape[dim] == 1) continue;
    if (next == 0) {
      *step = next = planes.stride[dim];
    } else if (planes.stride[dim] != next) {
      return false;
    }
    next *= planes.shape[dim];
  }
  if (next == 0) *step = 1;
  return true;
}

}  // namespace

Status run_max_pool(diopiContextHandle_t ctx, const Windows& windows, const TensorView& out, const TensorView* indices,
                    const TensorView& in) {
  const int64_t plane = windows.dim[0].in * windows.dim[1].in * windows.dim[2].in;
  DIOPI_REQUIRE(indices == nullptr || plane <= INT32_MAX, diopiErrorOccurred,
                "input has planes of %lld elements, expected less than 2^31 where indices are returned",
                static_cast<long long>(plane));  // the kernels count positions in 32 bits
  PoolOperand from, to;
  DIOPI_TRY(from.read(ctx, in, forward_dtype(in.dtype), diopi::may_overlap(in, out)));
  DIOPI_TRY(to.write(ctx, out, forward_dtype(in.dtype)));
  PoolArgs args = pool_args(windows, {}, *from.used, *to.used);
  if (indices != nullptr) set_indices(*indices, &args);
  if (!max_pool_forward(from.used->dtype, args)) return unsupported_pool(in);
  to.store();
  return diopiSuccess;
}

Status run_max_pool_backward(diopiContextHandle_t ctx, const Windows& windows, const TensorView& grad_input,
                             const TensorView& grad_output, const TensorView& indices) {
  int64_t step = 0;
  const bool apart = !has_even_plane(grad_input, &step) || diopi::may_overlap(grad_input, grad_output);
  if (!apart && diopi::is_reduced_float(grad_input.dtype)) {
    PoolArgs args = pool_args(windows, {}, grad_input, grad_output);
    set_indices(indices, &args);
    if (max_pool_backward_planes(grad_input.dtype, args)) return diopiSuccess;
  }
  const diopiDtype_t sum = diopi::compute_dtype(grad_input.dtype);
  PoolOperand from, to;
  DIOPI_TRY(from.read(ctx, grad_output, sum, false));
  DIOPI_TRY(to.write(ctx, grad_input, sum, apart));
  PoolArgs args = pool_args(windows, {}, *to.used, *from.used);
  set_indices(indices, &args);
  has_even_plane(*to.used, &args.xs.spatial[2]);
  if (!max_pool_backward(to.used->dtype, args)) return unsupported_pool(grad_input);
  to.store();
  return diopiSuccess;
}

Status find_index_outside(diopiContextHandle_t ctx, const TensorView& indices, int64_t below, IndexOutside* found) {
  PoolArgs args;
  set_indices(indices, &args);
  args.batch = indices.shape[0];
  args.channels = indices.shape[1];
  for (int i = 0; i < kMaxSpatial; ++i) args.dim[i].out = indices.shape[2 + i];
  args.dim[0].in = below;
  found->element = find_bad_index(args, &found->value);
  return diopiSuccess;
}

}  // namespace impl::cpu
