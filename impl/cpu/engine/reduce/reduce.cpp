// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/reduce/reduce.hpp"

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/reduce/folder.hpp"
#include "impl/cpu/engine/reduce/plan.hpp"

namespace impl::cpu {

using namespace reduce_detail;  // NOLINT: this file is part of the engine

namespace {

constexpr int64_t kGroup = 128;  // outputs finished together

// The time of folding so many elements of one output, or of a tile of outputs.
diopi::Picoseconds time_of(const Plan& plan, int64_t elements) {
  constexpr int64_t kPackedByte = 10, kElement = 100, kRow = 1000;  // picoseconds
  constexpr int64_t kMost = int64_t{1} << 40;
  elements = std::clamp<int64_t>(elements, 1, kMost);  // an empty fold has a result, too
  const Nest& inner = plan.by_columns ? plan.kept : plan.reduced;
  const bool packed = plan.cast == nullptr && inner.inner_stride() == plan.itemsize;
  return {elements * (packed ? kPackedByte * plan.itemsize : kElement) + (plan.by_columns ? 0 : kRow)};
}

void fold_work(const Plan& plan, Folder* folder, const Work& work, char* accumulators) {
  const char* base = plan.input + Cursor(plan.kept, work.first).offset();
  if (plan.by_columns) {
    folder->columns(base, work.width, work.begin, work.end, accumulators);
  } else {
    folder->row(base, work.begin, work.end, accumulators);
  }
}

// Folds and finishes tiles [begin, end). `accumulators` has room for kBlock outputs.
void whole_columns(const Plan& plan, Folder* folder, int64_t begin, int64_t end, char* accumulators) {
  int64_t first = work_at(plan, begin).first, pending = 0;
  Cursor at(plan.kept, first);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t width = std::min(plan.tile, at.left());
    folder->columns(plan.input + at.offset(), width, 0, plan.count,
                    accumulators + pending * plan.kernel->accumulator_size);
    at.advance(width);
    pending += width;
    if (i + 1 == end || pending + plan.tile > kBlock) {
      folder->store(first, accumulators, pending);
      first += pending;
      pending = 0;
    }
  }
}

// Reduces without chunks: each output is folded by one thread.
void run_whole(const Plan& plan) {
  const int size = plan.kernel->accumulator_size;
  diopi::parallel_for(num_items(plan), time_of(plan, plan.count * plan.tile), [&](int64_t begin, int64_t end) {
    Folder folder(plan);
    alignas(64) char accumulators[kBlock * kMaxAccumulator];
    if (plan.by_columns) return whole_columns(plan, &folder, begin, end, accumulators);
    const bool together = folder.folds_each(), in_runs = folder.folds_runs();
    for (int64_t i = begin; i < end; i += kGroup) {
      const int64_t n = std::min(kGroup, end - i);
      if (together) {
        folder.rows(i, n, accumulators);
      } else if (in_runs) {
        folder.packed_rows(i, n, accumulators);
      } else {
        Cursor at(plan.kept, i);
        for (int64_t k = 0; k < n; ++k) {
          folder.row(plan.input + at.offset(), 0, plan.count, accumulators + k * size);
          at.advance(1);
        }
      }
      folder.store(i, accumulators, n);
    }
  });
}

// Reduces in chunks: each is folded separately, then they are merged in order.
Status run_chunked(diopiContextHandle_t ctx, const Plan& plan) {
  const int64_t items = num_items(plan), width = plan.tile * plan.kernel->accumulator_size;
  char* partial = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(items * plan.chunks * width, &partial));
  if (diopi::in_dry_run()) return diopiSuccess;
  diopi::parallel_for(items * plan.chunks, time_of(plan, plan.chunk * plan.tile), [&](int64_t begin, int64_t end) {
    Folder folder(plan);
    const bool together = folder.folds_chunks();
    while (begin < end) {
      const Work work = work_at(plan, begin);
      const int64_t left = std::min(end - begin, plan.chunks - begin % plan.chunks),
                    whole = (plan.count - work.begin) / plan.chunk;
      const int64_t n = together ? std::min(left, whole) : 0;
      if (n > 0) {
        const char* base = plan.input + Cursor(plan.kept, work.first).offset();
        folder.packed_chunks(base + work.begin * plan.itemsize, n, partial + begin * width);
      } else {
        fold_work(plan, &folder, work, partial + begin * width);
      }
      begin += std::max<int64_t>(n, 1);
    }
  });
  diopi::parallel_for(items, std::max<int64_t>(1, kChunk / (plan.chunks * plan.tile)), [&](int64_t begin, int64_t end) {
    Folder folder(plan);
    for (int64_t i = begin; i < end; ++i) {
      const Work work = work_at(plan, i * plan.chunks);
      char* total = partial + i * plan.chunks * width;
      // Merges pairwise: neighbours at distance 1, 2, 4, ...
      for (int64_t step = 1; step < plan.chunks; step *= 2) {
        for (int64_t k = 0; k + step < plan.chunks; k += 2 * step) {
          plan.kernel->merge(total + k * width, total + (k + step) * width, work.width);
        }
      }
      folder.store(work.first, total, work.width);
    }
  });
  return diopiSuccess;
}

}  // namespace

Status run_reduce(diopiContextHandle_t ctx, const ReduceKernel& kernel, const TensorView* outputs,
                  const TensorView& tensor, uint32_t mask) {
  TensorView input = tensor;
  for (int k = 0; k < kernel.num_outputs; ++k) {
    DIOPI_TRY(diopi::require_writable(outputs[k]));
    DIOPI_TRY(copy_if_overlapping(ctx, outputs[k], &input));
  }
  Plan plan;
  make_plan(kernel, outputs, input, mask, &plan);
  if (plan.outputs == 0) return diopiSuccess;
  if (plan.chunks > 1) return run_chunked(ctx, plan);
  if (diopi::in_dry_run()) return diopiSuccess;
  run_whole(plan);
  return diopiSuccess;
}

}  // namespace impl::cpu
