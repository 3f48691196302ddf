// SPDX-License-Identifier: BSD-3-Clause
// Focal losses whose targets are classes. A target that is no class is the background.
#include "impl/cuda/kernels/loss/focal.cuh"

#include <cfloat>

#include "impl/common/engine/focal.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/kernels/elementwise/real_functions.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

namespace {

constexpr int kFocalThreads = 128;
constexpr int64_t kBackground = -1;

struct FocalCall {
  Sources<3> in;  // scores, target, weight
  int64_t samples, classes;
  int64_t score_step[2], target_step, weight_step;
  double gamma, alpha;

  // The class of a sample, or kBackground.
  __device__ int64_t class_of(int64_t sample) const {
    const auto target = in.read<int64_t>(1, sample * target_step);
    return target >= 0 && target < classes ? target : kBackground;
  }
  template <typename T>
  __device__ T weight_of(int64_t number) const {
    return number == kBackground ? T(1) : in.template read<T>(2, number * weight_step);
  }
  template <typename T>
  __device__ T score(int64_t sample, int64_t number) const {
    return in.template read<T>(0, sample * score_step[0] + number * score_step[1]);
  }
};

// Results of the shape of the scores.
struct FocalResults {
  Targets<1> out;
  int64_t step[2];

  template <typename T>
  __device__ void write(int64_t sample, int64_t number, T value) const {
    out.write(0, sample * step[0] + number * step[1], value);
  }
};

// The losses of all classes, or their slopes. For the class of a sample the sign of the logit changes, so that each
// class is like the background: p = sigmoid(y), c = 1 - p.
template <typename T, bool kBackward>
__global__ void __launch_bounds__(kFocalThreads) sigmoid_focal(FocalCall call, FocalResults results) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kFocalThreads;
  for (int64_t i = thread_item(); i < call.samples * call.classes; i += step) {
    int64_t sample = i;
    const int64_t number = split_index(&sample, call.classes), target = call.class_of(sample);
    const bool own = number == target;
    const T x = call.score<T>(sample, number), y = own ? -x : x, p = sigmoid(y);
    const T exact = -((y > T(0) ? y : T(0)) + std::log1p(std::exp(-std::fabs(y))));
    const T least = static_cast<T>(-87.33654475055310898657);  // the logarithm of the least normal float
    const T log_c = exact < least ? least : exact, gamma = static_cast<T>(call.gamma);
    T value = static_cast<T>(own ? -call.alpha : call.alpha - 1) * focal_power(p, gamma);
    if constexpr (kBackward) {
      value *= gamma * sigmoid(-y) * log_c - p;
      if (own) value = -value;
    } else {
      value *= log_c;
    }
    results.write(sample, number, value * call.weight_of<T>(target));
  }
}

// The loss of a sample, or its derivative with respect to the probability of the class; 0 for the background.
template <bool kBackward>
__device__ double softmax_focal_of(const FocalCall& call, int64_t sample) {
  const int64_t target = call.class_of(sample);
  if (target == kBackground) return 0;
  const auto p = call.score<double>(sample, target);
  const double rest = 1 - p, log_p = log(p < FLT_MIN ? FLT_MIN : p), power = focal_power(rest, call.gamma);
  double value = -power * log_p;
  if constexpr (kBackward) value = call.gamma * focal_power(rest, call.gamma - 1) * p * log_p - power;
  return value * (call.alpha * call.weight_of<double>(target));
}

template <bool kBackward>
__global__ void __launch_bounds__(kFocalThreads) softmax_focal(FocalCall call, Targets<2> out, int64_t out_step) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kFocalThreads;
  for (int64_t sample = thread_item(); sample < call.samples; sample += step) {
    const double value = softmax_focal_of<kBackward>(call, sample);
    out.write(0, sample * out_step, value);
    out.write(1, sample, value);
  }
}

// grad[i, c] = slopes[i] * ((1 if c is the class, else 0) - softmax[i, c])
__global__ void __launch_bounds__(kFocalThreads)
    softmax_focal_gradient(FocalCall call, const double* slopes, FocalResults results) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kFocalThreads;
  for (int64_t i = thread_item(); i < call.samples * call.classes; i += step) {
    int64_t sample = i;
    const int64_t number = split_index(&sample, call.classes), target = call.class_of(sample);
    const double own = number == target ? 1 : 0;
    const double slope = slopes[sample] * (own - call.score<double>(sample, number));
    results.write(sample, number, target == kBackground ? 0 : slope);
  }
}

FocalCall call_of(const FocalProblem& p) {
  FocalCall call{};
  const TensorView* const in[] = {&p.scores, &p.target, &p.weight};
  for (int k = 0; k < (p.weight.numel > 0 ? 3 : 2); ++k) {
    call.in.data[k] = in[k]->data;
    call.in.dtype[k] = in[k]->dtype;
  }
  call.in.number[2] = 1;
  call.samples = p.scores.shape[0];
  call.classes = p.scores.shape[1];
  call.score_step[0] = p.scores.stride[0];
  call.score_step[1] = p.scores.stride[1];
  call.target_step = p.target.stride[0];
  if (p.weight.ndim() > 0) call.weight_step = p.weight.stride[0];
  call.gamma = p.gamma;
  call.alpha = p.alpha;
  return call;
}

FocalResults results_in(const TensorView& out) { return {{{out.data}, {out.dtype}}, {out.stride[0], out.stride[1]}}; }

int64_t blocks_of(int64_t items) { return (items + kFocalThreads - 1) / kFocalThreads; }

template <bool kBackward>
Status run_sigmoid(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  if (out.numel == 0) return diopiSuccess;
  const auto is_double = [](const TensorView& view) { return view.dtype == diopi_dtype_float64; };
  const auto kernel = is_double(out) || is_double(p.scores) || (p.weight.numel > 0 && is_double(p.weight))
                          ? sigmoid_focal<double, kBackward>
                          : sigmoid_focal<float, kBackward>;
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kFocalThreads, call_of(p), results_in(out));
}

template <bool kBackward>
Status run_softmax(diopiContextHandle_t ctx, const TensorView& out, double* values, const FocalProblem& p) {
  if (out.numel == 0) return diopiSuccess;
  const Targets<2> targets{{out.data, reinterpret_cast<char*>(values)}, {out.dtype, diopi_dtype_float64}};
  return launch_blocks(ctx, softmax_focal<kBackward>, blocks_of(out.numel), kFocalThreads, call_of(p), targets,
                       out.stride[0]);
}

}  // namespace

Status run_sigmoid_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  return run_sigmoid<false>(ctx, out, p);
}

Status run_sigmoid_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const FocalProblem& p) {
  return run_sigmoid<true>(ctx, grad_input, p);
}

Status run_softmax_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  return run_softmax<false>(ctx, out, nullptr, p);
}

Status run_softmax_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& slopes,
                                  const FocalProblem& p) {
  TensorView values;
  DIOPI_TRY(diopi::make_temporary(ctx, slopes.shape, diopi_dtype_float64, "slopes", &values));
  DIOPI_TRY(run_softmax<true>(ctx, slopes, values.ptr<double>(), p));
  if (grad_input.numel == 0) return diopiSuccess;
  return launch_blocks(ctx, softmax_focal_gradient, blocks_of(grad_input.numel), kFocalThreads, call_of(p),
                       values.ptr<const double>(), results_in(grad_input));
}

}  // namespace impl::cuda
