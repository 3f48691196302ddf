// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through an index tensor along one dimension. impl/<vendor>/functions/scatter_gather.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_SCATTER_GATHER_HPP_
#define IMPL_COMMON_FAMILIES_SCATTER_GATHER_HPP_

#include "arguments/scatter_gather.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

// A tensor without dimensions becomes a line of one element.
template <typename... Views>
void make_lines(Views*... views) {
  const auto make_line = [](TensorView* view) {
    if (view->ndim() == 0) *view = view->unsqueeze(0);
  };
  (make_line(views), ...);
}

// The values of `reduce` have been checked; null means "".
inline ScatterOp scatter_op(const char* reduce) {
  if (reduce == nullptr || *reduce == '\0') return ScatterOp::kReplace;
  return *reduce == 'a' ? ScatterOp::kAdd : ScatterOp::kMultiply;
}

inline Status run(diopiContextHandle_t ctx, diopi::GatherArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.index.numel == 0) return diopiSuccess;
  make_lines(&args.out, &args.input, &args.index);
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.input));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.index));
  return gather(ctx, args.out, args.input, static_cast<int>(args.dim), args.index);
}

// Scatters a tensor into `out`.
inline Status scatter_tensor(diopiContextHandle_t ctx, ScatterOp op, TensorView* out, const ScatterBase& base,
                             int64_t dim, TensorView* src, TensorView* index) {
  DIOPI_TRY(diopi::require_writable(*out));
  make_lines(out, src, index);
  if (index->numel > 0) {
    DIOPI_TRY(replace_if_overlapping(ctx, *out, src));
    DIOPI_TRY(replace_if_overlapping(ctx, *out, index));
  }
  return scatter(ctx, op, *out, base, static_cast<int>(dim), *src, *index);
}

inline Status scatter_number(diopiContextHandle_t ctx, ScatterOp op, TensorView* out, const ScatterBase& base,
                             int64_t dim, const diopiScalar_t& value, TensorView* index) {
  DIOPI_TRY(diopi::require_writable(*out));
  make_lines(out, index);
  if (index->numel > 0) DIOPI_TRY(replace_if_overlapping(ctx, *out, index));
  return scatter_value(ctx, op, *out, base, static_cast<int>(dim), value, *index);
}

inline Status run(diopiContextHandle_t ctx, diopi::GatherBackwardArgs& args) {
  return scatter_tensor(ctx, ScatterOp::kAdd, &args.grad_input, ScatterBase::zeros(), args.dim, &args.grad_output,
                        &args.index);
}

inline Status run(diopiContextHandle_t ctx, diopi::ScatterArgs& args) {
  make_lines(&args.input);
  return scatter_tensor(ctx, scatter_op(args.reduce), &args.out, ScatterBase::copy_of(args.input), args.dim, &args.src,
                        &args.index);
}

inline Status run(diopiContextHandle_t ctx, diopi::ScatterInpArgs& args) {
  return scatter_tensor(ctx, scatter_op(args.reduce), &args.input, ScatterBase::kept(), args.dim, &args.src,
                        &args.index);
}

inline Status run(diopiContextHandle_t ctx, diopi::ScatterScalarArgs& args) {
  make_lines(&args.input);
  return scatter_number(ctx, scatter_op(args.reduce), &args.out, ScatterBase::copy_of(args.input), args.dim,
                        *args.value, &args.index);
}

inline Status run(diopiContextHandle_t ctx, diopi::ScatterInpScalarArgs& args) {
  return scatter_number(ctx, scatter_op(args.reduce), &args.input, ScatterBase::kept(), args.dim, *args.value,
                        &args.index);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/scatter_gather.hpp"

#endif  // IMPL_COMMON_FAMILIES_SCATTER_GATHER_HPP_
