// SPDX-License-Identifier: BSD-3-Clause
// Writes through advanced indices. impl/<vendor>/functions/index_put.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_INDEX_PUT_HPP_
#define IMPL_COMMON_FAMILIES_INDEX_PUT_HPP_

#include "arguments/index_put.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/ternary.hpp"
#include "impl/common/families/advanced_index.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

// A write through one mask, at whose true elements the values are the same: out = mask ? value : before.
struct MaskedPut {
  TensorView mask, value;  // both broadcast to the shape of the output
};

// Returns false if the call is another one, or if the mask or the values share memory with the output. `values` has the
// shape of `index`.
inline bool as_masked_put(const TensorView& out, const TensorView& values, const AdvancedIndex& index, MaskedPut* put) {
  if (index.end() - index.begin() != 1 || !index.begin()->is_mask || values.numel == 0) return false;
  const AdvancedIndex::Entry& entry = *index.begin();
  const int at = index.first();
  if (values.stride[at] != 0 && values.shape[at] > 1) return false;
  if (diopi::may_overlap(out, entry.found.mask) || diopi::may_overlap(out, values)) return false;
  put->mask = entry.found.mask;
  put->value = values.select(at, 0);
  for (int i = 0; i < entry.dims; ++i) put->value = put->value.unsqueeze(at);
  while (put->mask.ndim() < out.ndim() - at) put->mask = put->mask.unsqueeze(put->mask.ndim());
  return true;
}

// `before` is `out` itself or a tensor that shares no memory with it. A sum of all elements goes to `out` first if this
// destroys nothing.
inline Status run_masked_put(diopiContextHandle_t ctx, const TensorView& out, const TensorView& before,
                             const MaskedPut& put, bool accumulate) {
  if (!accumulate) return run_select(ctx, out, put.mask, put.value, before, out.dtype);
  TensorView sum = out;
  if (diopi::is_same_view(out, before)) {
    DIOPI_TRY(diopi::make_temporary(ctx, out.shape, out.dtype, out.name, &sum));
  }
  return diopi::run_steps([&] { return run_binary(ctx, BinaryOp::kAdd, sum, before, put.value, out.dtype); },
                          [&] { return run_select(ctx, out, put.mask, sum, before, out.dtype); });
}

template <typename Args>
Status index_put(diopiContextHandle_t ctx, const TensorView& out, const ScatterBase& base, const Args& args) {
  AdvancedIndex index(out);
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(read_indices(ctx, args.indices, args.indices_counts, &index));
  DIOPI_TRY(diopi::require_broadcasts_to(args.values, index.shape()));
  TensorView values = args.values.expand(index.shape());
  const TensorView& before = base.is_kept() ? out : *base.tensor();
  MaskedPut put;
  if ((diopi::is_same_view(out, before) || !diopi::may_overlap(out, before)) &&
      as_masked_put(out, values, index, &put)) {
    return run_masked_put(ctx, out, before, put, args.accumulate);
  }
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
