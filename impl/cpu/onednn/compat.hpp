// SPDX-License-Identifier: BSD-3-Clause
// One interface for oneDNN 2.x and 3.x. In 2.x, an operation descriptor is made first.
#ifndef IMPL_CPU_ONEDNN_COMPAT_HPP_
#define IMPL_CPU_ONEDNN_COMPAT_HPP_

#include <oneapi/dnnl/dnnl.hpp>

namespace impl::cpu::onednn {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

// `Operation` is dnnl::matmul, dnnl::convolution_forward, ...; `args` are the arguments after the engine in 3.x.
template <typename Operation, typename... Args>
typename Operation::primitive_desc make_desc(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                             const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Operation::primitive_desc(engine, args..., attributes);
#else
  return typename Operation::primitive_desc(typename Operation::desc(args...), attributes, engine);
#endif
}

// make_desc() for a backward operation, which takes the descriptor of its forward operation as a hint.
template <typename Operation, typename Hint, typename... Args>
typename Operation::primitive_desc make_backward_desc(const dnnl::engine& engine,
                                                      const dnnl::primitive_attr& attributes, const Hint& hint,
                                                      const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Operation::primitive_desc(engine, args..., hint, attributes);
#else
  return typename Operation::primitive_desc(typename Operation::desc(args...), attributes, engine, hint);
#endif
}

}  // namespace impl::cpu::onednn

#endif  // IMPL_CPU_ONEDNN_COMPAT_HPP_
