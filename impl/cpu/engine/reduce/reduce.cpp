// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/reduce/reduce.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/packed_nest.hpp"
#include "impl/cpu/engine/reduce/cascade.hpp"
#include "impl/cpu/engine/reduce/plan.hpp"

namespace impl::cpu {

using namespace reduce_detail;  // NOLINT: this file is part of the engine

namespace {

using Cursor = diopi::LoopCursor<Nest>;

constexpr int64_t kGrain = 131072;  // packed elements; with fewer, a second thread costs more time than it saves
constexpr int64_t kGroup = 128;     // outputs finished together
constexpr int64_t kRuns = 256;      // runs folded together

class Folder {
 public:
  explicit Folder(const Plan& plan) : plan_(plan), kernel_(*plan.kernel) {}

  // Folds reduced elements [begin, end) of the output at `base` into one accumulator.
  void row(const char* base, int64_t begin, int64_t end, char* accumulator) {
    const bool direct = plan_.cast == nullptr && plan_.reduced.inner_stride() == plan_.itemsize;
    const int64_t run = kernel_.exact ? INT64_MAX : kernel_.run;
    const int64_t limit = direct ? run : std::min(run, kBlock);
    kernel_.init(accumulator, 1);
    if (begin == end) return;
    Cursor at(plan_.reduced, begin);
    if (direct && end - begin <= std::min(limit, at.left())) {
      kernel_.fold_row(accumulator, base + at.offset(), end - begin, begin, kernel_.params);
      return;
    }
    if (direct && folds_rows_apart() && end - begin <= at.left()) {
      return packed_row(base + at.offset(), end - begin, accumulator);
    }
    if (folds_inner_rows(begin, end)) return inner_rows(base, begin, end, accumulator);
    alignas(16) char levels[kLevels * kMaxAccumulator];
    alignas(16) char part[kMaxAccumulator];
    Cascade cascade(kernel_, levels, 1);
    for (int64_t i = begin; i < end;) {
      const int64_t n = std::min({end - i, limit, direct ? at.left() : INT64_MAX});
      const void* elements = direct ? base + at.offset() : load(base, &at, n);
      if (direct) at.advance(n);
      kernel_.init(part, 1);
      kernel_.fold_row(part, elements, n, i, kernel_.params);
      cascade.add(part);
      i += n;
    }
    cascade.finish(accumulator);
  }

  // Whether parts of a row can be folded by fold_each(), which knows no positions.
  bool folds_rows_apart() const { return kernel_.fold_each != nullptr && !kernel_.ordered; }

  // Folds n packed elements, in runs.
  void packed_row(const char* elements, int64_t n, char* accumulator) {
    const int64_t run = kernel_.run, runs = n / run, bytes = run * plan_.itemsize;
    alignas(16) char levels[kLevels * kMaxAccumulator];
    Cascade cascade(kernel_, levels, 1);
    for (int64_t i = 0; i < runs; i += kRuns) {
      const int64_t count = std::min(kRuns, runs - i);
      kernel_.fold_each(runs_, elements + i * bytes, bytes, count, run, kernel_.params);
      for (int64_t k = 0; k < count; ++k) cascade.add(runs_ + k * kernel_.accumulator_size);
    }
    if (const int64_t rest = n - runs * run; rest > 0) {
      kernel_.fold_each(runs_, elements + runs * bytes, bytes, 1, rest, kernel_.params);
      cascade.add(runs_);
    }
    cascade.finish(accumulator);
  }

  // Whether packed_rows() can fold outputs: their rows follow each other and consist of whole runs.
  bool folds_runs() const {
    const int64_t run = kernel_.run;
    return folds_rows_apart() && !kernel_.exact && plan_.cast == nullptr && plan_.reduced.n == 1 &&
           plan_.reduced.inner_stride() == plan_.itemsize && plan_.count > run && plan_.count % run == 0 &&
           plan_.count / run <= kRuns && plan_.kept.n == 1 && plan_.kept.inner_stride() == plan_.count * plan_.itemsize;
  }

  // Folds outputs [first, first + n), as packed_row() does.
  void packed_rows(int64_t first, int64_t n, char* accumulators) {
    const int64_t run = kernel_.run, runs = plan_.count / run, bytes = run * plan_.itemsize;
    const int size = kernel_.accumulator_size;
    const int64_t together = kRuns / runs;
    alignas(16) char levels[kLevels * kMaxAccumulator];
    for (int64_t i = 0; i < n; i += together) {
      const int64_t rows = std::min(together, n - i);
      kernel_.fold_each(runs_, plan_.input + (first + i) * runs * bytes, bytes, rows * runs, run, kernel_.params);
      for (int64_t r = 0; r < rows; ++r) {
        Cascade cascade(kernel_, levels, 1);
        for (int64_t k = 0; k < runs; ++k) cascade.add(runs_ + (r * runs + k) * size);
        cascade.finish(accumulators + (i + r) * size);
      }
    }
  }

  // Whether rows() can fold outputs: their elements are packed and few enough for one call of the kernel. Elements that
  // are converted must fit into a block.
  bool folds_each() const {
    return kernel_.fold_each != nullptr && plan_.count > 0 && plan_.reduced.n == 1 &&
           plan_.reduced.inner_stride() == plan_.itemsize && (kernel_.exact || plan_.count <= kernel_.run) &&
           (plan_.cast == nullptr || plan_.count <= kBlock);
  }

  // Folds outputs [first, first + n) into one accumulator each.
  void rows(int64_t first, int64_t n, char* accumulators) {
    Cursor at(plan_.kept, first);
    at.for_runs(n, [&](int64_t run) {
      const char* elements = plan_.input + at.offset();
      if (plan_.cast != nullptr) {
        converted_rows(elements, run, accumulators);
      } else {
        kernel_.fold_each(accumulators, elements, plan_.kept.inner_stride(), run, plan_.count, kernel_.params);
      }
      accumulators += run * kernel_.accumulator_size;
    });
  }

  // Folds rows [begin, end) of `width` adjacent outputs, which begin at `base`.
  void columns(const char* base, int64_t width, int64_t begin, int64_t end, char* accumulators) {
    const int64_t stride = plan_.kept.inner_stride();
    const bool direct = plan_.cast == nullptr && stride == plan_.itemsize;
    Cursor at(plan_.reduced, begin);
    if (direct && kernel_.fold_rows != nullptr) {
      kernel_.init(accumulators, width);
      for (int64_t i = begin; i < end;) {
        const int64_t rows = std::min(end - i, at.left());
        kernel_.fold_rows(accumulators, base + at.offset(), plan_.reduced.inner_stride(), rows, width, i,
                          kernel_.params);
        at.advance(rows);
        i += rows;
      }
      return;
    }
    // Two levels are enough: runs of 64 rows, then runs of 64 such runs, then the sum of all.
    char *run = columns_[0], *middle = columns_[1];
    kernel_.init(accumulators, width);
    kernel_.init(run, width);
    kernel_.init(middle, width);
    for (int64_t i = begin; i < end; ++i) {
      const void* elements = base + at.offset();
      if (!direct) elements = load_tile(base + at.offset(), stride, width);
      kernel_.fold_column(run, elements, width, i, kernel_.params);
      at.advance(1);
      const int64_t done = i + 1 - begin;
      if (done % kColumnRun == 0 || i + 1 == end) {
        kernel_.merge(middle, run, width);
        kernel_.init(run, width);
      }
      if (done % (kColumnRun * kColumnRun) == 0 || i + 1 == end) {
        kernel_.merge(accumulators, middle, width);
        kernel_.init(middle, width);
      }
    }
  }

  // Writes the results of `n` accumulators to outputs [first, first + n).
  void store(int64_t first, const char* accumulators, int64_t n) {
    void* results[2] = {results_[0], results_[1]};
    kernel_.finish(results, accumulators, n, plan_.count, kernel_.params);
    for (int k = 0; k < kernel_.num_outputs; ++k) {
      if (plan_.output[k] == nullptr) continue;
      const char* packed = results_[k];
      if (plan_.out_cast[k] != nullptr) {
        plan_.out_cast[k](block_, results_[k], n);
        packed = block_;
      }
      Cursor at(plan_.out[k], first);
      scatter_nest(plan_.output[k], plan_.out[k], &at, packed, plan_.out_itemsize[k], n);
    }
  }

 private:
  // Whether the reduced elements [begin, end) are rows of the innermost loop that are packed, and not too long for one
  // call of the kernel.
  bool folds_inner_rows(int64_t begin, int64_t end) const {
    const int64_t n = plan_.reduced.inner_extent();
    return folds_rows_apart() && plan_.cast == nullptr && plan_.reduced.n > 1 &&
           plan_.reduced.inner_stride() == plan_.itemsize && (kernel_.exact || n <= kernel_.run) && begin % n == 0 &&
           end % n == 0;
  }

  // row() for such elements.
  void inner_rows(const char* base, int64_t begin, int64_t end, char* accumulator) {
    const int64_t n = plan_.reduced.inner_extent(), pitch = plan_.reduced[1].stride[0];
    alignas(16) char levels[kLevels * kMaxAccumulator];
    Cascade cascade(kernel_, levels, 1);
    Cursor at(plan_.reduced, begin);
    for (int64_t left = (end - begin) / n; left > 0;) {
      const int64_t rows = std::min({left, at.left(1), kRuns});
      kernel_.fold_each(runs_, base + at.offset(), pitch, rows, n, kernel_.params);
      for (int64_t r = 0; r < rows; ++r) cascade.add(runs_ + r * kernel_.accumulator_size);
      at.advance(rows, 1);
      left -= rows;
    }
    cascade.finish(accumulator);
  }

  // Folds `n` evenly spaced rows, which are converted in blocks.
  void converted_rows(const char* row, int64_t n, char* accumulators) {
    const int64_t pitch = plan_.kept.inner_stride(), bytes = plan_.count * diopi::dtype_size(kernel_.in);
    const bool packed = pitch == plan_.count * plan_.itemsize;
    for (int64_t i = 0; i < n;) {
      const int64_t rows = std::min(n - i, kBlock / plan_.count);
      if (packed) {
        plan_.cast(block_, row, rows * plan_.count);
      } else {
        for (int64_t r = 0; r < rows; ++r) plan_.cast(block_ + r * bytes, row + r * pitch, plan_.count);
      }
      kernel_.fold_each(accumulators, block_, bytes, rows, plan_.count, kernel_.params);
      i += rows;
      row += rows * pitch;
      accumulators += rows * kernel_.accumulator_size;
    }
  }

  const void* load(const char* base, Cursor* at, int64_t n) {
    if (plan_.cast == nullptr) {
      gather_nest(block_, base, plan_.reduced, at, plan_.itemsize, n);
      return block_;
    }
    if (plan_.reduced.inner_stride() == plan_.itemsize && n <= at->left()) {
      plan_.cast(block_, base + at->offset(), n);
      at->advance(n);
    } else {
      gather_nest(staging_, base, plan_.reduced, at, plan_.itemsize, n);
      plan_.cast(block_, staging_, n);
    }
    return block_;
  }

  const void* load_tile(const char* p, int64_t stride, int64_t width) {
    if (plan_.cast == nullptr) {
      gather(block_, p, stride, plan_.itemsize, width);
    } else if (stride == plan_.itemsize) {
      plan_.cast(block_, p, width);
    } else {
      gather(staging_, p, stride, plan_.itemsize, width);
      plan_.cast(block_, staging_, width);
    }
    return block_;
  }

  const Plan& plan_;
  const ReduceKernel& kernel_;
  alignas(64) char block_[kBlock * kMaxItemsize];
  alignas(64) char staging_[kBlock * kMaxItemsize];
  alignas(64) char columns_[2][kBlock * kMaxAccumulator];
  alignas(64) char results_[2][kBlock * kMaxItemsize];
  alignas(64) char runs_[kRuns * kMaxAccumulator];
};

// The number of elements below which one thread is enough.
int64_t grain_of(const Plan& plan) {
  const Nest& inner = plan.by_columns ? plan.kept : plan.reduced;
  return plan.cast == nullptr && inner.inner_stride() == plan.itemsize ? kGrain : kChunk;
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
  const int64_t cost = std::max<int64_t>(1, plan.count * plan.tile);
  diopi::parallel_for(num_items(plan), std::max<int64_t>(1, grain_of(plan) / cost), [&](int64_t begin, int64_t end) {
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
  diopi::parallel_for(items * plan.chunks, grain_of(plan) / kChunk, [&](int64_t begin, int64_t end) {
    Folder folder(plan);
    for (int64_t i = begin; i < end; ++i) fold_work(plan, &folder, work_at(plan, i), partial + i * width);
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
