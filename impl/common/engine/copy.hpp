// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to copy and fill tensors of any strides.
#ifndef IMPL_COMMON_ENGINE_COPY_HPP_
#define IMPL_COMMON_ENGINE_COPY_HPP_

#include "impl/common/view_list.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Copies `in` to `out` and converts the elements. `in` broadcasts to the shape of `out`; its strides may be negative.
// The two may overlap.
Status copy(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in);
// The same for two that share no memory.
Status copy_apart(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in);
// The same for each pair of two lists; no output shares memory with another tensor.
Status copy_all_apart(diopiContextHandle_t ctx, const diopi::ViewList& outs, const diopi::ViewList& ins);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_COPY_HPP_
