// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/attention.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/attention/prepare.hpp"

namespace impl::cpu {

namespace {

// The tile of number `index` of all tiles of all heads of a sequence.
ForwardItem tile_at(const AttentionCall& c, int64_t b, int64_t index) {
  const int64_t tiles = tiles_of(c.query_length[b], kQueryTile), first = index % tiles * kQueryTile;
  return {b, index / tiles, first, std::min(kQueryTile, c.query_length[b] - first)};
}

}  // namespace

Status run_attention_weights(diopiContextHandle_t ctx, const AttentionProblem& p, const TensorView& weights) {
  AttentionCall call;
  DIOPI_TRY(make_attention_call(ctx, p, &call));
  if (call.batch == 0) return diopiSuccess;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const int64_t longest = *std::max_element(call.key_length, call.key_length + call.batch);
  const AttentionWeightsKernel& kernel = attention_weights_kernel(p.q.dtype);
  const int64_t room = kernel.bytes(call.head_size, longest);
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(room * threads, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  const WeightsOutput output{weights.data,      weights.dtype,     weights.stride[0],
                             weights.stride[1], weights.stride[2], weights.stride[3]};
  for (int64_t b = 0; b < call.batch; ++b) {
    const int64_t count = call.heads * tiles_of(call.query_length[b], kQueryTile);
    const diopi::Picoseconds each{kQueryTile * (call.key_length[b] + 1) * (call.head_size + 50) * 10};
    diopi::parallel_for(count, each, [=, &call, &output, run = kernel.run](int64_t begin, int64_t end) {
      char* mine = memory + (threads > 1 ? omp_get_thread_num() : 0) * room;
      for (int64_t i = begin; i < end; ++i) run(call, output, tile_at(call, b, i), mine);
    });
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
