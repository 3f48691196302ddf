// SPDX-License-Identifier: BSD-3-Clause
// Bookkeeping of tokens.
#include "impl/common/engine/decode.hpp"

#include "impl/cuda/kernels/elementwise/check.hpp"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

namespace {

constexpr int kStepThreads = 128;

struct StepCall {
  Sources<2> in;   // ids, lengths
  Targets<1> out;  // [sequences, width]
  int64_t sequences, steps, padded_length, width;
  int64_t out_stride[2], id_stride[2], length_stride;
};

// Each thread moves one id. A sequence of a length that is refused is left out.
__global__ void __launch_bounds__(kStepThreads) move_steps(StepCall p) {
  const int64_t all = static_cast<int64_t>(gridDim.x) * kStepThreads;
  for (int64_t i = thread_item(); i < p.sequences * p.steps; i += all) {
    int64_t step = i;
    const int64_t sequence = split_index(&step, p.sequences);
    const auto length = p.in.read<int64_t>(1, sequence * p.length_stride);
    if (length < 0 || length > p.padded_length || (step >= length && step < p.padded_length)) continue;
    const int64_t place = step < length ? step : length + (step - p.padded_length);
    if (place >= p.width) continue;
    p.out.write(0, sequence * p.out_stride[0] + place * p.out_stride[1],
                p.in.read<int64_t>(0, step * p.id_stride[0] + sequence * p.id_stride[1]));
  }
}

Status check_lengths(diopiContextHandle_t ctx, const GatherStepsProblem& p) {
  const ParameterName name(p.lengths.name);
  const int64_t most = p.padded_length;
  const Refusal refusal([name, most](int64_t position, int64_t length) -> Status {
    return diopi::refuse_length(name.text, length, position, most);
  });
  return check_below(ctx, p.lengths, most, most, refusal);  // most + 1 may be too large
}

}  // namespace

Status gather_steps(diopiContextHandle_t ctx, const GatherStepsProblem& p) {
  DIOPI_TRY(check_lengths(ctx, p));
  StepCall call{};
  call.in.data[0] = p.ids.data;
  call.in.dtype[0] = p.ids.dtype;
  call.in.data[1] = p.lengths.data;
  call.in.dtype[1] = p.lengths.dtype;
  call.out.data[0] = p.out.data;
  call.out.dtype[0] = p.out.dtype;
  call.sequences = p.lengths.numel;
  call.steps = p.steps;
  call.padded_length = p.padded_length;
  call.width = p.out.shape[1];
  for (int d = 0; d < 2; ++d) {
    call.out_stride[d] = p.out.stride[d];
    call.id_stride[d] = p.ids.stride[d];
  }
  call.length_stride = p.lengths.stride[0];
  const int64_t blocks = (call.sequences * call.steps + kStepThreads - 1) / kStepThreads;
  return blocks > 0 ? launch_blocks(ctx, move_steps, blocks, kStepThreads, call) : Status(diopiSuccess);
}

}  // namespace impl::cuda
