// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/temporary.hpp"

#include "impl/common/checked.hpp"
#include "impl/common/workspace.hpp"

namespace diopi {

Status make_temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, const char* name,
                      TensorView* view) {
  TensorView result;
  DIOPI_TRY(require_countable(shape, name));
  result.name = name;
  result.dtype = dtype;
  result.shape = shape;
  result.stride = contiguous_strides(shape);
  result.numel = shape.product();
  void* memory = nullptr;
  DIOPI_TRY(Workspace(ctx).take_items(result.numel, result.itemsize(), &memory));
  result.data = static_cast<char*>(memory);
  *view = result;
  return diopiSuccess;
}

}  // namespace diopi
