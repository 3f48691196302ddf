// SPDX-License-Identifier: BSD-3-Clause
// Turns the views of an attention problem into the pointers and strides of the kernels.
#ifndef IMPL_CPU_ENGINE_ATTENTION_PREPARE_HPP_
#define IMPL_CPU_ENGINE_ATTENTION_PREPARE_HPP_

#include "impl/common/engine/attention.hpp"
#include "impl/cpu/attention/attention.hpp"

namespace impl::cpu {

// A view with packed rows: `view` itself, or a packed copy.
Status with_packed_rows(diopiContextHandle_t ctx, const TensorView& view, TensorView* packed);
HeadRows head_rows(const TensorView& view);
RowNumbers row_numbers(const TensorView* view);

// An output with packed rows: the view itself, or a temporary that holds its elements. put() copies them back.
class RowOutput {
 public:
  Status make(diopiContextHandle_t ctx, const TensorView& out);
  void put() const;
  HeadRows rows() const { return head_rows(packed_); }

 private:
  TensorView out_, packed_;
};

Status make_attention_call(diopiContextHandle_t ctx, const AttentionProblem& p, AttentionCall* call);

// Items of work with their costs, which partition a range of costs.
template <typename Item>
struct CostedItem {
  Item item;
  int64_t cost_before;
};

// The multiplications of one product of the queries [first, first + count) of a sequence, divided by the head size.
inline int64_t visible_pairs(const AttentionCall& c, int64_t b, int64_t first, int64_t count) {
  if (count <= 0) return 0;
  const KeyRange low = visible_keys(c, b, first), high = visible_keys(c, b, first + count - 1);
  return std::max<int64_t>(1, count * (low.end - low.begin + high.end - high.begin) / 2);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ATTENTION_PREPARE_HPP_
