#include "axis_index.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "../../common/parallel.hpp"
#include "../../common/workspace.hpp"
#include "copy.hpp"
#include "copy_simd.hpp"
#include "index_combine.hpp"
#include "index_plan.hpp"
#include "index_simd.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using namespace index_detail;  // NOLINT: this file is part of the engine

namespace {

// Two loops over an index and both sides. Offsets of the indexed side are index * by_index + a * indexed_a +
// b * indexed_b; one of the latter is 0. Strides of the index count entries, all others bytes.
struct Block {
  int64_t n_a, n_b;
  int64_t index_a, index_b;
  int64_t packed_a, packed_b;
  int64_t indexed_a, indexed_b;
  int64_t by_index;
  int64_t size;          // indices are below it
  bool streams = false;  // gathered lines are stored past the caches
};

// Everything that one call does: the loop along `dim`, the innermost of the others (columns), and the rest (outer).
struct AxisPlan {
  int64_t along = 1, columns = 1, outer = 1;
  int64_t index_along = 0, packed_along = 0, by_index = 0, size = 0;
  int64_t index_column = 0, packed_column = 0, indexed_column = 0;
  struct {
    int64_t extent, index, packed, indexed;
  } rest[diopi::kMaxDims];
  int n = 0;
  bool streams = false;
};

struct Offsets {
  int64_t index = 0, packed = 0, indexed = 0;
};

AxisPlan make_axis_plan(const AxisIndex& axis, int64_t packed_size, int64_t indexed_size) {
  AxisPlan plan;
  const int n = axis.shape.n;
  int column = -1;
  for (int d = 0; d < n; ++d) {
    if (d == axis.dim || axis.shape[d] == 1) continue;
    if (column < 0 || axis.indexed_stride[d] <= axis.indexed_stride[column]) column = d;
  }
  plan.along = axis.shape[axis.dim];
  plan.size = axis.size;
  plan.index_along = axis.index_stride[axis.dim];
  plan.packed_along = axis.packed_stride[axis.dim] * packed_size;
  plan.by_index = axis.indexed_stride[axis.dim] * indexed_size;
  if (column >= 0) {
    plan.columns = axis.shape[column];
    plan.index_column = axis.index_stride[column];
    plan.packed_column = axis.packed_stride[column] * packed_size;
    plan.indexed_column = axis.indexed_stride[column] * indexed_size;
  }
  for (int d = n - 1; d >= 0; --d) {
    if (d == axis.dim || d == column || axis.shape[d] == 1) continue;
    plan.rest[plan.n++] = {axis.shape[d], axis.index_stride[d], axis.packed_stride[d] * packed_size,
                           axis.indexed_stride[d] * indexed_size};
    plan.outer *= axis.shape[d];
  }
  return plan;
}

Offsets outer_offsets(const AxisPlan& plan, int64_t outer) {
  Offsets at;
  for (int i = 0; i < plan.n; ++i) {
    const int64_t k = outer % plan.rest[i].extent;
    outer /= plan.rest[i].extent;
    at.index += k * plan.rest[i].index;
    at.packed += k * plan.rest[i].packed;
    at.indexed += k * plan.rest[i].indexed;
  }
  return at;
}

// The loops over `along` positions and `columns` columns; the one whose index entries are closer is inside.
Block make_block(const AxisPlan& p, int64_t along, int64_t columns) {
  // An index expanded over the columns is as close along as across: then the indexed side decides.
  const bool by_columns =
      p.index_column == 0 && p.index_along != 0 ? p.indexed_column <= p.by_index : p.index_column < p.index_along;
  if (columns > 1 && (by_columns || along == 1)) {
    return {along, columns,          p.index_along, p.index_column, p.packed_along, p.packed_column,
            0,     p.indexed_column, p.by_index,    p.size,         p.streams};
  }
  return {columns,          along, p.index_column, p.index_along, p.packed_column, p.packed_along,
          p.indexed_column, 0,     p.by_index,     p.size,        p.streams};
}

// Stores wait for their lines one after the other; asked for this many items ahead, they come together.
constexpr int64_t kAhead = 16;
constexpr int64_t kLine = 64;

using BlockFn = void (*)(char* indexed, char* packed, const void* index, const Block& block);

// kUnit: the inner loop steps by one entry of the index and one item of the packed side.
template <class Op, bool kGather, bool kUnit, typename I>
void run_loops(char* indexed, char* packed, const I* index, const Block& block) {
  const Block k = block;  // a copy that no store can alias
  const int64_t index_b = kUnit ? 1 : k.index_b, packed_b = kUnit ? Op::kPackedSize : k.packed_b;
  for (int64_t a = 0; a < k.n_a; ++a) {
    const I* row = index + a * k.index_a;
    char* to = indexed + a * k.indexed_a;
    char* from = packed + a * k.packed_a;
    [[maybe_unused]] const int64_t ahead = std::max<int64_t>(0, k.n_b - kAhead);
    for (int64_t b = 0; b < k.n_b; ++b) {
      if constexpr (!kGather && !Op::kReadsTarget) {
        const int64_t next = b < ahead ? b + kAhead : b;
        __builtin_prefetch(to + static_cast<int64_t>(row[next * index_b]) * k.by_index + next * k.indexed_b, 1);
      }
      char* item = to + static_cast<int64_t>(row[b * index_b]) * k.by_index + b * k.indexed_b;
      char* other = from + b * packed_b;
      if constexpr (kGather) {
        Op::apply(other, item);
      } else {
        Op::apply(item, other);
      }
    }
  }
}

// Asks for a line of items that will be read nearly whole, though in any order.
template <bool kWrite>
void fetch_line(const char* line, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(line + at, kWrite ? 1 : 0);
}
bool is_dense(const Block& block, int64_t size) {
  return block.indexed_a != 0 && block.size * size <= 1 << 14 && 4 * block.n_b >= block.size;
}

// Items next to each other on the packed side, from anywhere in a line of items.
template <class Op, typename I>
bool gather_lines(char* indexed, char* packed, const I* index, const Block& block) {
  if constexpr (Op::kPackedSize == 4 || Op::kPackedSize == 8) {
    static const GatherItemsFn gather = gather_items_function(Op::kPackedSize, sizeof(I) == 8);
    constexpr int64_t kSize = Op::kPackedSize, kPiece = 2048 / kSize;
    if (gather == nullptr || block.indexed_b != 0 || block.by_index != kSize || block.size > kMaxGathered) return false;
    const bool dense = is_dense(block, kSize);
    for (int64_t a = 0; a < block.n_a; ++a) {
      const char* const line = indexed + a * block.indexed_a;
      char* const to = packed + a * block.packed_a;
      const I* const row = index + a * block.index_a;
      if (dense && a + 1 < block.n_a) fetch_line<false>(line + block.indexed_a, block.size * kSize);
      if (!block.streams || block.n_b * kSize < kStreamRun) {
        gather(to, line, row, block.n_b);
        continue;
      }
      alignas(kLine) char piece[kPiece * kSize];
      for (int64_t b = 0; b < block.n_b; b += kPiece) {
        const int64_t n = std::min(kPiece, block.n_b - b);
        gather(piece, line, row + b, n);
        stream_rows(to + b * kSize, 0, piece, 0, n * kSize, 1);
      }
    }
    return true;
  }
  return false;
}

// The same in a plain loop, in both directions: what is added or replaced lies in one line of items.
template <class Op, bool kGather, typename I>
void run_lines(char* indexed, char* packed, const I* index, const Block& block) {
  const bool dense = is_dense(block, Op::kSize);
  for (int64_t a = 0; a < block.n_a; ++a) {
    const I* row = index + a * block.index_a;
    char* line = indexed + a * block.indexed_a;
    char* other = packed + a * block.packed_a;
    const int64_t n = block.n_b;
    if (dense && a + 1 < block.n_a) fetch_line<!kGather>(line + block.indexed_a, block.size * Op::kSize);
#pragma GCC unroll 4
    for (int64_t b = 0; b < n; ++b) {
      char* item = line + static_cast<int64_t>(row[b]) * Op::kSize;
      if constexpr (kGather) {
        Op::apply(other + b * Op::kPackedSize, item);
      } else {
        Op::apply(item, other + b * Op::kPackedSize);
      }
    }
  }
}

template <class Op, bool kGather, typename I>
void run_block(char* indexed, char* packed, const void* entries, const Block& block) {
  const I* index = static_cast<const I*>(entries);
  if (block.index_b == 1 && block.packed_b == Op::kPackedSize) {
    if constexpr (kGather) {
      if (gather_lines<Op>(indexed, packed, index, block)) return;
    }
    if (block.indexed_b == 0 && block.by_index == Op::kSize) {
      run_lines<Op, kGather>(indexed, packed, index, block);
    } else {
      run_loops<Op, kGather, true>(indexed, packed, index, block);
    }
  } else {
    run_loops<Op, kGather, false>(indexed, packed, index, block);
  }
}

template <class Op, bool kGather>
BlockFn block_function(bool is_int64) {
  return is_int64 ? run_block<Op, kGather, int64_t> : run_block<Op, kGather, int32_t>;
}

template <bool kGather>
BlockFn move_function(int64_t size, bool is_int64) {
  switch (size) {
    case 1:
      return block_function<Move<1>, kGather>(is_int64);
    case 2:
      return block_function<Move<2>, kGather>(is_int64);
    case 4:
      return block_function<Move<4>, kGather>(is_int64);
    case 8:
      return block_function<Move<8>, kGather>(is_int64);
    default:
      return block_function<Move<16>, kGather>(is_int64);
  }
}

const char* entry(const AxisIndex& axis, int64_t offset) {
  return static_cast<const char*>(axis.index) + offset * (axis.is_int64 ? 8 : 4);
}

// Columns of one piece of work: what they reach stays in the second-level cache, and the threads have pieces.
int64_t column_chunk(const AxisPlan& plan) {
  constexpr int64_t kReached = 1 << 18, kFewest = 32;
  const int64_t step = std::clamp<int64_t>(std::abs(plan.indexed_column), 1, kLine);
  int64_t wanted = std::max(kFewest, kReached / std::max<int64_t>(1, plan.size * step));
  const int64_t threads = omp_get_max_threads();
  if (threads > 1 && plan.outer < threads) wanted = std::min(wanted, std::max(kFewest, plan.columns / (2 * threads)));
  return std::min(plan.columns, wanted);
}

// Spreads scatter work over the threads; positions along `dim`, which may meet, stay on one thread in order.
void run_columns(const AxisIndex& axis, const AxisPlan& plan, BlockFn block, char* indexed, char* packed) {
  const int64_t chunk = column_chunk(plan), chunks = (plan.columns + chunk - 1) / chunk;
  const int64_t grain = kGrain / (plan.along * chunk);
  diopi::parallel_for(plan.outer * chunks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const Offsets at = outer_offsets(plan, u / chunks);
      const int64_t c = u % chunks * chunk, count = std::min(chunk, plan.columns - c);
      block(indexed + at.indexed + c * plan.indexed_column, packed + at.packed + c * plan.packed_column,
            entry(axis, at.index + c * plan.index_column), make_block(plan, plan.along, count));
    }
    if (plan.streams) finish_stores();
  });
}

int64_t count(const AxisIndex& axis) { return axis.shape.product(); }

}  // namespace

int64_t index_at(const AxisIndex& axis, int64_t position) {
  int64_t offset = 0;
  for (int d = axis.shape.n - 1; d >= 0; --d) {
    offset += position % axis.shape[d] * axis.index_stride[d];
    position /= axis.shape[d];
  }
  return axis.is_int64 ? static_cast<const int64_t*>(axis.index)[offset]
                       : static_cast<const int32_t*>(axis.index)[offset];
}

namespace {

template <typename I>
bool row_in_range(const I* row, int64_t n, int64_t step, int64_t size) {
  if (step == 1) return indices_within(row, n, 0, size);
  int bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= static_cast<int>(row[i * step] < 0) | static_cast<int>(row[i * step] >= size);
  return bad == 0;
}

template <typename I>
bool all_in_range(const AxisIndex& axis, const AxisPlan& plan) {
  std::atomic<bool> inside{true};
  const I* const index = static_cast<const I*>(axis.index);
  const auto check = [&](int64_t offset, int64_t n, int64_t step) {
    if (!row_in_range(index + offset, n, step, axis.size)) inside.store(false, std::memory_order_relaxed);
  };
  Block block = make_block(plan, plan.along, plan.columns);
  if (block.index_a == block.n_b * block.index_b || block.n_a == 1) {  // as one row
    block.n_b *= block.n_a;
    block.n_a = 1;
  }
  if (plan.outer == 1 && block.n_a == 1) {
    diopi::parallel_for(block.n_b, 2 * kGrain,
                        [&](int64_t begin, int64_t end) { check(begin * block.index_b, end - begin, block.index_b); });
  } else {
    diopi::parallel_for(plan.outer * block.n_a, kGrain / block.n_b, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        check(outer_offsets(plan, r / block.n_a).index + r % block.n_a * block.index_a, block.n_b, block.index_b);
      }
    });
  }
  return inside.load(std::memory_order_relaxed);
}

}  // namespace

int64_t find_out_of_range(const AxisIndex& axis) {
  const int64_t n = count(axis);
  if (n == 0) return -1;
  const AxisPlan plan = make_axis_plan(axis, 1, 1);
  if (axis.is_int64 ? all_in_range<int64_t>(axis, plan) : all_in_range<int32_t>(axis, plan)) return -1;
  int64_t position = 0;
  for (; position < n; ++position) {
    const int64_t i = index_at(axis, position);
    if (i < 0 || i >= axis.size) break;
  }
  return position;
}

void gather_axis(void* packed, const void* indexed, int64_t item_size, const AxisIndex& axis) {
  if (count(axis) == 0) return;
  AxisPlan plan = make_axis_plan(axis, item_size, item_size);
  plan.streams = count(axis) * item_size >= kStreamBytes;
  const BlockFn block = move_function<true>(item_size, axis.is_int64);
  char* from = const_cast<char*>(static_cast<const char*>(indexed));  // blocks of a gather only read it
  char* to = static_cast<char*>(packed);
  if (plan.outer * plan.columns > 1) {
    run_columns(axis, plan, block, from, to);
    return;
  }
  diopi::parallel_for(plan.along, kGrain, [&](int64_t begin, int64_t end) {
    block(from, to + begin * plan.packed_along, entry(axis, begin * plan.index_along),
          make_block(plan, end - begin, 1));
    if (plan.streams) finish_stores();
  });
}

void scatter_axis(void* indexed, const void* packed, int64_t item_size, const AxisIndex& axis) {
  if (count(axis) == 0) return;
  char* from = const_cast<char*>(static_cast<const char*>(packed));  // blocks of a scatter only read it
  run_columns(axis, make_axis_plan(axis, item_size, item_size), move_function<false>(item_size, axis.is_int64),
              static_cast<char*>(indexed), from);
}

namespace {

template <Accumulate kOp>
BlockFn wide_function(diopiDtype_t dtype, bool is_int64) {
  return dtype == diopi_dtype_float16 ? block_function<CombineWide<diopi::float16, kOp>, false>(is_int64)
                                      : block_function<CombineWide<diopi::bfloat16, kOp>, false>(is_int64);
}

// float16 and bfloat16: a strip of columns is converted to float, accumulated there, and converted back.
Status accumulate_wide(diopiContextHandle_t ctx, BlockFn block, diopiDtype_t dtype, char* indexed, char* packed,
                       const AxisIndex& axis) {
  constexpr int64_t kStrip = 16;
  const AxisPlan plan = make_axis_plan(axis, 2, 2);
  const int64_t strip = std::min(plan.columns, kStrip), strips = (plan.columns + strip - 1) / strip;
  const int64_t units = plan.outer * strips;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const int64_t pieces =
      std::clamp<int64_t>(plan.along * plan.columns * plan.outer / kGrain, 1, std::min(threads, units));
  float* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(pieces * axis.size * strip, &memory));
  // The copy has the order of the original: lines that lie side by side stay so.
  const bool along_lines = plan.by_index <= plan.indexed_column;
  diopi::parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    float* wide = memory + begin * axis.size * strip;
    for (int64_t u = begin * units / pieces; u < end * units / pieces; ++u) {
      const Offsets at = outer_offsets(plan, u / strips);
      const int64_t c = u % strips * strip, columns = std::min(strip, plan.columns - c);
      const int64_t step = along_lines ? 1 : columns, column_step = along_lines ? axis.size : 1;
      char* narrow = indexed + at.indexed + c * plan.indexed_column;
      const CopyDim in[] = {{axis.size, step, plan.by_index / 2}, {columns, column_step, plan.indexed_column / 2}};
      const CopyDim out[] = {{axis.size, plan.by_index / 2, step}, {columns, plan.indexed_column / 2, column_step}};
      copy_strided(wide, diopi_dtype_float32, narrow, dtype, in, 2);
      AxisPlan on_strip = plan;
      on_strip.by_index = step * static_cast<int64_t>(sizeof(float));
      on_strip.indexed_column = column_step * static_cast<int64_t>(sizeof(float));
      block(reinterpret_cast<char*>(wide), packed + at.packed + c * plan.packed_column,
            entry(axis, at.index + c * plan.index_column), make_block(on_strip, plan.along, columns));
      copy_strided(narrow, dtype, wide, diopi_dtype_float32, out, 2);
    }
  });
  return diopiSuccess;
}

template <Accumulate kOp>
Status accumulate_with(diopiContextHandle_t ctx, diopiDtype_t dtype, char* indexed, char* packed,
                       const AxisIndex& axis) {
  const bool done = visit_accumulator(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_columns(axis, make_axis_plan(axis, sizeof(T), sizeof(T)), block_function<Combine<T, kOp>, false>(axis.is_int64),
                indexed, packed);
  });
  if (done) return diopiSuccess;
  return accumulate_wide(ctx, wide_function<kOp>(dtype, axis.is_int64), dtype, indexed, packed, axis);
}

}  // namespace

Status accumulate_axis(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* indexed, const void* packed,
                       const AxisIndex& axis) {
  if (count(axis) == 0) return diopiSuccess;
  auto* to = static_cast<char*>(indexed);
  char* from = const_cast<char*>(static_cast<const char*>(packed));  // blocks of an accumulation only read it
  return op == Accumulate::kAdd ? accumulate_with<Accumulate::kAdd>(ctx, dtype, to, from, axis)
                                : accumulate_with<Accumulate::kMultiply>(ctx, dtype, to, from, axis);
}

}  // namespace impl::cpu
