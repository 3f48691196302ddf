// SPDX-License-Identifier: BSD-3-Clause
// Divides the backward pass of attention among threads. With enough heads, one thread computes all gradients of a head.
// Otherwise one pass computes grad_k and grad_v, divided by keys, and another grad_q, divided by queries. Each sum has
// the same terms in the same order either way.
#include "impl/common/engine/attention.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/attention/prepare.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

enum class Part { kAll, kKeys, kQueries };

// Calls f(item, cost) for each item of a part. Items of queries begin at limits of tiles.
template <typename F>
void for_items(const AttentionCall& c, Part part, const F& f) {
  for (int64_t b = 0; b < c.batch; ++b) {
    const int64_t queries = c.query_length[b], keys = c.key_length[b];
    const int64_t query_step = part == Part::kQueries ? kGradientQueries : std::max<int64_t>(queries, 1);
    const int64_t key_step = part == Part::kKeys ? kKeyTile : std::max<int64_t>(keys, 1);
    for (int64_t head = 0; head < c.key_heads; ++head) {
      for (int64_t i = 0; i < std::max<int64_t>(queries, 1); i += query_step) {
        for (int64_t j = 0; j < std::max<int64_t>(keys, 1); j += key_step) {
          const int64_t rows = std::min(query_step, queries - i), columns = std::min(key_step, keys - j);
          const int64_t pairs = part == Part::kKeys ? rows * columns : visible_pairs(c, b, i, rows);
          f(BackwardItem{b, head, i, rows, j, columns, part != Part::kKeys, part != Part::kQueries},
            c.group() * pairs + rows + columns);
        }
      }
    }
  }
}

struct ItemList {
  Part part;
  int64_t count = 0, cost = 0, most_queries = 0;
  CostedItem<BackwardItem>* items = nullptr;

  Status make(diopiContextHandle_t ctx, const AttentionCall& c) {
    for_items(c, part, [&](const BackwardItem& item, int64_t) {
      ++count;
      most_queries = std::max(most_queries, item.queries);
    });
    DIOPI_TRY(diopi::Workspace(ctx).take(count, &items));
    if (diopi::in_dry_run()) return diopiSuccess;
    int64_t i = 0;
    for_items(c, part, [&](const BackwardItem& item, int64_t item_cost) {
      items[i++] = {item, cost};
      cost += item_cost;
    });
    return diopiSuccess;
  }
};

struct Operands {
  RowOutput grad_q, grad_k, grad_v;
  BackwardOperands rows;

  Status make(diopiContextHandle_t ctx, const AttentionStatistics& statistics, const AttentionGradients& g) {
    TensorView grad_out, out;
    DIOPI_TRY(with_packed_rows(ctx, g.grad_out, &grad_out));
    DIOPI_TRY(with_packed_rows(ctx, g.out, &out));
    DIOPI_TRY(grad_q.make(ctx, g.grad_q));
    DIOPI_TRY(grad_k.make(ctx, g.grad_k));
    DIOPI_TRY(grad_v.make(ctx, g.grad_v));
    rows = {head_rows(grad_out),
            head_rows(out),
            grad_q.rows(),
            grad_k.rows(),
            grad_v.rows(),
            row_numbers(statistics.lse),
            row_numbers(statistics.max),
            row_numbers(statistics.sum)};
    return diopiSuccess;
  }
};

void run_items(const AttentionCall& call, const Operands& operands, const ItemList& list, AttentionBackwardFn kernel,
               char* memory, int64_t room, int64_t threads) {
  const diopi::Picoseconds each{75 * (call.head_size + 16)};
  diopi::parallel_for(list.cost, each, [=, &call, &operands, &list](int64_t begin, int64_t end) {
    char* mine = memory + (threads > 1 ? omp_get_thread_num() : 0) * room;
    const auto starts_before = [](const CostedItem<BackwardItem>& x, int64_t at) { return x.cost_before < at; };
    const CostedItem<BackwardItem>* const last = list.items + list.count;
    const auto* i = std::lower_bound(list.items, list.items + list.count, begin, starts_before);
    for (; i < last && i->cost_before < end; ++i) kernel(call, operands.rows, i->item, mine);
  });
}

}  // namespace

Status run_attention_backward(diopiContextHandle_t ctx, const AttentionProblem& p,
                              const AttentionStatistics& statistics, const AttentionGradients& gradients) {
  AttentionCall call;
  DIOPI_TRY(make_attention_call(ctx, p, &call));
  Operands operands;
  DIOPI_TRY(operands.make(ctx, statistics, gradients));
  if (call.batch == 0 || call.key_heads == 0) return diopiSuccess;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const bool together = call.batch * call.key_heads >= threads;
  ItemList lists[] = {{together ? Part::kAll : Part::kKeys}, {Part::kQueries}};
  const int num_lists = together ? 1 : 2;
  int64_t queries = 0;
  for (int i = 0; i < num_lists; ++i) {
    DIOPI_TRY(lists[i].make(ctx, call));
    queries = std::max(queries, lists[i].most_queries);
  }
  const AttentionBackwardKernel& kernel = attention_backward_kernel(p.q.dtype);
  const int64_t room = kernel.bytes(call.head_size, call.group() * queries);
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(room * threads, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  for (int i = 0; i < num_lists; ++i) run_items(call, operands, lists[i], kernel.run, memory, room, threads);
  operands.grad_q.put();
  operands.grad_k.put();
  operands.grad_v.put();
  return diopiSuccess;
}

}  // namespace impl::cpu
