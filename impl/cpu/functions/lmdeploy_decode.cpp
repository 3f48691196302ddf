// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/lmdeploy_decode.hpp"

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"

namespace impl::cpu {

namespace {

// Moves the ids of `count` steps of a sequence, from step `from` on, to the places from `to` on.
void move_steps(const GatherStepsProblem& p, int64_t sequence, int64_t from, int64_t to, int64_t count) {
  count = std::min(count, p.out.shape[1] - to);
  if (count <= 0) return;
  char* const out = p.out.data + (sequence * p.out.stride[0] + to * p.out.stride[1]) * p.out.itemsize();
  const char* const in = p.ids.data + (from * p.ids.stride[0] + sequence * p.ids.stride[1]) * p.ids.itemsize();
  const CopyDim dim{count, p.out.stride[1], p.ids.stride[0]};
  copy_strided(out, p.out.dtype, in, p.ids.dtype, &dim, 1);
}

}  // namespace

Status gather_steps(diopiContextHandle_t ctx, const GatherStepsProblem& p) {
  constexpr int64_t kCost = 2000;  // picoseconds for an id
  const int64_t* lengths = nullptr;
  DIOPI_TRY(read_list(ctx, p.lengths, &lengths));
  for (int64_t b = 0; b < p.lengths.numel; ++b) {
    if (lengths[b] >= 0 && lengths[b] <= p.padded_length) continue;
    return diopi::refuse_length(p.lengths.name, lengths[b], b, p.padded_length);
  }
  diopi::parallel_for(p.lengths.numel, diopi::Picoseconds{kCost * (1 + p.steps)}, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      move_steps(p, b, 0, 0, std::min(lengths[b], p.steps));
      move_steps(p, b, p.padded_length, lengths[b], p.steps - p.padded_length);
    }
  });
  return diopiSuccess;
}

}  // namespace impl::cpu
