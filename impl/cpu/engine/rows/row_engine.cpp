// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/rows/row_engine.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/engine/copy/packed_nest.hpp"
#include "impl/cpu/engine/rows/plan.hpp"

namespace impl::cpu {

using namespace rows_detail;  // NOLINT: this file is part of the engine

namespace {

using Cursor = diopi::LoopCursor<diopi::LoopNest<kMaxRowOperands>, 0>;

constexpr int64_t kRowCost = 15000, kPackingCost = 1500;  // picoseconds of a row, and of an element that must be packed

template <typename T>
void transpose_in(char* dst, const char* base, const ByteNest& row, int64_t count, int64_t pitch, int64_t tile) {
  ByteCursor at(row);
  T* out = reinterpret_cast<T*>(dst);
  for (int64_t j = 0; j < count; ++j, at.advance(1)) {
    const char* p = base + at.offset();
    for (int64_t t = 0; t < tile; ++t) std::memcpy(out + t * pitch + j, p + t * sizeof(T), sizeof(T));
  }
}

template <typename T>
void transpose_out(char* base, const char* src, const ByteNest& row, int64_t count, int64_t pitch, int64_t tile) {
  ByteCursor at(row);
  const T* in = reinterpret_cast<const T*>(src);
  for (int64_t j = 0; j < count; ++j, at.advance(1)) {
    char* p = base + at.offset();
    for (int64_t t = 0; t < tile; ++t) std::memcpy(p + t * sizeof(T), in + t * pitch + j, sizeof(T));
  }
}

void pack_tile(char* dst, const char* base, const Operand& op, int64_t tile) {
  diopi::for_itemsize(op.itemsize, [&](auto tag) {
    transpose_in<diopi::tagged<decltype(tag)>>(dst, base, op.row, op.count, op.pitch, tile);
  });
}

void unpack_tile(char* base, const char* src, const Operand& op, int64_t tile) {
  diopi::for_itemsize(op.itemsize, [&](auto tag) {
    transpose_out<diopi::tagged<decltype(tag)>>(base, src, op.row, op.count, op.pitch, tile);
  });
}

class Runner {
 public:
  Runner(const Plan& plan, char* scratch) : plan_(plan), scratch_(scratch) {
    for (int k = plan.kernel->num_outputs; k < plan.count; ++k) {
      if (plan.op[k].constant) load(k, plan.op[k].data, 1);
    }
  }

  void run(int64_t begin, int64_t end) {
    Cursor at(plan_.outer, begin);
    const int64_t chunk = plan_.kernel->chunk;
    for (int k = 0; k < plan_.count; ++k) step_[k] = plan_.outer.inner_stride(k);
    for (int64_t i = begin; i < end;) {
      // The rows of one outer loop are evenly spaced, so only the addresses of the first row are computed.
      const int64_t in_chunk = chunk > 1 ? chunk - i % chunk : INT64_MAX;
      const int64_t line = std::min({end - i, at.left(), in_chunk});
      for (int k = 0; k < plan_.count; ++k) {
        base_[k] = plan_.op[k].data + at.offset(k) + i / chunk * plan_.op[k].chunk_bytes;
      }
      for (int64_t done = 0; done < line;) {
        const int64_t tile = std::min(line - done, plan_.tile);
        run_tile(tile);
        for (int k = 0; k < plan_.count; ++k) base_[k] += tile * step_[k];
        done += tile;
      }
      at.advance(line);
      i += line;
    }
  }

 private:
  // Packs the rows of input k that begin with the row at `first`, into staging memory if they are converted next.
  void load(int k, const char* first, int64_t tile) {
    const Operand& op = plan_.op[k];
    char* const packed = scratch_ + op.packed_at;
    if (op.cast != nullptr && are_adjacent(k, tile)) {
      op.cast(packed, first, tile * op.count);
      return;
    }
    char* const target = op.cast != nullptr ? scratch_ + op.staging_at : packed;
    const int64_t bytes = op.pitch * op.itemsize;
    if (op.across) {
      pack_tile(target, first, op, tile);
    } else {
      for (int64_t t = 0; t < tile; ++t) {
        ByteCursor at(op.row);
        gather_nest(target + t * bytes, first + t * step_[k], op.row, &at, op.itemsize, op.count);
      }
    }
    for (int64_t t = 0; t < tile && op.cast != nullptr; ++t) {
      op.cast(packed + t * op.pitch * op.kernel_size, target + t * bytes, op.count);
    }
  }

  // Whether the next rows of operand k are packed, one after another, in memory and where they are packed.
  bool are_adjacent(int k, int64_t tile) const {
    const Operand& op = plan_.op[k];
    const int64_t step = op.row.n == 0 ? op.itemsize : op.row.n == 1 ? op.row.inner_stride() : 0;
    return step == op.itemsize && (tile == 1 || (step_[k] == op.count * op.itemsize && op.pitch == op.count));
  }

  // Copies the packed rows of output k to the rows that begin at base_[k].
  void store(int k, int64_t tile) {
    const Operand& op = plan_.op[k];
    const char* source = scratch_ + op.packed_at;
    const int64_t bytes = op.pitch * op.itemsize;
    if (op.cast != nullptr && are_adjacent(k, tile)) {
      op.cast(base_[k], source, tile * op.count);
      return;
    }
    if (op.cast != nullptr) {
      char* const staging = scratch_ + op.staging_at;
      for (int64_t t = 0; t < tile; ++t) op.cast(staging + t * bytes, source + t * op.pitch * op.kernel_size, op.count);
      source = staging;
    }
    if (op.across) {
      unpack_tile(base_[k], source, op, tile);
      return;
    }
    for (int64_t t = 0; t < tile; ++t) {
      ByteCursor at(op.row);
      scatter_nest(base_[k] + t * step_[k], op.row, &at, source + t * bytes, op.itemsize, op.count);
    }
  }

  void run_tile(int64_t tile) {
    const int outputs = plan_.kernel->num_outputs;
    for (int k = outputs; k < plan_.count; ++k) {
      if (!plan_.op[k].direct && !plan_.op[k].constant) load(k, base_[k], tile);
    }
    compute(tile);
    for (int k = 0; k < outputs; ++k) {
      if (!plan_.op[k].direct) store(k, tile);
    }
  }

  void compute(int64_t tile) const {
    const RowKernel& kernel = *plan_.kernel;
    const int outputs = kernel.num_outputs;
    char* first[kMaxRowOperands] = {};
    int64_t step[kMaxRowOperands] = {};
    for (int k = 0; k < plan_.count; ++k) {
      const Operand& op = plan_.op[k];
      first[k] = op.direct ? base_[k] : scratch_ + op.packed_at;
      step[k] = op.direct ? step_[k] : op.constant ? 0 : op.pitch * op.kernel_size;
    }
    const bool together = kernel.takes_rows(plan_.n);
    for (int64_t t = 0; t < (together ? 1 : tile); ++t) {
      void* out[kMaxRowOperands];
      const void* in[kMaxRowOperands];
      for (int k = 0; k < outputs; ++k) out[k] = first[k] + t * step[k];
      for (int k = outputs; k < plan_.count; ++k) in[k - outputs] = first[k] + t * step[k];
      together ? kernel.rows(out, in, step, plan_.n, tile, kernel.params) : kernel.fn(out, in, plan_.n, kernel.params);
    }
  }

  const Plan& plan_;
  char* scratch_;
  char* base_[kMaxRowOperands];         // first row of the current tile
  int64_t step_[kMaxRowOperands] = {};  // bytes from one row to the next
};

// Rows of operands that are all direct and evenly spaced. The struct holds what a thread needs in few cache lines,
// because a worker loads each line from the caller's cache.
struct DirectRows {
  RowFn fn;
  RowsFn rows;  // null if rows are computed one by one
  const void* params;
  int64_t n;
  int outputs, count;
  struct {
    char* data;
    int64_t step;
  } op[kMaxRowOperands];

  void run(int64_t begin, int64_t end) const {
    void* out[kMaxRowOperands];
    const void* in[kMaxRowOperands];
    if (rows != nullptr) {
      int64_t step[kMaxRowOperands];
      for (int k = 0; k < count; ++k) step[k] = op[k].step;
      for (int k = 0; k < outputs; ++k) out[k] = op[k].data + begin * step[k];
      for (int k = outputs; k < count; ++k) in[k - outputs] = op[k].data + begin * step[k];
      return rows(out, in, step, n, end - begin, params);
    }
    for (int64_t i = begin; i < end; ++i) {
      for (int k = 0; k < outputs; ++k) out[k] = op[k].data + i * op[k].step;
      for (int k = outputs; k < count; ++k) in[k - outputs] = op[k].data + i * op[k].step;
      fn(out, in, n, params);
    }
  }
};

bool all_direct(const Plan& plan) {
  if (plan.kernel->first_accumulated < plan.kernel->num_outputs) return false;
  return plan.outer.n <= 1 && std::all_of(plan.op, plan.op + plan.count, [](const Operand& op) { return op.direct; });
}

void run_direct(const Plan& plan, diopi::Picoseconds row) {
  DirectRows rows;
  rows.fn = plan.kernel->fn;
  rows.rows = plan.kernel->takes_rows(plan.n) ? plan.kernel->rows : nullptr;
  rows.params = plan.kernel->params;
  rows.n = plan.n;
  rows.outputs = plan.kernel->num_outputs;
  rows.count = plan.count;
  for (int k = 0; k < plan.count; ++k) rows.op[k] = {plan.op[k].data, plan.outer.inner_stride(k)};
  diopi::parallel_for(plan.rows, row, [rows](int64_t begin, int64_t end) { rows.run(begin, end); });
}

// Runs the column form on `width` adjacent rows from `start` on. Operands of other dtypes are converted in `scratch`.
void run_column_tile(const Plan& plan, const Cursor& at, int64_t width, char* scratch) {
  const int outputs = plan.kernel->num_outputs;
  void* out[kMaxRowOperands];
  const void* in[kMaxRowOperands];
  int64_t pitch[kMaxRowOperands];
  for (int k = 0; k < plan.count; ++k) {
    const Operand& op = plan.op[k];
    char* data = op.data + at.offset(k);
    pitch[k] = op.row.inner_stride();
    if (op.cast != nullptr) {
      char* const converted = scratch + op.packed_at;
      const int64_t bytes = op.pitch * op.kernel_size;
      for (int64_t i = 0; i < plan.n && k >= outputs; ++i) op.cast(converted + i * bytes, data + i * pitch[k], width);
      data = converted;
      pitch[k] = bytes;
    }
    if (k < outputs) {
      out[k] = data;
    } else {
      in[k - outputs] = data;
    }
  }
  plan.kernel->columns(out, in, pitch, plan.n, width);
  for (int k = 0; k < outputs; ++k) {
    const Operand& op = plan.op[k];
    char* const data = op.data + at.offset(k);
    const char* const converted = static_cast<const char*>(out[k]);
    for (int64_t i = 0; i < plan.n && op.cast != nullptr; ++i) {
      op.cast(data + i * op.row.inner_stride(), converted + i * pitch[k], width);
    }
  }
}

// The most parts into which the tiles of adjacent rows are divided. The hardware also loads the cache lines behind a
// narrow part, which another thread writes. If the operands stay in the caches, this costs more than a thread gains.
int64_t most_parts(const Plan& plan, int64_t tiles) {
  constexpr int64_t kWidePart = 1024;  // bytes of the output
  const int64_t inner = plan.outer.inner_extent(), lines = plan.rows / inner;
  int64_t bytes = 0;
  for (int k = 0; k < plan.count; ++k) bytes += plan.rows * plan.n * plan.op[k].itemsize;
  if (bytes > 2 * second_level_cache()) return lines * tiles;
  return lines * std::max<int64_t>(1, inner * plan.op[0].itemsize / kWidePart);
}

// Runs the column form on tiles of adjacent rows.
void run_columns(const Plan& plan, char* scratch) {
  const int64_t inner = plan.outer.inner_extent(), tiles = (inner + plan.column_tile - 1) / plan.column_tile;
  const int64_t element = plan.kernel->cost + (plan.scratch > 0 ? kPackingCost : 0);
  const bool nested = omp_in_parallel() != 0;
  const auto run = [&](int64_t begin, int64_t end) {
    char* const mine = scratch + plan.scratch * (nested ? 0 : omp_get_thread_num());
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i % tiles * plan.column_tile;
      run_column_tile(plan, Cursor(plan.outer, i / tiles * inner + start), std::min(plan.column_tile, inner - start),
                      mine);
    }
  };
  const int64_t count = plan.rows / inner * tiles;
  const double work = static_cast<double>(count * plan.column_tile * plan.n) * static_cast<double>(element);
  const int64_t most = std::min(static_cast<int64_t>(work / diopi::PoolClaim::kWorthAThread), most_parts(plan, tiles));
  if (most < 2) return run(0, count);
  diopi::divide_among(diopi::PoolClaim(work), count, most, run);
}

// Whether no output has an element. There may be any number of rows without elements then.
bool writes_nothing(const Plan& plan) {
  const Operand* const outputs = plan.op;
  return std::all_of(outputs, outputs + plan.kernel->num_outputs, [](const Operand& op) { return op.count == 0; });
}

}  // namespace
Status run_rows(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                const TensorView* const* outputs, const TensorView* const* inputs) {
  Plan plan;
  DIOPI_TRY(make_plan(ctx, kernel, shape, row_mask, outputs, inputs, &plan));
  if (plan.rows == 0 || writes_nothing(plan)) return diopiSuccess;
  const int64_t chunk = kernel.chunk, chunks = (plan.rows + chunk - 1) / chunk;
  const int64_t row_cost = kRowCost + plan.n * kernel.cost;
  const bool by_columns = plan.column_tile > 0;
  if (!by_columns && all_direct(plan)) {
    run_direct(plan, {row_cost});
    return diopiSuccess;
  }
  if (!by_columns) plan_scratch(&plan);
  char* scratch = nullptr;
  if (plan.scratch > 0) {
    const int64_t threads = std::min<int64_t>(omp_get_max_threads(), plan.rows);
    DIOPI_TRY(diopi::Workspace(ctx).take(plan.scratch * threads, &scratch));
  }
  if (by_columns) {
    run_columns(plan, scratch);
    return diopiSuccess;
  }
  // In a parallel region of the caller, this thread computes all chunks and uses the first scratch memory.
  const bool nested = omp_in_parallel() != 0;
  const int64_t packing_cost = plan.scratch > 0 ? plan.n * kPackingCost : 0;
  diopi::parallel_for(chunks, diopi::Picoseconds{(row_cost + packing_cost) * chunk}, [&](int64_t begin, int64_t end) {
    Runner(plan, scratch + plan.scratch * (nested ? 0 : omp_get_thread_num()))
        .run(begin * chunk, std::min(plan.rows, end * chunk));
  });
  return diopiSuccess;
}

Status run_rows(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                const TensorView* outputs, const TensorView* inputs) {
  const TensorView *out[kMaxRowOperands], *in[kMaxRowOperands];
  for (int k = 0; k < kernel.num_outputs; ++k) out[k] = outputs + k;
  for (int k = 0; k < kernel.num_inputs; ++k) in[k] = inputs + k;
  return run_rows(ctx, kernel, shape, row_mask, out, in);
}

}  // namespace impl::cpu
