// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/pool_operand.hpp"

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

Status PoolOperand::write(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool apart) {
  given = used = &planes;
  if (!apart && dtype == planes.dtype) return diopiSuccess;
  used = &copy_;
  return make_temporary_like(ctx, planes, dtype, &copy_);
}

Status PoolOperand::read(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool apart) {
  DIOPI_TRY(write(ctx, planes, dtype, apart));
  if (given != used) copy_view(*used, planes);
  return diopiSuccess;
}

void PoolOperand::store() const {
  if (given != used) copy_view(*given, *used);
}

PoolStrides pool_strides(const TensorView& planes) {
  PoolStrides s;
  s.batch = planes.stride[0];
  s.channel = planes.stride[1];
  for (int i = 0; i < diopi::kMaxSpatial; ++i) s.spatial[i] = planes.stride[2 + i];
  return s;
}

bool prefers_channels(const TensorView& planes) {
  if (planes.shape[1] == 1) return false;
  for (int dim = 4; dim >= 2; --dim) {
    if (planes.shape[dim] > 1) return planes.stride[1] < planes.stride[dim];
  }
  return true;
}

PoolArgs pool_args(const Windows& windows, const Averaging& averaging, const TensorView& x, const TensorView& y) {
  PoolArgs args;
  for (int i = 0; i < diopi::kMaxSpatial; ++i) args.dim[i] = {windows.dim[i], averaging.count_padding};
  args.divisor = averaging.divisor;
  args.x = x.data;
  args.y = y.data;
  args.xs = pool_strides(x);
  args.ys = pool_strides(y);
  args.batch = x.shape[0];
  args.channels = x.shape[1];
  args.over_channels = prefers_channels(x);
  return args;
}

void set_indices(const TensorView& indices, PoolArgs* args) {
  args->index = indices.data;
  args->narrow_index = indices.dtype == diopi_dtype_int32;
  args->is = pool_strides(indices);
}

Status unsupported_pool(const TensorView& view) {
  return diopi::fail(diopiDtypeNotSupported, "%s has dtype %s", view.name, diopi::dtype_name(view.dtype));
}

}  // namespace impl::cpu
