// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to make complex numbers. Families have checked shapes and dtypes.
#ifndef IMPL_COMMON_ENGINE_COMPLEX_HPP_
#define IMPL_COMMON_ENGINE_COMPLEX_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// out = real + i imag, and out = abs cos(angle) + i abs sin(angle). The operands have the dtype of the parts of `out`
// and broadcast to its shape; they overlap it nowhere.
Status make_complex(diopiContextHandle_t ctx, const TensorView& out, const TensorView& real, const TensorView& imag);
Status make_polar(diopiContextHandle_t ctx, const TensorView& out, const TensorView& abs, const TensorView& angle);

// out = in with the sign of the imaginary part changed, converted to the dtype of `out`. `in` is complex, and may be
// `out` or overlap it.
Status conjugate(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_COMPLEX_HPP_
