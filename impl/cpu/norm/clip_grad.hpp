// SPDX-License-Identifier: BSD-3-Clause
// The joint norm of several tensors, and multiplication of a tensor by a factor.
#ifndef IMPL_CPU_NORM_CLIP_GRAD_HPP_
#define IMPL_CPU_NORM_CLIP_GRAD_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

// The number of chunks of a tensor's sum. It does not depend on the number of threads.
int64_t norm_chunks(int64_t numel);

// The norm of order p of all added elements: for infinity the largest magnitude, for minus infinity the smallest. As in
// PyTorch, it is the norm of the tensors' norms; for p = 0 this is the number of tensors that are not all zero.
class GradientNorm {
 public:
  explicit GradientNorm(double p);
  // `partial` has room for norm_chunks(tensor.numel) numbers.
  void add(const TensorView& tensor, double* partial);
  double value() const;

 private:
  double term(double magnitude) const;
  double join(double a, double b) const;
  double finish(double joined) const;

  double p_;
  double joined_;
  bool empty_ = true;
};

// view = view * factor, computed in the compute dtype.
Status scale_in_place(diopiContextHandle_t ctx, const TensorView& view, double factor);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_CLIP_GRAD_HPP_
