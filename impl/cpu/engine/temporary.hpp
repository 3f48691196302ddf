// SPDX-License-Identifier: BSD-3-Clause
// Temporary tensors of one call in a given layout.
#ifndef IMPL_CPU_ENGINE_TEMPORARY_HPP_
#define IMPL_CPU_ENGINE_TEMPORARY_HPP_

#include <diopi/diopirt.h>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// Makes a row-major temporary of the context.
Status make_temporary(diopiContextHandle_t ctx, const diopi::Dims& shape, diopiDtype_t dtype, TensorView* view);
// Whether channels are packed, and the view is not row-major as well.
bool is_channels_last(const TensorView& view);
// Makes a temporary of the shape of `view`, in `dtype`, packed in the order (channels last or first) of `view`.
Status make_temporary_like(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* result);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_TEMPORARY_HPP_
