// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/dropout.hpp"

#include "impl/cpu/pointwise/dropout.hpp"
#include "impl/cpu/random/random.hpp"

namespace impl::cpu {

namespace {

// Whether all tensors are packed. Then one pass makes the mask and applies it.
bool is_packed(const TensorView& out, const TensorView& mask, const TensorView& in) {
  return in.dtype == out.dtype && in.shape == mask.shape &&
         (mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8) && in.is_contiguous() &&
         mask.is_contiguous() && out.is_contiguous() && (diopi::is_same_view(out, in) || !diopi::may_overlap(out, in));
}

}  // namespace

Status run_dropout(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& in,
                   double p, const RandomWords& words) {
  diopi::RandomStream stream;
  DIOPI_TRY(words.reserve(ctx, &stream));
  const BernoulliParams keep(1 - p);
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  if (is_packed(out, mask, in)) {
    dropout_packed(stream, keep, scale, in.dtype, in.data, in.numel, out.data, mask.ptr<uint8_t>());
    return diopiSuccess;
  }
  fill_random(stream, random_bernoulli(&keep), mask);
  return multiply_by_mask(ctx, out, in, mask, scale);
}

}  // namespace impl::cpu
