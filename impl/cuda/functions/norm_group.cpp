// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_group.hpp"

#include "impl/cuda/engine/norm.hpp"
#include "impl/cuda/kernels/norm/channel_norm.hpp"

namespace impl::cuda {

namespace {

// Splits dimension `dim` into the groups and the channels of a group.
TensorView with_groups(const TensorView& view, int dim, int64_t groups) {
  TensorView split = view.unsqueeze(dim);
  const int64_t channels = view.shape[dim] / groups;
  split.shape[dim] = groups;
  split.shape[dim + 1] = channels;
  split.stride[dim] = view.stride[dim] * channels;
  return split;
}

// A vector of channels as an operand that broadcasts to [samples, groups, channels, ...].
RowInput per_channel(const TensorView* vector, double number, int64_t groups, int ndim) {
  if (vector == nullptr) return RowInput(number);
  TensorView split = with_groups(*vector, 0, groups);
  while (split.ndim() < ndim) split = split.unsqueeze(split.ndim());
  return split;
}

// The dimensions behind samples and groups.
NormSets groups_of(const TensorView& split) { return {split.shape, ((1u << split.ndim()) - 1) & ~3u}; }

bool is_too_deep(const TensorView& input) { return input.ndim() == diopi::kMaxDims; }

}  // namespace

Status run_group_norm(diopiContextHandle_t ctx, const GroupNormProblem& p) {
  if (is_too_deep(p.input)) return diopiForceFallbackToCPU;
  NormCall call;
  NormStatistics statistics;
  call.input = with_groups(p.input, 1, p.groups);
  call.out = with_groups(p.out, 1, p.groups);
  call.sets = groups_of(call.input);
  call.weight = per_channel(p.weight, 1, p.groups, call.input.ndim() - 1);
  call.bias = per_channel(p.bias, 0, p.groups, call.input.ndim() - 1);
  call.eps = p.eps;
  DIOPI_TRY(make_statistics(ctx, call.sets, &statistics));
  call.mean = statistics.mean;
  call.invstd = statistics.invstd;
  DIOPI_TRY(normalize_sets(ctx, call));
  DIOPI_TRY(copy_values(ctx, p.mean, statistics.mean));
  return copy_values(ctx, p.invstd, statistics.invstd);
}

Status run_group_norm_backward(diopiContextHandle_t ctx, const GroupNormBackwardProblem& p) {
  bool done = false;
  DIOPI_TRY(group_gradients(ctx, p, &done));
  if (done) return diopiSuccess;
  if (is_too_deep(p.input)) return diopiForceFallbackToCPU;
  NormGradientCall call;
  TensorView grads[3], mean, invstd;
  call.input = with_groups(p.input, 1, p.groups);
  call.grad_output = with_groups(p.grad_output, 1, p.groups);
  call.sets = groups_of(call.input);
  const Dims statistics = diopi::reduced_shape(call.sets.shape, call.sets.mask, true);
  DIOPI_TRY(packed_values(ctx, p.mean, statistics, &mean));
  DIOPI_TRY(packed_values(ctx, p.invstd, statistics, &invstd));
  call.mean = mean;
  call.invstd = invstd;
  call.weight = per_channel(p.weight, 1, p.groups, call.input.ndim() - 1);
  call.weight_mask = (call.sets.mask & ~4u) | 1u;  // all dimensions but groups and channels
  const auto split = [&](const TensorView* view, int dim, TensorView* memory) -> const TensorView* {
    if (view == nullptr) return nullptr;
    *memory = with_groups(*view, dim, p.groups);
    return memory;
  };
  call.grad_input = split(p.grad_input, 1, &grads[0]);
  call.grad_weight = split(p.grad_weight, 0, &grads[1]);
  call.grad_bias = split(p.grad_bias, 0, &grads[2]);
  return norm_gradients(ctx, call);
}

}  // namespace impl::cuda
