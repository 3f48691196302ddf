// SPDX-License-Identifier: BSD-3-Clause
// diopiPromptFlashAttention: causal attention of whole prompts, each padded to the same length.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_PROMPT_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_PROMPT_HPP_

#include <cmath>

#include "arguments/attention.hpp"
#include "impl/common/families/attention_setup.hpp"
#include "impl/common/rules/shapes.hpp"

namespace impl::DIOPI_VENDOR {

// [batch * length, heads * size] or [batch, length, heads * size] as [batch, length, heads, size].
inline TensorView by_head(const TensorView& x, int64_t batch, int64_t length, int64_t size) {
  TensorView result = x;
  const int last = x.ndim() - 1;
  const int64_t row = x.stride[last - 1], element = x.stride[last];
  result.shape = result.stride = diopi::Dims();
  const int64_t extents[] = {batch, length, x.shape[last] / size, size};
  const int64_t strides[] = {x.ndim() == 3 ? x.stride[0] : row * length, row, element * size, element};
  for (int i = 0; i < 4; ++i) {
    result.shape.push_back(extents[i]);
    result.stride.push_back(strides[i]);
  }
  return result;
}

// The mask as [batch or 1, heads or 1, rows, keys].
inline TensorView mask_by_head(TensorView mask) {
  if (mask.ndim() == 2) mask = mask.unsqueeze(0);
  return mask.ndim() == 3 ? mask.unsqueeze(1) : mask;
}

// The mask broadcasts to the last dimensions of [batch, heads, rows, keys]; with three dimensions, to [batch, rows,
// keys].
inline Status require_mask(const TensorView& mask, int64_t batch, int64_t heads, int64_t length) {
  diopi::Dims target;
  if (mask.ndim() > 2) target.push_back(batch);
  if (mask.ndim() > 3) target.push_back(heads);
  target.push_back(length);
  target.push_back(length);
  return diopi::require_broadcasts_to(mask, target);
}

inline Status run(diopiContextHandle_t ctx, diopi::PromptFlashAttentionArgs& args) {
  const int64_t batch = args.actual_seq_lengths.len, length = args.max_input_len, size = args.dim;
  if (args.atten_mask) DIOPI_TRY(require_mask(*args.atten_mask, batch, args.num_heads, length));
  DIOPI_TRY(diopi::require_writable(args.out));
  const TensorView q = by_head(args.query, batch, length, size), k = by_head(args.key, batch, length, size);
  const TensorView v = by_head(args.value, batch, length, size), out = by_head(args.out, batch, length, size);
  const diopi::SequenceRows rows{nullptr, args.actual_seq_lengths.data};
  AttentionProblem problem{q, k, v, batch, rows, rows};
  problem.scale = 1 / std::sqrt(static_cast<double>(size));
  problem.window = attention_window(true, -1, -1);
  TensorView mask;
  if (args.atten_mask) problem.mask = &(mask = mask_by_head(*args.atten_mask));
  const auto fill_rest = [&]() -> Status {
    const int64_t* const lengths = args.actual_seq_lengths.data;
    const bool whole = std::all_of(lengths, lengths + batch, [=](int64_t n) { return n == length; });
    return whole ? Status(diopiSuccess) : fill_number(ctx, args.out, 0);
  };
  return diopi::run_steps(fill_rest, [&] { return run_attention(ctx, problem, out, {}); });
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_PROMPT_HPP_
