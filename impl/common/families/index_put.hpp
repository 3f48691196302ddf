// SPDX-License-Identifier: BSD-3-Clause
// Writes through advanced indices. impl/<vendor>/functions/index_put.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_INDEX_PUT_HPP_
#define IMPL_COMMON_FAMILIES_INDEX_PUT_HPP_

#include "arguments/index_put.hpp"
#include "impl/common/families/advanced_index.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
Status index_put(diopiContextHandle_t ctx, const TensorView& out, const ScatterBase& base, const Args& args) {
  AdvancedIndex index(out);
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(read_indices(ctx, args.indices, args.indices_counts, &index));
  DIOPI_TRY(diopi::require_broadcasts_to(args.values, index.shape()));
  TensorView values = args.values.expand(index.shape());
  DIOPI_TRY(replace_if_overlapping(ctx, out, &values));
  return scatter(ctx, args.accumulate ? ScatterOp::kAdd : ScatterOp::kReplace, out, base, values, index);
}

inline Status run(diopiContextHandle_t ctx, diopi::IndexPutArgs& args) {
  return index_put(ctx, args.out, ScatterBase::copy_of(args.input), args);
}

inline Status run(diopiContextHandle_t ctx, diopi::IndexPutInpArgs& args) {
  return index_put(ctx, args.input, ScatterBase::kept(), args);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/index_put.hpp"

#endif  // IMPL_COMMON_FAMILIES_INDEX_PUT_HPP_
