// SPDX-License-Identifier: BSD-3-Clause
// Multi-scale deformable attention and its gradients: the operands as the kernels read them.
#include "impl/cpu/sampling/attention.hpp"

#include "impl/common/engine/deform.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {
namespace {

struct Operands {
  TensorView value, location, weight, zeros;
  DeformAttention call;
};

Status prepare(diopiContextHandle_t ctx, const AttentionSamples& s, Operands* o) {
  const diopiDtype_t dtype = diopi::compute_dtype(s.value.dtype);
  DIOPI_TRY(arrange_input(ctx, s.value, nullptr, false, dtype, &o->value));
  DIOPI_TRY(arrange_input(ctx, s.location, nullptr, false, dtype, &o->location));
  DIOPI_TRY(arrange_input(ctx, s.weight, nullptr, false, dtype, &o->weight));
  DeformAttention& call = o->call;
  call.cells = s.value.shape[1];
  call.heads = s.value.shape[2];
  call.depth = s.value.shape[3];
  call.queries = s.location.shape[1];
  call.levels = s.location.shape[3];
  call.points = s.location.shape[4];
  call.level = s.levels;
  diopi::Dims depth;
  depth.push_back(call.depth);
  DIOPI_TRY(make_temporary(ctx, depth, dtype, &o->zeros));
  fill_zero(o->zeros);
  call.value = o->value.data;
  call.location = o->location.data;
  call.weight = o->weight.data;
  call.zeros = o->zeros.data;
  return diopiSuccess;
}

// The time of one query of one head.
int64_t query_cost(const DeformAttention& call, int64_t each) {
  return call.levels * call.points * (call.depth * each + 5000);
}

}  // namespace

Status run_deform_attention(diopiContextHandle_t ctx, const AttentionSamples& samples, const TensorView& out) {
  Operands o;
  TensorView rows;
  DIOPI_TRY(prepare(ctx, samples, &o));
  DIOPI_TRY(arrange(ctx, out, false, o.value.dtype, false, &rows));
  const DeformAttentionFn kernel = deform_attention_kernel(o.value.dtype);
  const DeformAttention* call = &o.call;
  void* to = rows.data;
  diopi::parallel_for(out.shape[0] * call->queries * call->heads, diopi::Picoseconds{query_cost(*call, 400)},
                      [=](int64_t begin, int64_t end) { kernel(*call, to, begin, end); });
  put_back(out, rows);
  return diopiSuccess;
}

Status run_deform_attention_backward(diopiContextHandle_t ctx, const AttentionSamples& samples,
                                     const TensorView& grad_output, const AttentionGradients& gradients) {
  Operands o;
  TensorView grad, value, location, weight;
  DIOPI_TRY(prepare(ctx, samples, &o));
  const diopiDtype_t dtype = o.value.dtype;
  DIOPI_TRY(arrange_input(ctx, grad_output, nullptr, false, dtype, &grad));
  DIOPI_TRY(arrange(ctx, gradients.value, false, dtype, false, &value));
  DIOPI_TRY(arrange(ctx, gradients.location, false, dtype, false, &location));
  DIOPI_TRY(arrange(ctx, gradients.weight, false, dtype, false, &weight));
  if (value.numel > 0) fill_zero(value);
  const DeformAttentionBackwardFn kernel = deform_attention_backward_kernel(dtype);
  const DeformAttentionGradients to{grad.data, value.data, location.data, weight.data};
  const DeformAttention* call = &o.call;
  // The heads have different elements of the gradient of `value`; each adds its queries in order.
  diopi::parallel_for(samples.value.shape[0] * call->heads, diopi::Picoseconds{call->queries * query_cost(*call, 1500)},
                      [=](int64_t begin, int64_t end) { kernel(*call, to, begin, end); });
  put_back(gradients.value, value);
  put_back(gradients.location, location);
  put_back(gradients.weight, weight);
  return diopiSuccess;
}

}  // namespace impl::cpu
