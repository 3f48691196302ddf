// SPDX-License-Identifier: BSD-3-Clause
// Rotary position embedding. impl/<vendor>/functions/rotary.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_ROTARY_HPP_
#define IMPL_COMMON_FAMILIES_ROTARY_HPP_

#include "arguments/rotary.hpp"
#include "impl/common/engine/rotary.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

// Expands cos or sin to the leading dimensions of `x`.
inline Status expand_angles(const TensorView& x, TensorView* angles) {
  diopi::Dims wanted = x.shape;
  wanted[x.ndim() - 1] = angles->shape[angles->ndim() - 1];
  bool fits = angles->ndim() <= x.ndim();
  for (int i = 1; fits && i <= angles->ndim(); ++i) {
    const int64_t extent = angles->shape[angles->ndim() - i];
    fits = extent == 1 || extent == wanted[x.ndim() - i];
  }
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "%s of shape %s does not broadcast to %s for x of shape %s", angles->name,
                diopi::Text(angles->shape).c_str(), diopi::Text(wanted).c_str(), diopi::Text(x.shape).c_str());
  *angles = angles->expand(wanted);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::RotaryEmbeddingArgs& args) {
  DIOPI_TRY(expand_angles(args.x, &args.cos));
  DIOPI_TRY(expand_angles(args.x, &args.sin));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.numel == 0) return diopiSuccess;
  if (!diopi::is_same_view(args.out, args.x)) DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.x));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.cos));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.sin));
  return run_rotary(ctx, {args.out, args.x, args.cos, args.sin, args.conj, args.interleaved});
}

// The view [T, heads, dim] of a tensor of shape [T, heads * dim] or [1, T, heads, dim].
inline TensorView in_heads(const TensorView& view, int64_t dim) {
  if (view.ndim() == 4) return view.select(0, 0);
  TensorView heads = view;
  heads.shape[1] = view.shape[1] / dim;
  heads.stride[1] = view.stride[1] * dim;
  heads.shape.push_back(dim);
  heads.stride.push_back(view.stride[1]);
  return heads;
}

inline Status rotate_heads(diopiContextHandle_t ctx, const TensorView& heads, const TensorView& cos,
                           const TensorView& sin) {
  if (heads.numel == 0) return diopiSuccess;
  return run_rotary(ctx, {heads, heads, cos.expand(heads.shape), sin.expand(heads.shape), false, false});
}

inline Status run(diopiContextHandle_t ctx, diopi::RotaryEmbeddingV2Args& args) {
  DIOPI_TRY(diopi::require_writable(args.query));
  DIOPI_TRY(diopi::require_writable(args.key));
  const TensorView query = in_heads(args.query, args.dim), key = in_heads(args.key, args.dim);
  return diopi::run_steps([&] { return rotate_heads(ctx, query, args.cos, args.sin); },
                          [&] { return rotate_heads(ctx, key, args.cos, args.sin); });
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/rotary.hpp"

#endif  // IMPL_COMMON_FAMILIES_ROTARY_HPP_
