// SPDX-License-Identifier: BSD-3-Clause
// Outputs that an operator creates.
#ifndef IMPL_COMMON_FAMILIES_RETURNED_TENSOR_HPP_
#define IMPL_COMMON_FAMILIES_RETURNED_TENSOR_HPP_

#include "impl/common/allocate.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Allocates the output `out` and gives it to write(view). The caller gets the tensor only if all succeeds. `stride` may
// be null, which means row-major.
template <typename Write>
Status return_tensor(diopiContextHandle_t ctx, const diopi::Dims& shape, const diopi::Dims* stride, diopiDtype_t dtype,
                     diopiTensorHandle_t* out, const Write& write) {
  diopiTensorHandle_t made = nullptr;
  TensorView view;
  DIOPI_TRY(diopi::allocate_output(ctx, "out", shape, stride, dtype, &made, &view));
  DIOPI_TRY(write(view));
  *out = made;
  return diopiSuccess;
}

template <typename Write>
Status return_tensor(diopiContextHandle_t ctx, const diopi::Dims& shape, diopiDtype_t dtype, diopiTensorHandle_t* out,
                     const Write& write) {
  return return_tensor(ctx, shape, nullptr, dtype, out, write);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_RETURNED_TENSOR_HPP_
