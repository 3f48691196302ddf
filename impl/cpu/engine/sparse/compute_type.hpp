// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CPU_ENGINE_SPARSE_COMPUTE_TYPE_HPP_
#define IMPL_CPU_ENGINE_SPARSE_COMPUTE_TYPE_HPP_

#include <type_traits>

namespace impl::cpu {

// The type in which elements of a floating point type are computed.
template <typename T>
using ComputeType = std::conditional_t<std::is_same_v<T, double>, double, float>;

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_SPARSE_COMPUTE_TYPE_HPP_
