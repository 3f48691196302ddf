#include "skeleton.hpp"

namespace impl::skeleton {

Status take(diopiConstTensorHandle_t handle, const char* name, TensorView* view) {
  DIOPI_TRY(diopi::read_tensor(handle, name, view));
  DIOPI_REQUIRE(view->dtype == diopi_dtype_float32 || view->dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "%s has dtype %s, but this vendor computes in float32 and int32", name, diopi::dtype_name(view->dtype));
  DIOPI_REQUIRE(view->is_contiguous(), diopiErrorOccurred, "%s of shape %s has strides %s, but must be row-major", name,
                Text(view->shape).c_str(), Text(view->stride).c_str());
  return diopiSuccess;
}

}  // namespace impl::skeleton
