// SPDX-License-Identifier: BSD-3-Clause
// Focal losses whose targets are classes: row kernels on the scores of each sample.
#include "impl/cpu/loss/focal.hpp"

#include <algorithm>
#include <type_traits>

#include "impl/common/engine/focal.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/packed.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kCost = 2000;               // of an element of a sigmoid loss
constexpr uint32_t kRows = uint32_t{1} << 1;  // the classes of a sample

Status read_params(diopiContextHandle_t ctx, const FocalProblem& p, FocalParams* params) {
  *params = {nullptr, p.gamma, p.alpha};
  if (p.weight.numel == 0) return diopiSuccess;
  double* weight = nullptr;
  DIOPI_TRY(read_doubles(ctx, p.weight, &weight));
  params->weight = weight;
  return diopiSuccess;
}

Status run_kernel(diopiContextHandle_t ctx, RowKernel kernel, RowFn fn, diopiDtype_t dtype, const FocalProblem& p,
                  const TensorView* outputs) {
  FocalParams params;
  DIOPI_TRY(read_params(ctx, p, &params));
  kernel.fn = fn;
  kernel.params = &params;
  kernel.num_inputs = 2;
  kernel.in[0] = dtype;
  kernel.in[1] = diopi_dtype_int64;
  const TensorView operands[] = {p.scores, p.target.unsqueeze(1)};
  return run_rows(ctx, kernel, p.scores.shape, kRows, outputs, operands);
}

Status run_sigmoid(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p, bool backward) {
  const diopiDtype_t dtype = joint_dtype(out, p.scores);
  RowKernel kernel;
  kernel.cost = kCost;
  kernel.out[0] = dtype;
  return run_kernel(ctx, kernel, sigmoid_focal_kernel(dtype, backward), dtype, p, &out);
}

template <typename T>
double wide(T value) {
  using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
  return static_cast<double>(static_cast<Compute>(value));
}

// Reads the samples [begin, begin + own->count). Nothing else happens in the loop, so that reads from memory overlap.
template <typename T>
void read_own(const TensorView& scores, const int64_t* target, const double* weight, int64_t begin,
              OwnProbabilities* own) {
  const T* rows = scores.ptr<const T>() + begin * scores.stride[0];
  const auto classes = static_cast<uint64_t>(scores.shape[1]);
  for (int64_t i = 0; i < own->count; ++i) {
    const int64_t c = target[begin + i];
    const bool exists = static_cast<uint64_t>(c) < classes;
    own->exists[i] = exists ? 1 : 0;
    own->probability[i] = exists ? wide(rows[i * scores.stride[0] + c * scores.stride[1]]) : 1;
    own->weight[i] = exists && weight != nullptr ? weight[c] : 1;
  }
}

template <typename T>
void softmax_losses(const FocalParams& params, const TensorView& scores, const int64_t* target, double* out) {
  constexpr int64_t kTime = 20000;  // picoseconds for a sample, mostly to read its probability from memory
  diopi::parallel_for(scores.shape[0], diopi::Picoseconds{kTime}, [&](int64_t begin, int64_t end) {
    OwnProbabilities own;
    double loss[OwnProbabilities::kMost];
    for (; begin < end; begin += own.count) {
      own.count = std::min(OwnProbabilities::kMost, end - begin);
      read_own<T>(scores, target, params.weight, begin, &own);
      softmax_focal_losses(params, own, loss);
      std::copy_n(loss, own.count, out + begin);
    }
  });
}

}  // namespace

Status run_sigmoid_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  return run_sigmoid(ctx, out, p, false);
}

Status run_sigmoid_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const FocalProblem& p) {
  return run_sigmoid(ctx, grad_input, p, true);
}

Status run_softmax_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  FocalParams params;
  TensorView target;
  DIOPI_TRY(read_params(ctx, p, &params));
  DIOPI_TRY(pack_input(ctx, p.target, diopi_dtype_int64, &target));
  TensorView losses;
  DIOPI_TRY(arrange(ctx, out, false, diopi_dtype_float64, false, &losses));
  DIOPI_TRY(diopi::visit_dtype<diopi::FloatingTypes>(p.scores.dtype, [&](auto tag) -> Status {
    softmax_losses<diopi::tagged<decltype(tag)>>(params, p.scores, target.ptr<const int64_t>(), losses.ptr<double>());
    return diopiSuccess;
  }));
  put_back(out, losses);
  return diopiSuccess;
}

Status run_softmax_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& slopes,
                                  const FocalProblem& p) {
  const diopiDtype_t dtype = joint_dtype(grad_input, p.scores);
  const TensorView outputs[] = {grad_input, slopes.unsqueeze(1)};
  RowKernel kernel;
  kernel.num_outputs = 2;
  kernel.out[0] = dtype;
  kernel.out[1] = diopi::compute_dtype(dtype);
  return run_kernel(ctx, kernel, softmax_focal_backward_kernel(dtype), dtype, p, outputs);
}

}  // namespace impl::cpu
