// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/allocate.hpp"

#include "impl/common/checked.hpp"
#include "impl/common/runtime_call.hpp"

namespace diopi {

Status allocate_output(diopiContextHandle_t ctx, const char* name, const Dims& shape, const Dims* stride,
                       diopiDtype_t dtype, diopiTensorHandle_t* handle, TensorView* view) {
  DIOPI_TRY(require_countable(shape, name));
  const Dims row_major = contiguous_strides(shape);
  const diopiSize_t size{shape.v, shape.n};
  const diopiSize_t strides{(stride != nullptr ? *stride : row_major).v, shape.n};
  diopiTensorHandle_t made = nullptr;
  DIOPI_TRY_RUNTIME(name, diopiRequireTensor, ctx, &made, &size, &strides, dtype, diopi_device);
  DIOPI_TRY(read_tensor(made, name, view));
  *handle = made;
  return diopiSuccess;
}

}  // namespace diopi
