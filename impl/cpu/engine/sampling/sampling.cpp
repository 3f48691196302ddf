// SPDX-License-Identifier: BSD-3-Clause
// Draws an id for each sequence.
#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/common/engine/sampling.hpp"
#include "impl/common/generator.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/rules/indices.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"
#include "impl/cpu/random/philox.hpp"
#include "impl/cpu/sampling/draw.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kRowsTogether = 16;  // rows for which there is memory

// What the call reads of each sequence.
struct Sequences {
  const int64_t *end_ids, *top_k;
  const double* top_p;
  const bool *finished, *skipped;

  bool is_skipped(int64_t b) const { return skipped != nullptr && skipped[b]; }
  bool is_finished(int64_t b) const { return finished != nullptr && finished[b]; }
};

// Each length may grow by one.
Status check_lengths(diopiContextHandle_t ctx, const TensorView* lengths) {
  if (lengths == nullptr) return diopiSuccess;
  const int64_t* list = nullptr;
  DIOPI_TRY(read_list(ctx, lengths, &list));
  const int64_t most =
      lengths->dtype == diopi_dtype_int32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  return require_elements(lengths->name, list, lengths->numel, 0, most - 1);
}

Status read_sequences(diopiContextHandle_t ctx, const SamplingProblem& p, Sequences* read) {
  DIOPI_TRY(read_list(ctx, p.end_ids, &read->end_ids));
  DIOPI_TRY(read_list(ctx, p.top_k, &read->top_k));
  DIOPI_TRY(read_list(ctx, p.top_p, &read->top_p));
  DIOPI_TRY(read_list(ctx, p.finished, &read->finished));
  DIOPI_TRY(read_list(ctx, p.skip_decode, &read->skipped));
  for (int64_t b = 0; b < p.logits.shape[0]; ++b) {
    const auto at = static_cast<long long>(b);
    if (read->end_ids[b] < 0 || read->end_ids[b] >= p.logits.shape[1]) {
      return diopi::refuse_index(p.end_ids, read->end_ids[b], b, p.logits, 1, false);
    }
    DIOPI_REQUIRE(read->top_k == nullptr || read->top_k[b] >= 0, diopiErrorOccurred,
                  "runtime_top_k holds %lld at position %lld, expected at least 0",
                  static_cast<long long>(read->top_k[b]), at);
    DIOPI_REQUIRE(read->top_p[b] >= 0 && read->top_p[b] <= 1, diopiErrorOccurred,
                  "runtime_top_p holds %g at position %lld, expected a number in [0, 1]", read->top_p[b], at);
  }
  return p.finished != nullptr ? check_lengths(ctx, p.sequence_lengths) : Status(diopiSuccess);
}

// The random number of a sequence.
double uniform_number(const diopi::RandomStream& stream) {
  uint32_t words[kPhiloxLanes];
  philox_words(stream, 0, 1, words);
  return static_cast<double>(words[0] >> 8) * 0x1p-24;
}

Drawn draw_row(const SamplingProblem& p, const Sequences& read, int64_t b, const diopi::RandomStream& stream,
               const DrawMemory& memory) {
  const int64_t n = p.logits.shape[1];
  const char* const row = p.logits.data + b * p.logits.stride[0] * p.logits.itemsize();
  const double u = uniform_number(stream);
  const bool wants_all = p.cum_log_probs != nullptr;
  if (read.top_k != nullptr && !wants_all && p.logits.stride[1] == 1) {
    return draw_top_k(memory, {row, p.logits.dtype, n}, read.top_k[b], read.top_p[b], u);
  }
  const CopyDim dim{n, 1, p.logits.stride[1]};
  copy_strided(memory.logits, diopi_dtype_float64, row, p.logits.dtype, &dim, 1);
  if (read.top_k == nullptr) return draw_top_p(memory, n, read.top_p[b], u);
  if (wants_all) return draw_top_k_of_all(memory, n, read.top_k[b], read.top_p[b], u);
  return draw_top_k(memory, {memory.logits, diopi_dtype_float64, n}, read.top_k[b], read.top_p[b], u);
}

void write_drawn(const SamplingProblem& p, const Sequences& read, int64_t b, const Drawn& drawn) {
  set_integer(p.output_ids, p.step * p.output_ids.stride[0] + b * p.output_ids.stride[1], drawn.id);
  if (p.cum_log_probs != nullptr) add_number(*p.cum_log_probs, b * p.cum_log_probs->stride[0], drawn.log_all);
  if (p.output_log_probs != nullptr)
    set_number(*p.output_log_probs, b * p.output_log_probs->stride[0], drawn.log_chosen);
  if (p.finished != nullptr && p.sequence_lengths != nullptr) {
    add_integer(*p.sequence_lengths, b * p.sequence_lengths->stride[0], 1);
    p.finished->ptr<bool>()[b * p.finished->stride[0]] = drawn.id == read.end_ids[b];
  }
}

// The row of a finished sequence: only its end id can be drawn from it.
void write_finished(const SamplingProblem& p, const Sequences& read, int64_t b) {
  const double most = largest_logit(p.logits.dtype);
  const int64_t row = b * p.logits.stride[0], step = p.logits.stride[1];
  for (int64_t i = 0; i < p.logits.shape[1]; ++i) set_number(p.logits, row + i * step, -most);
  set_number(p.logits, row + read.end_ids[b] * step, most);
  set_integer(p.output_ids, p.step * p.output_ids.stride[0] + b * p.output_ids.stride[1], read.end_ids[b]);
}

}  // namespace

Status run_sampling(diopiContextHandle_t ctx, const SamplingProblem& p) {
  // Picoseconds for a logit. Weights of all logits take the most time.
  const int64_t cost = p.top_k != nullptr && p.cum_log_probs == nullptr ? 200 : 4000;
  const int64_t batch = p.logits.shape[0], n = p.logits.shape[1];
  if (batch == 0) return diopiSuccess;
  Sequences read{};
  DIOPI_TRY(read_sequences(ctx, p, &read));
  diopi::Workspace workspace(ctx);
  bool* wanted = nullptr;
  diopi::RandomStream* streams = nullptr;
  uint64_t* offsets = nullptr;
  Drawn* drawn = nullptr;
  double *logits = nullptr, *weights = nullptr;
  Candidate* candidates = nullptr;
  const int64_t together = std::min(batch, kRowsTogether);
  DIOPI_TRY(workspace.take(batch, &wanted));
  DIOPI_TRY(workspace.take(batch, &streams));
  DIOPI_TRY(workspace.take(batch, &offsets));
  DIOPI_TRY(workspace.take(batch, &drawn));
  DIOPI_TRY(workspace.take(together * n, &logits));
  DIOPI_TRY(workspace.take(together * n, &weights));
  DIOPI_TRY(workspace.take(together * (n + 1), &candidates));
  for (int64_t b = 0; b < batch; ++b) wanted[b] = !read.is_skipped(b) && !read.is_finished(b);
  DIOPI_TRY(diopi::reserve_random_each(ctx, p.generators, wanted, batch, 1, streams, offsets));
  for (int64_t first = 0; first < batch; first += together) {
    diopi::parallel_for(std::min(together, batch - first), diopi::Picoseconds{cost * n},
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            const DrawMemory memory{logits + i * n, candidates + i * (n + 1), weights + i * n};
                            if (wanted[first + i])
                              drawn[first + i] = draw_row(p, read, first + i, streams[first + i], memory);
                          }
                        });
  }
  for (int64_t b = 0; b < batch; ++b) {
    if (read.is_skipped(b)) continue;
    // `read.finished` may be the tensor that is written, so `wanted` tells what it was.
    wanted[b] ? write_drawn(p, read, b, drawn[b]) : write_finished(p, read, b);
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
