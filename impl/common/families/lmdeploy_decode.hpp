// SPDX-License-Identifier: BSD-3-Clause
// Bookkeeping of tokens around TurboMind's decoding loop. impl/<vendor>/functions/lmdeploy_decode.cpp includes this
// file.
#ifndef IMPL_COMMON_FAMILIES_LMDEPLOY_DECODE_HPP_
#define IMPL_COMMON_FAMILIES_LMDEPLOY_DECODE_HPP_

#include <algorithm>

#include "arguments/lmdeploy_decode.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/decode.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::GatherOutputArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output_ids));
  return gather_steps(ctx, {args.output_ids, args.ids, args.context_length, args.max_context_len, args.max_gen_step});
}

// An operand of int64 for an integer.
inline void set_integer_operand(diopi::NumberOperand* number, int64_t value, const char* name, diopiDtype_t dtype,
                                TensorView* view) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_int64;
  scalar.ival = value;
  number->set(scalar, name, dtype, view);
}

inline Status run(diopiContextHandle_t ctx, diopi::PlusScalarInpArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.inoutput));
  const TensorView head = args.inoutput.narrow(0, 0, std::min(args.size, args.inoutput.numel));
  diopi::NumberOperand number;
  TensorView val;
  set_integer_operand(&number, args.val, "val", head.dtype, &val);
  return run_binary(ctx, BinaryOp::kAdd, head, head, val, head.dtype);
}

inline Status run(diopiContextHandle_t ctx, diopi::UpdatePaddingCountArgs& args) {
  TensorView &count = args.total_padding_count, &lengths = args.input_lengths;
  DIOPI_TRY(diopi::require_writable(count));
  DIOPI_TRY(replace_if_overlapping(ctx, count, &lengths));
  diopi::NumberOperand number;
  TensorView longest;
  set_integer_operand(&number, args.max_input_length, "max_input_length", diopi_dtype_int64, &longest);
  return run_binary(ctx, BinaryOp::kSub, count, longest, lengths, diopi_dtype_int64);
}

// Gives a packed view another shape.
inline void set_shape(const diopi::Dims& shape, TensorView* view) {
  view->shape = shape;
  view->stride = diopi::contiguous_strides(shape);
}

inline diopi::Dims extents(int64_t first, int64_t second, int64_t third) {
  diopi::Dims shape;
  for (int64_t extent : {first, second, third}) shape.push_back(extent);
  return shape;
}

inline Status run(diopiContextHandle_t ctx, diopi::TransposeAxis01Args& args) {
  TensorView input = args.input, output = args.output;
  DIOPI_TRY(diopi::require_writable(output));
  const diopi::Dims before = extents(args.dim0, args.dim1, args.dim2), after = extents(args.dim1, args.dim0, args.dim2);
  DIOPI_TRY(diopi::require_countable(before, "input as [dim0, dim1, dim2]"));
  const bool reshapes = input.shape != before, packs = output.shape != after && !output.is_contiguous();
  if (reshapes && !input.is_contiguous()) DIOPI_TRY(replace_by_copy(ctx, &input));
  if (reshapes) set_shape(before, &input);
  if (packs) DIOPI_TRY(diopi::make_temporary(ctx, output.shape, output.dtype, output.name, &output));
  if (output.shape != after) set_shape(after, &output);
  DIOPI_TRY(replace_if_overlapping(ctx, output, &input));
  DIOPI_TRY(copy(ctx, output, input.transposed(0, 1)));
  if (!packs) return diopiSuccess;
  set_shape(args.output.shape, &output);
  return copy(ctx, args.output, output);
}

// out[i] = table[index[i]].
inline Status look_up(diopiContextHandle_t ctx, const TensorView& out, TensorView table, TensorView index) {
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &table));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &index));
  return select(ctx, out, table, 0, index);
}

inline Status run(diopiContextHandle_t ctx, diopi::EmbeddingLookupPosEncodingArgs& args) {
  return look_up(ctx, args.from_tensor, args.embedding_table, args.all_ids.select(0, args.step));
}

inline Status run(diopiContextHandle_t ctx, diopi::InputIdsEmbeddingLookupPosEncodingArgs& args) {
  return look_up(ctx, args.from_tensor, args.embedding_table, args.input_ids.narrow(0, 0, args.input_lengths));
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/lmdeploy_decode.hpp"

#endif  // IMPL_COMMON_FAMILIES_LMDEPLOY_DECODE_HPP_
