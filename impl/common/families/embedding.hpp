// SPDX-License-Identifier: BSD-3-Clause
// Selects rows of a table by indices; and the gradient of the table. impl/<vendor>/functions/embedding.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_EMBEDDING_HPP_
#define IMPL_COMMON_FAMILIES_EMBEDDING_HPP_

#include "arguments/embedding.hpp"
#include "impl/common/engine/embedding.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

// A single index becomes a line of one index, and its row a line of one row.
inline void make_line_of_number(TensorView* index, TensorView* rows) {
  if (index->ndim() > 0) return;
  *index = index->unsqueeze(0);
  *rows = rows->unsqueeze(0);
}

inline Status run(diopiContextHandle_t ctx, diopi::EmbeddingArgs& args) {
  TensorView &table = args.weight, &index = args.indices, &out = args.out;
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &table));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &index));
  make_line_of_number(&index, &out);
  return select(ctx, out, table, 0, index);
}

inline Status run(diopiContextHandle_t ctx, diopi::EmbeddingBackwardArgs& args) {
  TensorView &grad = args.grad, &index = args.indices;
  DIOPI_TRY(diopi::require_writable(args.out));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &grad));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &index));
  make_line_of_number(&index, &grad);
  return embedding_backward(ctx, args.out, grad, index, args.padding_idx, args.scale_grad_byfreq);
}

inline Status run(diopiContextHandle_t ctx, diopi::EmbeddingRenorm_Args& args) {
  TensorView& index = args.indices;
  DIOPI_TRY(diopi::require_writable(args.inout));
  DIOPI_TRY(replace_if_overlapping(ctx, args.inout, &index));
  if (index.ndim() == 0) index = index.unsqueeze(0);
  return renorm_selected(ctx, args.inout, index, args.max_norm, args.norm_type);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/embedding.hpp"

#endif  // IMPL_COMMON_FAMILIES_EMBEDDING_HPP_
