// SPDX-License-Identifier: BSD-3-Clause
// Penalties on the logits of each sequence.
#include "impl/common/engine/sampling.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"
#include "impl/cpu/sampling/penalty.hpp"

namespace impl::cpu {

namespace {

// Writes the ids that sequence b has produced and returns their number. An id may occur more than once.
int64_t produced_ids(const RepetitionProblem& p, const int64_t* output_ids, int64_t b, int64_t input_length,
                     int64_t* ids) {
  const int64_t batch = p.logits.shape[0];
  int64_t count = 0;
  for (int64_t t = 0; t < p.step; ++t) {
    if (t >= input_length && t < p.max_input_length) continue;
    const int64_t id = output_ids[t * batch + b];
    if (id >= 0 && id < p.logits.shape[1]) ids[count++] = id;
  }
  return count;
}

}  // namespace

Status penalise_repetition(diopiContextHandle_t ctx, const RepetitionProblem& p) {
  const int64_t batch = p.logits.shape[0], row = p.logits.stride[0] * p.logits.itemsize();
  const int64_t *output_ids = nullptr, *input_lengths = nullptr;
  const double* penalties = nullptr;
  int64_t* ids = nullptr;
  double* results = nullptr;
  DIOPI_TRY(read_list(ctx, p.input_lengths, &input_lengths));
  DIOPI_TRY(require_elements(p.input_lengths.name, input_lengths, batch, 0));
  if (batch == 0 || p.step == 0) return diopiSuccess;
  DIOPI_TRY(read_list(ctx, p.output_ids.narrow(0, 0, p.step), &output_ids));
  DIOPI_TRY(read_list(ctx, p.penalties, &penalties));
  DIOPI_TRY(diopi::Workspace(ctx).take(batch * p.step, &ids));
  DIOPI_TRY(diopi::Workspace(ctx).take(batch * p.step, &results));
  const RepetitionFn penalise = repetition_kernel(p.logits.dtype);
  diopi::parallel_for(batch, diopi::Picoseconds{20000 * p.step}, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t* const mine = ids + b * p.step;
      const int64_t count = produced_ids(p, output_ids, b, input_lengths[b], mine);
      penalise({p.logits.data + b * row, p.logits.stride[1], mine, count}, penalties[b], p.divides,
               results + b * p.step);
    }
  });
  return diopiSuccess;
}

Status apply_temperature(diopiContextHandle_t ctx, const TemperatureProblem& p) {
  const int64_t batch = p.logits.shape[0], all = p.logits.shape[1];
  if (p.logits.numel == 0) return diopiSuccess;
  const double* temperatures = nullptr;
  TensorView logits, bias;
  DIOPI_TRY(read_list(ctx, p.temperatures, &temperatures));
  if (p.bias != nullptr) DIOPI_TRY(pack_input(ctx, *p.bias, diopi::compute_dtype(p.logits.dtype), &bias));
  DIOPI_TRY(pack_output_rows(ctx, p.logits, true, &logits));
  const TemperatureFn apply = temperature_kernel(logits.dtype);
  const double rest = -largest_logit(logits.dtype);
  const int64_t row = logits.stride[0] * logits.itemsize();
  diopi::parallel_for(batch, diopi::Picoseconds{250 * all}, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      apply(logits.data + b * row, bias.data, temperatures[b], p.vocab_size, all, rest);
    }
  });
  unpack(p.logits, logits);
  return diopiSuccess;
}

}  // namespace impl::cpu
