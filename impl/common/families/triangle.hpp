// SPDX-License-Identifier: BSD-3-Clause
// Triangular parts of matrices. impl/<vendor>/functions/triangle.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_TRIANGLE_HPP_
#define IMPL_COMMON_FAMILIES_TRIANGLE_HPP_

#include "arguments/triangle.hpp"
#include "impl/common/engine/triangle.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status triangle(diopiContextHandle_t ctx, const Args& args, bool lower) {
  TensorView from = args.input;
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.dtype != from.dtype) {  // converts first, because zero is zero in every dtype
    DIOPI_TRY(copy(ctx, args.out, from));
    from = args.out;
  } else if (!diopi::is_same_view(args.out, from)) {
    DIOPI_TRY(replace_if_overlapping(ctx, args.out, &from));
  }
  return run_triangle(ctx, args.out, from, lower, args.diagonal);
}

inline Status run(diopiContextHandle_t ctx, diopi::TrilArgs& args) { return triangle(ctx, args, true); }
inline Status run(diopiContextHandle_t ctx, diopi::TriuArgs& args) { return triangle(ctx, args, false); }

}  // namespace impl::DIOPI_VENDOR

#include "functions/triangle.hpp"

#endif  // IMPL_COMMON_FAMILIES_TRIANGLE_HPP_
