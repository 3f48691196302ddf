// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/loss_class.hpp"

#include <algorithm>

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/loss/nll.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

void copy_block(void* const* out, const void* const* in, int64_t n, const void*) {
  std::copy_n(static_cast<const int64_t*>(in[0]), n, static_cast<int64_t*>(out[0]));
}

// Reads the weight, one number per class. With probabilities as targets it is an ordinary factor, which takes part in
// promotion. With classes as targets, PyTorch accepts only floating point weights.
Status read_weight(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, bool promotes, ClassLoss* loss) {
  TensorView weight;
  DIOPI_TRY(read_tensor(handle, "weight", &weight));
  DIOPI_REQUIRE(weight.ndim() == 1 && weight.shape[0] == loss->classes, diopiErrorOccurred,
                "weight has shape %s, expected [%lld]", diopi::Text(weight.shape).c_str(),
                static_cast<long long>(loss->classes));
  DIOPI_REQUIRE(diopi::is_floating(weight.dtype) || promotes, diopiDtypeNotSupported,
                "weight has dtype %s, expected a floating point one where target holds classes",
                diopi::dtype_name(weight.dtype));
  DIOPI_REQUIRE(!diopi::is_complex(weight.dtype), diopiDtypeNotSupported, "weight has dtype %s, expected a real one",
                diopi::dtype_name(weight.dtype));
  return read_doubles(ctx, weight, &loss->weight);
}

}  // namespace

Status read_targets(diopiContextHandle_t ctx, ClassLoss* loss) {
  if (has_probabilities(*loss)) return diopiSuccess;
  loss->targets = loss->target.ptr<const int64_t>();
  if (loss->target.dtype != diopi_dtype_int64 || !loss->target.is_contiguous()) {
    TensorView packed;
    DIOPI_TRY(temporary(ctx, loss->target.shape, diopi_dtype_int64, "targets", &packed));
    copy_view(packed, loss->target);
    loss->targets = packed.ptr<const int64_t>();
  }
  const int64_t bad = find_bad_class(loss->targets, loss->samples, loss->classes, loss->ignore_index);
  DIOPI_REQUIRE(bad < 0, diopiErrorOccurred,
                "target contains class %lld, expected a class in [0, %lld) or ignore_index = %lld",
                static_cast<long long>(loss->targets[bad]), static_cast<long long>(loss->classes),
                static_cast<long long>(loss->ignore_index));
  return diopiSuccess;
}

bool has_probabilities(const ClassLoss& loss) { return diopi::is_floating(loss.target.dtype); }

Status read_class_loss(diopiContextHandle_t ctx, diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                       diopiConstTensorHandle_t weight, diopiReduction_t reduction, int64_t ignore_index,
                       bool allow_probabilities, ClassLoss* loss) {
  DIOPI_TRY(read_tensor(input, "input", &loss->input));
  DIOPI_TRY(read_tensor(target, "target", &loss->target));
  DIOPI_TRY(norm_compute_dtype(loss->input, &loss->compute));
  DIOPI_REQUIRE(loss->input.ndim() >= 1, diopiErrorOccurred, "input has shape [], expected at least 1 dimension");
  DIOPI_REQUIRE(reduction == ReductionNone || reduction == ReductionMean || reduction == ReductionSum,
                diopiErrorOccurred, "reduction = %d is none of ReductionNone, ReductionMean, ReductionSum",
                static_cast<int>(reduction));
  loss->class_dim = loss->input.ndim() == 1 ? 0 : 1;
  loss->classes = loss->input.shape[loss->class_dim];
  loss->samples = loss->target_shape().product();
  loss->reduction = reduction;
  loss->ignore_index = ignore_index;
  if (weight != nullptr) DIOPI_TRY(read_weight(ctx, weight, allow_probabilities && has_probabilities(*loss), loss));
  if (allow_probabilities && has_probabilities(*loss)) return diopi::require_same_shape(loss->target, loss->input);
  DIOPI_REQUIRE(loss->target.dtype == diopi_dtype_int64 || loss->target.dtype == diopi_dtype_int32 ||
                    loss->target.dtype == diopi_dtype_uint8,
                diopiDtypeNotSupported, "target has dtype %s, expected int64%s", diopi::dtype_name(loss->target.dtype),
                allow_probabilities ? " (or floating point probabilities of the shape of input)" : "");
  return diopi::require_shape(loss->target, loss->target_shape());
}

TensorView per_sample(const TensorView& view, const ClassLoss& loss) { return view.unsqueeze(loss.class_dim); }

Status require_loss_shape(TensorView* view, const ClassLoss& loss) {
  return diopi::require_result_shape(view, loss.reduction == ReductionNone ? loss.target_shape() : Dims());
}

double pairwise_sum(const double* values, int64_t n) {
  if (n <= 8) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += values[i];
    return total;
  }
  return pairwise_sum(values, n / 2) + pairwise_sum(values + n / 2, n - n / 2);
}

Status write_loss(diopiContextHandle_t ctx, const TensorView& out, const ClassLoss& loss, double* sample_losses,
                  double divisor) {
  TensorView result;
  double total = 0;
  result.dtype = diopi_dtype_float64;
  result.name = "loss";
  if (loss.reduction == ReductionNone) {
    result.data = reinterpret_cast<char*>(sample_losses);
    result.shape = loss.target_shape();
    result.stride = diopi::contiguous_strides(result.shape);
    result.numel = loss.samples;
  } else {
    total = pairwise_sum(sample_losses, loss.samples) / divisor;
    result.data = reinterpret_cast<char*>(&total);
    result.numel = 1;
  }
  return run_elementwise(ctx, uniform_kernel(copy_block, diopi_dtype_float64, 1), &out, &result);
}

}  // namespace impl::cpu
