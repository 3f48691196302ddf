// SPDX-License-Identifier: BSD-3-Clause
// Packed forms of tensors for kernels that want adjacent elements.
#ifndef IMPL_CPU_ENGINE_PACKED_HPP_
#define IMPL_CPU_ENGINE_PACKED_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// An input in row-major order and of this dtype: the view itself, or a copy in a temporary. Dimensions of stride 0 are
// not repeated in the copy.
Status pack_input(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* packed);
// The same for a view whose last dimension alone must be packed.
Status pack_rows(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* packed);

// An output whose last dimension is packed: the view itself, or a temporary, to which the elements are copied if
// `reads`. The caller calls unpack() after it has written all elements that have changed.
Status pack_output_rows(diopiContextHandle_t ctx, const TensorView& view, bool reads, TensorView* packed);
void unpack(const TensorView& view, const TensorView& packed);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_PACKED_HPP_
