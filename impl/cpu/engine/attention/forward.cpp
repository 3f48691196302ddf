// SPDX-License-Identifier: BSD-3-Clause
// Divides the forward pass of attention among threads.
#include "impl/common/engine/attention.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/attention/prepare.hpp"

namespace impl::cpu {

namespace {

using Items = CostedItem<ForwardItem>*;

int64_t count_items(const AttentionCall& c, int64_t queries) {
  int64_t count = 0;
  for (int64_t b = 0; b < c.batch; ++b) count += c.heads * tiles_of(c.query_length[b], queries);
  return count;
}

// The queries of an item: many, because each item packs the keys, but with enough items for the threads.
int64_t queries_of_item(const AttentionCall& c, int64_t threads) {
  constexpr int64_t kMost = 16 * kQueryTile, kLeast = 2 * kQueryTile, kItemsPerThread = 4;
  int64_t queries = kMost;
  while (queries > kLeast && count_items(c, queries) < kItemsPerThread * threads) queries /= 2;
  return queries;
}

// Returns the cost of all items.
int64_t list_items(const AttentionCall& c, int64_t queries, Items items) {
  int64_t cost = 0;
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t head = 0; head < c.heads; ++head) {
      for (int64_t first = 0; first < c.query_length[b]; first += queries) {
        const int64_t count = std::min(queries, c.query_length[b] - first);
        *items++ = {{b, head, first, count}, cost};
        cost += visible_pairs(c, b, first, count) + count;
      }
    }
  }
  return cost;
}

// Sequences of at most one query. The heads of an item do not change the bits of a head.
Status run_decode(diopiContextHandle_t ctx, const AttentionCall& call, diopiDtype_t dtype, const RowOutput& rows,
                  const ForwardOutputs& outputs) {
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads(), group = call.group();
  const int64_t pairs = std::max<int64_t>(1, call.batch * call.key_heads);
  const int64_t parts = std::clamp<int64_t>((2 * threads + pairs - 1) / pairs, 1, group);
  const int64_t heads = (group + parts - 1) / parts, parts_used = (group + heads - 1) / heads;
  const AttentionDecodeKernel& kernel = attention_decode_kernel(dtype);
  const int64_t room = kernel.bytes(call.head_size, heads);
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(room * threads, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  const int64_t longest = std::max<int64_t>(1, *std::max_element(call.key_length, call.key_length + call.batch));
  const diopi::Picoseconds each{40 * (call.head_size + 16) * longest * heads};
  diopi::parallel_for(pairs * parts_used, each, [=, &call, &outputs, run = kernel.run](int64_t begin, int64_t end) {
    char* mine = memory + (threads > 1 ? omp_get_thread_num() : 0) * room;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t pair = i / parts_used, first = i % parts_used * heads, b = pair / call.key_heads;
      const int64_t key_head = pair % call.key_heads;
      if (call.query_length[b] == 0) continue;
      run(call, outputs, {b, key_head, key_head * group + first, std::min(heads, group - first)}, mine);
    }
  });
  rows.put();
  return diopiSuccess;
}

}  // namespace

Status run_attention(diopiContextHandle_t ctx, const AttentionProblem& p, const TensorView& out,
                     const AttentionStatistics& statistics) {
  AttentionCall call;
  DIOPI_TRY(make_attention_call(ctx, p, &call));
  RowOutput rows;
  DIOPI_TRY(rows.make(ctx, out));
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const int64_t queries = queries_of_item(call, threads), count = count_items(call, queries);
  if (count == 0) return diopiSuccess;
  const ForwardOutputs outputs{rows.rows(), row_numbers(statistics.lse), row_numbers(statistics.max),
                               row_numbers(statistics.sum)};
  const int64_t longest = *std::max_element(call.query_length, call.query_length + call.batch);
  if (longest == 1) return run_decode(ctx, call, p.q.dtype, rows, outputs);
  const AttentionForwardKernel& kernel = attention_forward_kernel(p.q.dtype);
  const int64_t room = kernel.bytes(call.head_size, std::min(queries, longest));
  Items items = nullptr;
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &items));
  DIOPI_TRY(diopi::Workspace(ctx).take(room * threads, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  const int64_t cost = list_items(call, queries, items);
  const diopi::Picoseconds each{30 * (call.head_size + 16)};
  diopi::parallel_for(cost, each, [=, &call, &outputs, run = kernel.run](int64_t begin, int64_t end) {
    char* mine = memory + (threads > 1 ? omp_get_thread_num() : 0) * room;
    const auto starts_before = [](const CostedItem<ForwardItem>& x, int64_t at) { return x.cost_before < at; };
    const Items last = items + count;
    for (Items i = std::lower_bound(items, last, begin, starts_before); i < last && i->cost_before < end; ++i) {
      run(call, outputs, i->item, mine);
    }
  });
  rows.put();
  return diopiSuccess;
}

}  // namespace impl::cpu
