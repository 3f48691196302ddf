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
  constexpr int64_t kMost = 8 * kLeastQueries, kItemsPerThread = 4;
  int64_t queries = kMost;
  while (queries > kLeastQueries && count_items(c, queries) < kItemsPerThread * threads) queries /= 2;
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

// The division of sequences of one query. The key heads of a sequence are taken together, so that its rows are read in
// order. If there are more threads than key heads, the query heads of a key head are divided too.
struct DecodeParts {
  int64_t parts;      // of a key head
  int64_t heads;      // query heads of a part
  int64_t key_heads;  // that are taken together at most

  DecodeParts(const AttentionCall& c, int64_t threads) {
    constexpr int64_t kMostHeads = 32;  // whose scores and sums stay in the first-level cache
    const int64_t group = c.group(), pairs = std::max<int64_t>(1, c.batch * c.key_heads);
    const int64_t wanted = std::clamp<int64_t>((2 * threads + pairs - 1) / pairs, 1, group);
    heads = (group + wanted - 1) / wanted;
    parts = (group + heads - 1) / heads;
    key_heads = parts > 1 ? 1 : std::max<int64_t>(1, kMostHeads / heads);
  }

  // Calls f(item) for items that have the parts [begin, end) of all key heads of all sequences.
  template <typename F>
  void for_items(const AttentionCall& c, int64_t begin, int64_t end, const F& f) const {
    while (begin < end) {
      const int64_t pair = begin / parts, first = begin % parts * heads, b = pair / c.key_heads;
      const int64_t key_head = pair % c.key_heads;
      const int64_t together = std::min({key_heads, c.key_heads - key_head, end - begin});
      f(DecodeItem{b, key_head, together, key_head * c.group() + first, std::min(heads, c.group() - first)});
      begin += together;
    }
  }
};

// Sequences of at most one query. The heads of an item do not change the bits of a head.
Status run_decode(diopiContextHandle_t ctx, const AttentionCall& call, diopiDtype_t dtype, const RowOutput& rows,
                  const ForwardOutputs& outputs) {
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const DecodeParts parts(call, threads);
  const AttentionDecodeKernel& kernel = attention_decode_kernel(dtype);
  const int64_t room = kernel.bytes(call.head_size, parts.key_heads * parts.heads);
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(room * threads, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  const int64_t longest = std::max<int64_t>(1, *std::max_element(call.key_length, call.key_length + call.batch));
  const diopi::Picoseconds each{40 * (call.head_size + 16) * longest * parts.heads};
  const int64_t count = call.batch * call.key_heads * parts.parts;
  diopi::parallel_for(count, each, [=, &call, &outputs, run = kernel.run](int64_t begin, int64_t end) {
    char* mine = memory + (threads > 1 ? omp_get_thread_num() : 0) * room;
    parts.for_items(call, begin, end, [&](const DecodeItem& item) {
      if (call.query_length[item.b] > 0) run(call, outputs, item, mine);
    });
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
