// SPDX-License-Identifier: BSD-3-Clause
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nll_loss2d_backward.h>
#include <ATen/ops/nll_loss_backward.h>
#include <ATen/ops/sum.h>

#include "torch_peer.hpp"

namespace diopi_bench {
namespace {

at::Tensor rows_of(const at::Tensor& tensor) { return tensor.view({-1, tensor.size(-1)}); }

}  // namespace

void linear_backward(at::Tensor& grad_input, at::Tensor& grad_weight, at::Tensor& grad_bias,
                     const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight) {
  const at::Tensor rows = rows_of(grad_output);
  if (grad_input.defined()) {
    at::Tensor result = rows_of(grad_input);
    at::mm_out(result, rows, weight);
  }
  at::mm_out(grad_weight, rows.t(), rows_of(input));
  if (grad_bias.defined()) at::sum_out(grad_bias, rows, at::IntArrayRef({0}));
}

void cross_entropy_backward(at::Tensor& grad_input, const at::Tensor& grad_output, const at::Tensor& logarithms,
                            const at::Tensor& target, const at::Tensor& total_weight, int64_t ignore_index) {
  at::Tensor between;
  if (logarithms.dim() == 2) {
    between =
        at::nll_loss_backward(grad_output, logarithms, target, {}, at::Reduction::Mean, ignore_index, total_weight);
  } else {  // as at::cross_entropy_loss does
    const bool is_image = logarithms.dim() == 4;
    const at::Tensor images = is_image ? logarithms : logarithms.unsqueeze(2);
    const at::Tensor classes = is_image ? target : target.unsqueeze(1);
    between = at::nll_loss2d_backward(grad_output, images, classes, {}, at::Reduction::Mean, ignore_index, total_weight)
                  .reshape(logarithms.sizes());
  }
  at::_log_softmax_backward_data_out(grad_input, between, logarithms, 1, logarithms.scalar_type());
}

void fused_adam(const at::Tensor& param, const at::Tensor& grad, const at::Tensor& exp_avg,
                const at::Tensor& exp_avg_sq, const at::Tensor& max_exp_avg_sq, const at::Tensor& step, double lr,
                double beta1, double beta2, double eps, double weight_decay, bool amsgrad) {
  std::vector<at::Tensor> largest;
  if (amsgrad) largest.push_back(max_exp_avg_sq);
  at::_fused_adam_({param}, {grad}, {exp_avg}, {exp_avg_sq}, largest, {step}, lr, beta1, beta2, weight_decay, eps,
                   amsgrad, false);
}

}  // namespace diopi_bench
