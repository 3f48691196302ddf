// SPDX-License-Identifier: BSD-3-Clause
#include "impl/skeleton/skeleton.hpp"

#include <cstring>

namespace impl::skeleton {

Status take(diopiConstTensorHandle_t handle, const char* name, TensorView* view) {
  DIOPI_TRY(diopi::read_tensor(handle, name, view));
  DIOPI_REQUIRE(view->dtype == diopi_dtype_float32 || view->dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "%s has dtype %s, but this vendor computes in float32 and int32", name, diopi::dtype_name(view->dtype));
  DIOPI_REQUIRE(view->is_contiguous(), diopiErrorOccurred, "%s of shape %s has strides %s, but must be row-major", name,
                Text(view->shape).c_str(), Text(view->stride).c_str());
  return diopiSuccess;
}

Status copy_if_overlapping(diopiContextHandle_t ctx, const TensorView& out, TensorView* input) {
  if (!diopi::may_overlap(out, *input)) return diopiSuccess;
  const int64_t bytes = input->numel * diopi::dtype_size(input->dtype);
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(bytes, &memory));
  input->data = static_cast<char*>(std::memcpy(memory, input->data, static_cast<size_t>(bytes)));
  return diopiSuccess;
}

namespace {

Status require_readable(const TensorView& view) {
  const bool known =
      view.dtype == diopi_dtype_float32 || view.dtype == diopi_dtype_int32 || view.dtype == diopi_dtype_bool;
  DIOPI_REQUIRE(known, diopiDtypeNotSupported, "%s has dtype %s, but this vendor computes in float32, int32 and bool",
                view.name, diopi::dtype_name(view.dtype));
  DIOPI_REQUIRE(view.is_contiguous(), diopiErrorOccurred, "%s of shape %s has strides %s, but must be row-major",
                view.name, Text(view.shape).c_str(), Text(view.stride).c_str());
  return diopiSuccess;
}

}  // namespace

Status Elements::read(diopiContextHandle_t ctx, const TensorView& in, const TensorView& out) {
  DIOPI_TRY(require_readable(in));
  DIOPI_TRY(require_readable(out));
  view_ = in;
  if (!diopi::is_same_view(in, out)) DIOPI_TRY(copy_if_overlapping(ctx, out, &view_));
  view_ = view_.expand(out.shape);
  return diopiSuccess;
}

Status Elements::write(const TensorView& out) {
  view_ = out;
  return require_readable(out);
}

}  // namespace impl::skeleton
