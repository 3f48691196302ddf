// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/conv/conv.hpp"

#include <algorithm>
#include <atomic>

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/matmul.hpp"
#include "impl/cpu/onednn/program_cache.hpp"

namespace impl::cpu {
namespace {

// oneDNN computes blocks of 16 channels, 8 of them on some processors, and fills up the last block.
constexpr int64_t kBlock = 16;
int64_t in_blocks(int64_t channels) { return (channels + kBlock - 1) / kBlock * kBlock; }

// Whether the windows are small and do not overlap, so that unfolding copies each element at most once. Windows of 16
// elements gained nothing; dtypes other than float32 have not been measured.
bool has_small_windows_apart(const ConvProblem& p) {
  constexpr int64_t kLargest = 9;  // elements
  int64_t elements = 1;
  for (int i = 0; i < p.geometry.spatial; ++i) {
    if (p.windows_overlap(i)) return false;
    elements *= p.weight.shape[i + 2];
  }
  return p.src.dtype == diopi_dtype_float32 && elements <= kLargest;
}

// Whether the product of unfolded images is faster than oneDNN, because oneDNN would mostly compute channels that it
// has filled up. A stride makes unfolding slow unless windows are small and apart, but the gradient of the images is
// folded in any case.
bool is_better_unfolded(const ConvProblem& p) {
  constexpr int64_t kMuchFilledUp = 8;  // products that oneDNN computes for each that is needed
  const ConvGeometry& g = p.geometry;
  const int64_t inputs = p.weight.shape[1], outputs = p.weight.shape[0];
  if (g.groups != 1 || is_channels_last(p.src) || is_channels_last(p.dst)) return false;
  if (in_blocks(inputs) * in_blocks(outputs) < kMuchFilledUp * inputs * outputs) return false;
  return p.kind == ConvKind::kBackwardData || has_small_windows_apart(p) ||
         std::all_of(g.stride, g.stride + g.spatial, [](int64_t s) { return s == 1; });
}

SkipReason conv_suited_onednn(const ConvProblem& problem, Status* status) {
  return is_better_unfolded(problem) ? "most channels would be filled up" : conv_onednn(problem, status);
}

Status choose(const ConvProblem& problem) {
  static const Forced forced("DIOPI_CPU_CONV");
  static constexpr Candidate<ConvProblem> kCandidates[] = {
      {"1x1", conv_1x1},       {"patches", conv_patches}, {"onednn", conv_suited_onednn},
      {"im2col", conv_im2col}, {"onednn", conv_onednn},  // only if an environment variable forces it
  };
  return run_candidates(forced, kCandidates, problem);
}

// Adds the bias of each channel to the result of a transposed convolution.
Status add_bias(const ConvProblem& problem) {
  const TensorView& result = problem.result();
  TensorView bias = *problem.bias;
  while (bias.ndim() < result.ndim() - 1) bias = bias.unsqueeze(bias.ndim());
  return run_binary(problem.ctx, diopi::BinaryOp::kAdd, result, result, bias, result.dtype);
}

// Computes in the dtype of the operands.
Status compute(const ConvProblem& problem) {
  if (problem.kind != ConvKind::kBackwardData || problem.bias == nullptr) return choose(problem);
  ConvProblem product = problem;
  product.bias = nullptr;
  return diopi::run_steps([&] { return choose(product); }, [&] { return add_bias(problem); });
}

TensorView* result_of(ConvProblem* problem) { return const_cast<TensorView*>(&problem->result()); }

// Replaces `view` by a copy of it as float32.
Status widen(diopiContextHandle_t ctx, TensorView* view) {
  TensorView copy;
  DIOPI_TRY(make_temporary_like(ctx, *view, diopi_dtype_float32, &copy));
  copy_view(copy, *view);
  *view = copy;
  return diopiSuccess;
}

// Whether oneDNN 2.6 would compute wrong gradients of bfloat16 weights: in three dimensions, if there is padding before
// the first plane and windows pass over planes.
bool has_wrong_gradients(const ConvProblem& problem) {
  const ConvGeometry& g = problem.geometry;
  return problem.kind == ConvKind::kBackwardWeights && g.spatial == 3 && g.padding[0] > 0 && g.stride[0] > 1;
}

// In which dtype the implementations compute a problem.
enum class Arithmetic { kOwn, kOwnIfFinite, kFloat32 };

// For few channels of bfloat16, oneDNN fills up the channels with neighbouring pixels and multiplies these by zero
// weights. That turns an infinity into a NaN, so such problems are computed in float32 unless all numbers are finite.
Arithmetic arithmetic_of(const ConvProblem& problem) {
  constexpr int64_t kFewChannels = 16;
  if (!diopi::is_reduced_float(problem.src.dtype)) return Arithmetic::kOwn;
  if (problem.kind == ConvKind::kBackwardData && problem.bias != nullptr) {
    return Arithmetic::kFloat32;  // the sum is rounded once
  }
  if (problem.src.dtype != diopi_dtype_bfloat16 || !onednn::multiplies_bfloat16()) return Arithmetic::kFloat32;
  if (has_wrong_gradients(problem)) return Arithmetic::kFloat32;
  const int64_t inputs = problem.weight.shape[1], outputs = problem.weight.shape[0] / problem.geometry.groups;
  // Depthwise convolutions without dilation have their own kernels, which do not fill up channels.
  const ConvGeometry& g = problem.geometry;
  const bool dilated = std::any_of(g.dilation, g.dilation + g.spatial, [](int64_t d) { return d != 1; });
  const bool depthwise = g.groups >= kFewChannels && inputs == 1 && outputs == 1 && !dilated;
  if (depthwise || (inputs >= kFewChannels && outputs >= kFewChannels)) return Arithmetic::kOwn;
  return problem.kind == ConvKind::kForward ? Arithmetic::kOwnIfFinite : Arithmetic::kFloat32;
}

// Whether a view of bfloat16 numbers has no gaps, infinities and NaNs.
bool is_dense_and_finite(const TensorView& view) {
  constexpr uint16_t kExponent = 0x7F80;
  constexpr int64_t kGrain = 1 << 16;
  if (!view.is_dense()) return false;
  const auto* bits = view.ptr<const uint16_t>();
  std::atomic<bool> finite{true};
  diopi::parallel_for(view.numel, kGrain, [&](int64_t begin, int64_t end) {
    uint16_t found = 0;
    for (int64_t i = begin; i < end; ++i) found |= static_cast<uint16_t>((bits[i] & kExponent) == kExponent);
    if (found != 0) finite.store(false, std::memory_order_relaxed);
  });
  return finite.load(std::memory_order_relaxed);
}

// Computes float16 and bfloat16 in float32, and rounds the result at the end.
Status run_wide(ConvProblem problem) {
  const TensorView result = problem.result();
  TensorView bias;
  for (TensorView* view : {&problem.src, &problem.weight, &problem.dst}) {
    if (view != result_of(&problem)) DIOPI_TRY(widen(problem.ctx, view));
  }
  DIOPI_TRY(make_temporary_like(problem.ctx, result, diopi_dtype_float32, result_of(&problem)));
  if (problem.bias != nullptr) {
    bias = *problem.bias;
    DIOPI_TRY(widen(problem.ctx, &bias));
    problem.bias = &bias;
  }
  DIOPI_TRY(compute(problem));
  copy_view(result, problem.result());
  return diopiSuccess;
}

bool overlaps_operands(const ConvProblem& problem) {
  for (const TensorView* view : {&problem.src, &problem.weight, &problem.dst}) {
    if (view != &problem.result() && diopi::may_overlap(problem.result(), *view)) return true;
  }
  return problem.bias != nullptr && diopi::may_overlap(problem.result(), *problem.bias);
}

}  // namespace

Status run_conv(const ConvProblem& problem) {
  if (overlaps_operands(problem)) {
    ConvProblem apart = problem;
    const TensorView result = problem.result();
    DIOPI_TRY(make_temporary_like(problem.ctx, result, result.dtype, result_of(&apart)));
    DIOPI_TRY(run_conv(apart));
    copy_view(result, apart.result());
    return diopiSuccess;
  }
  const Arithmetic arithmetic = arithmetic_of(problem);
  if (arithmetic == Arithmetic::kOwn) return compute(problem);
  if (arithmetic == Arithmetic::kFloat32) return run_wide(problem);
  if (diopi::in_dry_run()) {  // the numbers may not be there yet
    DIOPI_TRY(compute(problem));
    return run_wide(problem);
  }
  const bool finite = is_dense_and_finite(problem.src) && is_dense_and_finite(problem.weight);
  return finite ? compute(problem) : run_wide(problem);
}

}  // namespace impl::cpu
