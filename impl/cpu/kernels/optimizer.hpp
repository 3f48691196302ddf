// One step of an optimiser as block kernels: everything an element needs is read once and written once.
#pragma once

#include "impl/cpu/kernels/elementwise.hpp"

namespace impl::cpu {

struct SgdParams {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};

// in: param, grad; out: param. With a buffer: in: param, grad, buf; out: param, buf.
BlockFn sgd_kernel(diopiDtype_t compute, bool with_buffer);

struct AdamParams {
  double step_size;           // lr / (1 - beta1^step)
  double root_of_correction;  // sqrt(1 - beta2^step)
  double beta2, one_minus_beta1, one_minus_beta2, eps;
  double weight_decay;  // added to the gradient
  double shrink;        // factor of the parameter before the step: decoupled weight decay
};

// in: param, grad, exp_avg, exp_avg_sq (, max_exp_avg_sq); out: the same without grad.
BlockFn adam_kernel(diopiDtype_t compute, bool amsgrad);

struct AdadeltaParams {
  double lr, rho, eps, weight_decay;
};

// in: param, grad, square_avg, acc_delta; out: the same without grad.
BlockFn adadelta_kernel(diopiDtype_t compute);

struct RmspropParams {
  double lr, alpha, eps, weight_decay, momentum;
};

// in: param, grad, square_avg (, grad_avg) (, momentum_buf); out: the same without grad.
BlockFn rmsprop_kernel(diopiDtype_t compute, bool centered, bool with_momentum);

}  // namespace impl::cpu
