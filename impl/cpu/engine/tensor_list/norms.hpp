// SPDX-License-Identifier: BSD-3-Clause
// Norms of all tensors of a list.
#ifndef IMPL_CPU_ENGINE_TENSOR_LIST_NORMS_HPP_
#define IMPL_CPU_ENGINE_TENSOR_LIST_NORMS_HPP_

#include "impl/common/view_list.hpp"
#include "impl/cpu/norm/vector_norm.hpp"

namespace impl::cpu {

// norms[k] = the norm of order p of all elements of the floating point tensor number k. Of a tensor without elements it
// is infinite if p is minus infinity, and otherwise 0. `precise`: see vector_norm_kernel.
Status list_norms(diopiContextHandle_t ctx, const diopi::ViewList& tensors, double p, bool precise, double* norms);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_TENSOR_LIST_NORMS_HPP_
