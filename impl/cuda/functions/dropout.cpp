// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/dropout.hpp"

#include "impl/cuda/kernels/elementwise/parts.hpp"
#include "impl/cuda/kernels/random/dropout.hpp"

namespace impl::cuda {

Status run_dropout(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& in,
                   double p, const RandomWords& words) {
  const TensorView inputs[] = {in, mask};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, inputs, 2, &call));
  cudaStream_t cuda_stream = nullptr;
  diopi::RandomStream random;
  DIOPI_TRY(stream_of(ctx, &cuda_stream));
  DIOPI_TRY(words.reserve(ctx, &random));
  const RandomFill fill{cuda_stream, random, mask};
  const diopi::BernoulliParams keep(1 - p);
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  bool done = false;
  if (!call.idle && !call.is_number[0]) DIOPI_TRY(drop(fill, keep, out, call.in[0], scale, &done));
  if (done) return diopiSuccess;
  DIOPI_TRY(random_bernoulli(fill, keep));
  return launch_masked_product(call, diopi::compute_dtype(in.dtype), scale);
}

}  // namespace impl::cuda
