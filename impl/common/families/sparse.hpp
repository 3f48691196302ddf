// SPDX-License-Identifier: BSD-3-Clause
// Products with sparse matrices. impl/<vendor>/functions/sparse.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_SPARSE_HPP_
#define IMPL_COMMON_FAMILIES_SPARSE_HPP_

#include "arguments/sparse.hpp"
#include "impl/common/engine/sparse.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::SpMMArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_spmm(ctx, args.out, args.input, args.mat2);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/sparse.hpp"

#endif  // IMPL_COMMON_FAMILIES_SPARSE_HPP_
