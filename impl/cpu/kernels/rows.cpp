// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/kernels/rows.hpp"

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/kernels/elementwise.hpp"
#include "impl/cpu/kernels/nest.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kRowCost = 15000, kPackingCost = 1500;  // picoseconds of a row, and of an element that must be packed
constexpr int64_t kMaxTile = 16;                          // rows transposed together
constexpr int64_t kTileBudget = 1 << 19;                  // bytes of packed rows per thread
constexpr int64_t kStripBudget = 1 << 18;                 // bytes of the rows in one call of the column form
constexpr int64_t kMinStrip = 64, kMinColumns = 8;
constexpr int64_t kAlignment = 64;
constexpr int64_t kPadding = 16;  // elements after a packed row of a tile

int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Operand {
  char* data = nullptr;
  int itemsize = 0;
  int kernel_size = 0;
  CastFn cast = nullptr;
  Nest outer;         // all operands have the same extents
  Nest row;           // merged; one element if the operand does not vary along the row
  int64_t count = 1;  // elements per row
  int64_t pitch = 1;  // elements between packed rows
  bool direct = false;
  bool constant = false;    // all rows are equal, so the row is packed once
  int64_t chunk_bytes = 0;  // of an accumulated output: distance from one chunk's row to the next
  bool across = false;      // adjacent rows are adjacent in memory: tiles are packed by a transpose
  int64_t packed_at = 0;    // offsets in the thread's scratch memory
  int64_t staging_at = 0;
};

struct Plan {
  const RowKernel* kernel = nullptr;
  int count = 0;  // number of operands; outputs come first
  Operand op[kMaxRowOperands];
  int64_t rows = 1, n = 1, tile = 1;
  int64_t strip = 0;    // adjacent rows in one call of the column form; 0 if it is not used
  int64_t scratch = 0;  // bytes per thread
};

void add_operand(Plan* plan, const TensorView& view, const Dims& shape, uint32_t row_mask, diopiDtype_t kernel_dtype,
                 bool is_output) {
  Operand& op = plan->op[plan->count++];
  op.data = view.data;
  op.itemsize = view.itemsize();
  op.kernel_size = diopi::dtype_size(kernel_dtype);
  if (view.dtype != kernel_dtype) {
    op.cast = is_output ? cast_function(kernel_dtype, view.dtype) : cast_function(view.dtype, kernel_dtype);
  }
  const int lead = shape.n - view.ndim();
  for (int i = 0; i < shape.n; ++i) {
    const bool varies = i >= lead && view.shape[i - lead] != 1;
    const int64_t stride = varies ? view.stride[i - lead] * op.itemsize : 0;
    if ((row_mask >> i & 1) == 0) {
      if (shape[i] != 1) op.outer.push_back(shape[i], stride);
    } else if (varies) {
      op.row.push_back(shape[i], stride);
      op.count *= shape[i];
    }
  }
  op.row.collapse();
  op.direct = op.cast == nullptr && (op.row.n == 0 || (op.row.n == 1 && op.row.inner_stride() == op.itemsize));
  op.constant = !is_output && !op.direct;
  for (int i = 0; i < op.outer.n; ++i) op.constant = op.constant && op.outer.stride[i] == 0;
  op.across = !op.direct && !op.constant && op.count > 1 && op.row.inner_stride() != op.itemsize && op.outer.n > 0 &&
              op.outer.inner_stride() == op.itemsize;
}

void add_accumulated(Plan* plan, const TensorView& view) {
  Operand& op = plan->op[plan->count++];
  op.data = view.data;
  op.itemsize = op.kernel_size = view.itemsize();
  op.direct = true;
  op.chunk_bytes = plan->n * op.itemsize;
}

// The loops over rows. All operands except accumulated outputs have them.
const Nest& outer_loops(const Plan& plan) { return plan.op[plan.kernel->num_outputs].outer; }

// Merges adjacent outer loops that every operand steps through as one.
void collapse_outer(Plan* plan) {
  int last = 0;
  const int loops = outer_loops(*plan).n;
  for (int i = 1; i < loops; ++i) {
    bool mergeable = true;
    for (int k = 0; k < plan->count && mergeable; ++k) {
      const Nest& nest = plan->op[k].outer;
      mergeable = nest.n == 0 || nest.stride[last] == nest.stride[i] * nest.extent[i];
    }
    if (!mergeable) ++last;
    for (int k = 0; k < plan->count; ++k) {
      Nest& nest = plan->op[k].outer;
      if (nest.n == 0) continue;
      nest.extent[last] = mergeable ? nest.extent[last] * nest.extent[i] : nest.extent[i];
      nest.stride[last] = nest.stride[i];
    }
  }
  for (int k = 0; k < plan->count; ++k) plan->op[k].outer.n = std::min(plan->op[k].outer.n, last + 1);
}

// Plans to use the kernel's column form if rows are adjacent in memory instead of packed.
void plan_columns(Plan* plan) {
  const Nest& outer = outer_loops(*plan);
  bool packed = true;
  int64_t bytes = 0;  // bytes of one row of all operands
  if (plan->kernel->columns == nullptr || outer.n == 0 || outer.inner_extent() < kMinColumns || plan->n < 2) return;
  for (int k = 0; k < plan->count; ++k) {
    const Operand& op = plan->op[k];
    if (op.cast != nullptr || op.row.n != 1 || op.count != plan->n || op.outer.inner_stride() != op.itemsize) return;
    packed = packed && op.direct;
    bytes += plan->n * op.itemsize;
  }
  if (packed) return;
  const int64_t fitting = std::clamp<int64_t>(kStripBudget / bytes, kMinStrip, kMaxColumns);
  plan->strip = std::min(outer.inner_extent(), fitting / kMinStrip * kMinStrip);
}

void plan_scratch(Plan* plan) {
  int64_t row_bytes = 0;
  bool transposes = false;
  for (int k = 0; k < plan->count; ++k) {
    const Operand& op = plan->op[k];
    if (!op.direct) row_bytes += op.count * (op.kernel_size + op.itemsize);
    transposes = transposes || op.across;
  }
  if (transposes) plan->tile = std::clamp<int64_t>(kTileBudget / std::max<int64_t>(row_bytes, 1), 1, kMaxTile);
  for (int k = 0; k < plan->count; ++k) {
    Operand& op = plan->op[k];
    if (op.direct) continue;
    // Without padding, rows whose distance is a power of two would use the same set of the cache.
    op.pitch = op.count + (plan->tile > 1 ? kPadding : 0);
    op.packed_at = plan->scratch;
    plan->scratch += aligned(plan->tile * op.pitch * op.kernel_size);
    op.staging_at = plan->scratch;
    plan->scratch += aligned(plan->tile * op.pitch * op.itemsize);
  }
}

template <typename T>
void transpose_in(char* dst, const char* base, const Nest& row, int64_t count, int64_t pitch, int64_t tile) {
  NestWalker walker(row, 0);
  T* out = reinterpret_cast<T*>(dst);
  for (int64_t j = 0; j < count; ++j, walker.advance(1)) {
    const char* p = base + walker.offset();
    for (int64_t t = 0; t < tile; ++t) std::memcpy(out + t * pitch + j, p + t * sizeof(T), sizeof(T));
  }
}

template <typename T>
void transpose_out(char* base, const char* src, const Nest& row, int64_t count, int64_t pitch, int64_t tile) {
  NestWalker walker(row, 0);
  const T* in = reinterpret_cast<const T*>(src);
  for (int64_t j = 0; j < count; ++j, walker.advance(1)) {
    char* p = base + walker.offset();
    for (int64_t t = 0; t < tile; ++t) std::memcpy(p + t * sizeof(T), in + t * pitch + j, sizeof(T));
  }
}

void pack_tile(char* dst, const char* base, const Operand& op, int64_t tile) {
  switch (op.itemsize) {
    case 1:
      return transpose_in<uint8_t>(dst, base, op.row, op.count, op.pitch, tile);
    case 2:
      return transpose_in<uint16_t>(dst, base, op.row, op.count, op.pitch, tile);
    case 4:
      return transpose_in<uint32_t>(dst, base, op.row, op.count, op.pitch, tile);
    case 8:
      return transpose_in<uint64_t>(dst, base, op.row, op.count, op.pitch, tile);
    default:
      return transpose_in<detail::Bytes16>(dst, base, op.row, op.count, op.pitch, tile);
  }
}

void unpack_tile(char* base, const char* src, const Operand& op, int64_t tile) {
  switch (op.itemsize) {
    case 1:
      return transpose_out<uint8_t>(base, src, op.row, op.count, op.pitch, tile);
    case 2:
      return transpose_out<uint16_t>(base, src, op.row, op.count, op.pitch, tile);
    case 4:
      return transpose_out<uint32_t>(base, src, op.row, op.count, op.pitch, tile);
    case 8:
      return transpose_out<uint64_t>(base, src, op.row, op.count, op.pitch, tile);
    default:
      return transpose_out<detail::Bytes16>(base, src, op.row, op.count, op.pitch, tile);
  }
}

class Runner {
 public:
  Runner(const Plan& plan, char* scratch) : plan_(plan), scratch_(scratch) {
    for (int k = plan.kernel->num_outputs; k < plan.count; ++k) {
      if (plan.op[k].constant) load(plan.op[k], 0, 1);
    }
  }

  void run(int64_t begin, int64_t end) {
    NestWalker walker(outer_loops(plan_), begin);
    const int64_t chunk = plan_.kernel->chunk;
    for (int k = 0; k < plan_.count; ++k) step_[k] = plan_.op[k].outer.inner_stride();
    for (int64_t i = begin; i < end;) {
      // The rows of one outer loop are evenly spaced, so only the addresses of the first row are computed.
      const int64_t in_chunk = chunk > 1 ? chunk - i % chunk : INT64_MAX;
      const int64_t line = std::min({end - i, walker.row_left(), in_chunk});
      for (int k = 0; k < plan_.count; ++k) base_[k] = base(plan_.op[k], i) + i / chunk * plan_.op[k].chunk_bytes;
      for (int64_t done = 0; done < line;) {
        const int64_t tile = std::min(line - done, plan_.tile);
        run_tile(i + done, tile);
        for (int k = 0; k < plan_.count; ++k) base_[k] += tile * step_[k];
        done += tile;
      }
      walker.advance(line);
      i += line;
    }
  }

 private:
  char* base(const Operand& op, int64_t row) const { return op.data + NestWalker(op.outer, row).offset(); }

  // Packs the tile's rows of an input, into staging memory if they are converted next.
  void load(const Operand& op, int64_t first, int64_t tile) {
    char* const packed = scratch_ + op.packed_at;
    char* const target = op.cast != nullptr ? scratch_ + op.staging_at : packed;
    const int64_t bytes = op.pitch * op.itemsize;
    if (op.across) {
      pack_tile(target, base(op, first), op, tile);
    } else {
      for (int64_t t = 0; t < tile; ++t) {
        NestWalker walker(op.row, 0);
        gather_walk(target + t * bytes, base(op, first + t), op.row, &walker, op.itemsize, op.count);
      }
    }
    for (int64_t t = 0; t < tile && op.cast != nullptr; ++t) {
      op.cast(packed + t * op.pitch * op.kernel_size, target + t * bytes, op.count);
    }
  }

  void store(const Operand& op, int64_t first, int64_t tile) {
    const char* source = scratch_ + op.packed_at;
    const int64_t bytes = op.pitch * op.itemsize;
    if (op.cast != nullptr) {
      char* const staging = scratch_ + op.staging_at;
      for (int64_t t = 0; t < tile; ++t) op.cast(staging + t * bytes, source + t * op.pitch * op.kernel_size, op.count);
      source = staging;
    }
    if (op.across) {
      unpack_tile(base(op, first), source, op, tile);
      return;
    }
    for (int64_t t = 0; t < tile; ++t) {
      NestWalker walker(op.row, 0);
      scatter_walk(base(op, first + t), op.row, &walker, source + t * bytes, op.itemsize, op.count);
    }
  }

  void run_tile(int64_t first, int64_t tile) {
    const int outputs = plan_.kernel->num_outputs;
    for (int k = outputs; k < plan_.count; ++k) {
      if (!plan_.op[k].direct && !plan_.op[k].constant) load(plan_.op[k], first, tile);
    }
    for (int64_t t = 0; t < tile; ++t) {
      void* out[kMaxRowOperands];
      const void* in[kMaxRowOperands];
      for (int k = 0; k < plan_.count; ++k) {
        const Operand& op = plan_.op[k];
        const int64_t place = op.constant ? 0 : t * op.pitch * op.kernel_size;
        char* p = op.direct ? base_[k] + t * step_[k] : scratch_ + op.packed_at + place;
        if (k < outputs) {
          out[k] = p;
        } else {
          in[k - outputs] = p;
        }
      }
      plan_.kernel->fn(out, in, plan_.n, plan_.kernel->params);
    }
    for (int k = 0; k < outputs; ++k) {
      if (!plan_.op[k].direct) store(plan_.op[k], first, tile);
    }
  }

  const Plan& plan_;
  char* scratch_;
  char* base_[kMaxRowOperands];    // first row of the current tile
  int64_t step_[kMaxRowOperands];  // bytes from one row to the next
};

// Rows of operands that are all direct and evenly spaced. The struct holds what a thread needs in few cache lines,
// because a worker loads each line from the caller's cache.
struct DirectRows {
  RowFn fn;
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
    for (int64_t i = begin; i < end; ++i) {
      for (int k = 0; k < outputs; ++k) out[k] = op[k].data + i * op[k].step;
      for (int k = outputs; k < count; ++k) in[k - outputs] = op[k].data + i * op[k].step;
      fn(out, in, n, params);
    }
  }
};

bool all_direct(const Plan& plan) {
  if (plan.kernel->first_accumulated < plan.kernel->num_outputs) return false;
  return std::all_of(plan.op, plan.op + plan.count, [](const Operand& op) { return op.direct && op.outer.n <= 1; });
}

void run_direct(const Plan& plan, diopi::Picoseconds row) {
  DirectRows rows;
  rows.fn = plan.kernel->fn;
  rows.params = plan.kernel->params;
  rows.n = plan.n;
  rows.outputs = plan.kernel->num_outputs;
  rows.count = plan.count;
  for (int k = 0; k < plan.count; ++k) rows.op[k] = {plan.op[k].data, plan.op[k].outer.inner_stride()};
  diopi::parallel_for(plan.rows, row, [rows](int64_t begin, int64_t end) { rows.run(begin, end); });
}

// Runs the column form on strips of adjacent rows.
void run_columns(const Plan& plan) {
  const int64_t inner = outer_loops(plan).inner_extent(), strips = (inner + plan.strip - 1) / plan.strip;
  const diopi::Picoseconds cost{plan.strip * plan.n * plan.kernel->cost};
  int64_t pitch[kMaxRowOperands];
  for (int k = 0; k < plan.count; ++k) pitch[k] = plan.op[k].row.inner_stride();
  diopi::parallel_for(plan.rows / inner * strips, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i % strips * plan.strip;
      void* out[kMaxRowOperands];
      const void* in[kMaxRowOperands];
      for (int k = 0; k < plan.count; ++k) {
        char* p = plan.op[k].data + NestWalker(plan.op[k].outer, i / strips * inner + start).offset();
        if (k < plan.kernel->num_outputs) {
          out[k] = p;
        } else {
          in[k - plan.kernel->num_outputs] = p;
        }
      }
      plan.kernel->columns(out, in, pitch, plan.n, std::min(plan.strip, inner - start));
    }
  });
}

}  // namespace

Status run_rows(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                const TensorView* outputs, const TensorView* inputs) {
  Plan plan;
  plan.kernel = &kernel;
  for (int i = 0; i < shape.n; ++i) ((row_mask >> i & 1) != 0 ? plan.n : plan.rows) *= shape[i];
  for (int k = 0; k < kernel.num_outputs; ++k) {
    if (k >= kernel.first_accumulated) {
      add_accumulated(&plan, outputs[k]);
      continue;
    }
    DIOPI_TRY(diopi::require_writable(outputs[k]));
    add_operand(&plan, outputs[k], shape, row_mask, kernel.out[k], true);
  }
  for (int k = 0; k < kernel.num_inputs; ++k) {
    TensorView input = inputs[k];
    for (int o = 0; o < kernel.num_outputs; ++o) {
      if (o < kernel.first_accumulated && !diopi::is_same_view(outputs[o], input))
        DIOPI_TRY(separate_from(ctx, outputs[o], &input));
    }
    add_operand(&plan, input, shape, row_mask, kernel.in[k], false);
  }
  if (plan.rows == 0) return diopiSuccess;
  collapse_outer(&plan);
  plan_columns(&plan);
  if (plan.strip > 0) {
    run_columns(plan);
    return diopiSuccess;
  }
  const int64_t chunk = kernel.chunk, chunks = (plan.rows + chunk - 1) / chunk;
  const int64_t row_cost = kRowCost + plan.n * kernel.cost;
  if (all_direct(plan)) {
    run_direct(plan, {row_cost});
    return diopiSuccess;
  }
  plan_scratch(&plan);
  char* scratch = nullptr;
  if (plan.scratch > 0) {
    const int64_t threads = std::min<int64_t>(omp_get_max_threads(), plan.rows);
    DIOPI_TRY(diopi::Workspace(ctx).take(plan.scratch * threads, &scratch));
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

}  // namespace impl::cpu
