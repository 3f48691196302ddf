// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/copy/copy.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/copy/interleave.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"
#include "impl/cpu/engine/copy/reverse.hpp"
#include "impl/cpu/engine/copy/transpose.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kGrain = 32768;  // fewer elements are not worth a second thread
constexpr int64_t kTile = 16384;   // elements of one tile of rows
constexpr int64_t kSquare = 16;    // minimum side of a tile if the two sides are packed along different dimensions
constexpr int64_t kCacheLine = 64;
constexpr int64_t kShort = 8;       // an extent below this is too short for an inner loop
constexpr int64_t kCastTile = 512;  // elements converted through buffers at a time
constexpr int64_t kFew = 16;        // a plan takes longer than copying so many elements

int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

// A tile of `n1` rows of `n0` items; strides in bytes. move_tile<kSize>() copies a tile of items of kSize bytes.
struct Tile {
  int64_t n0, n1;
  int64_t dst0, dst1;
  int64_t src0, src1;
};
using MoveFn = void (*)(char* dst, const char* src, const Tile& tile);

template <int kSize>
inline void move_row(char* __restrict dst, int64_t dst_step, const char* __restrict src, int64_t src_step, int64_t n) {
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * dst_step, src + i * src_step, kSize);
}

template <int kSize>
void move_tile(char* dst, const char* src, const Tile& t) {
  if (t.dst0 == kSize && t.src0 == kSize) return copy_rows(dst, t.dst1, src, t.src1, t.n0 * kSize, t.n1);
  if (t.dst0 == kSize && t.src0 == 0 && t.dst1 == t.n0 * kSize) {
    return gather_rows(dst, src, 0, kSize, t.n0, t.src1, t.n1);
  }
  if (t.dst0 == kSize && t.src0 == -kSize) {
    return reverse_rows(dst, t.dst1, src - (t.n0 - 1) * kSize, t.src1, kSize, t.n0, t.n1);
  }
  for (int64_t j = 0; j < t.n1; ++j, dst += t.dst1, src += t.src1) {
    if (t.dst0 != kSize && t.src0 == kSize) {
      move_row<kSize>(dst, t.dst0, src, kSize, t.n0);
    } else if (t.dst0 != kSize) {
      move_row<kSize>(dst, t.dst0, src, t.src0, t.n0);
    } else if (t.src0 == 0) {
      broadcast_element(dst, src, kSize, t.n0);
    } else if (t.src0 == int64_t{2} * kSize && kSize < kMaxItemsize) {
      gather_every_second(dst, src, kSize, t.n0);
    } else {
      move_row<kSize>(dst, kSize, src, t.src0, t.n0);
    }
  }
}

MoveFn move_function(int64_t size) {
  return diopi::for_itemsize(size, [](auto tag) -> MoveFn { return move_tile<sizeof(diopi::tagged<decltype(tag)>)>; });
}

using CopyNest = diopi::LoopNest<2, kMaxCopyDims>;
int64_t dst_stride(const CopyDim& dim) { return dim.stride[0]; }
int64_t src_stride(const CopyDim& dim) { return dim.stride[1]; }

// A prepared copy: loops merged and sorted with the innermost first, strides in bytes, the two inner loops cut into
// tiles.
struct Plan {
  CopyNest dims;
  int64_t dst_size = 0, src_size = 0;
  CastFn cast = nullptr;  // null for a plain copy
  MoveFn move_src = nullptr, move_dst = nullptr;
  TransposeFn transpose = nullptr;    // set if the two sides are packed along different loops
  InterleaveFn interleave = nullptr;  // set if a few rows of the source alternate in the destination, or the reverse
  bool separates = false;             // the reverse
  bool streams = false;               // uses non-temporal stores
  bool lines = false;                 // every row of the destination begins at a cache line
  int64_t tile0 = 1, tile1 = 1;
  int first = 0;  // the loop in which consecutive tiles are neighbours

  bool rows_are_packed() const { return dst_stride(dims[0]) == dst_size && src_stride(dims[0]) == src_size; }
};

// Sorts the loops by the strides of the destination, because scattered writes cost more than scattered reads.
void sort_and_merge(Plan* plan) {
  plan->dims.sort([](const CopyDim& a, const CopyDim& b) {
    const int64_t x = magnitude(dst_stride(a)), y = magnitude(dst_stride(b));
    return x != y ? x > y : magnitude(src_stride(a)) > magnitude(src_stride(b));
  });
  plan->dims.merge();
}

// Replaces a short packed run of a plain copy by one item of a larger size.
void widen_items(Plan* plan) {
  const int64_t run = plan->dims[0].extent * plan->dst_size;
  if (plan->cast != nullptr || plan->dims.n < 2 || !plan->rows_are_packed() || run > kMaxItemsize ||
      (run & (run - 1)) != 0)
    return;
  plan->dst_size = plan->src_size = run;
  plan->dims.drop_inner();
}

// Moves the loop with the smallest stride of the source into the inner two loops, so that tiles reuse its cache lines.
bool pair_with_source(Plan* plan) {
  CopyDim* d = plan->dims.loop;
  int best = 0;
  for (int i = 1; i < plan->dims.n; ++i) {
    const int64_t stride = magnitude(src_stride(d[i]));
    if (stride != 0 && stride < magnitude(src_stride(d[best]))) best = i;
  }
  if (best > 0) std::rotate(d + 1, d + best, d + best + 1);
  return best > 0;
}

// Chooses the size of tiles that are transposed in registers.
void choose_register_tiles(Plan* plan) {
  const int64_t n0 = plan->dims[0].extent, n1 = plan->dims[1].extent, line = kCacheLine / plan->dst_size;
  plan->transpose = transpose_function(plan->dst_size);
  if (plan->streams && plan->lines) {  // tiles write whole lines and follow rows of the source
    plan->tile0 = std::min(n0, line);
    plan->tile1 = std::min(n1, 4 * line);
    plan->first = 1;
  } else {
    plan->tile0 = std::min(n0, 4 * line);
    plan->tile1 = std::min(n1, line);
    plan->first = plan->streams ? 1 : 0;
  }
}

// Chooses the functions for a few rows that alternate on one side. Returns false if there are none.
bool choose_interleaving(Plan* plan) {
  CopyDim* d = plan->dims.loop;
  const int64_t size = plan->dst_size;
  if (plan->cast != nullptr || size > 8 || dst_stride(d[0]) != size || src_stride(d[1]) != size) return false;
  const auto few = [](int64_t n) { return n >= 2 && n <= kMostInterleaved; };
  if (few(d[0].extent) && dst_stride(d[1]) == size * d[0].extent) {
    plan->interleave = interleave_function(size, d[0].extent);
  } else if (few(d[1].extent) && src_stride(d[0]) == size * d[1].extent) {
    plan->interleave = separate_function(size, d[1].extent);
    plan->separates = true;
  } else {
    return false;
  }
  constexpr int64_t kRow = 2048;  // items of a row of a tile
  plan->streams = false;
  plan->tile0 = plan->separates ? std::min(d[0].extent, kRow) : d[0].extent;
  plan->tile1 = plan->separates ? d[1].extent : std::min(d[1].extent, kRow);
  plan->first = plan->separates ? 0 : 1;
  return true;
}

bool transposes_in_registers(const Plan& plan) {
  if (plan.cast != nullptr || plan.dst_size > 8) return false;
  const CopyDim &a = plan.dims[0], &b = plan.dims[1];
  const int64_t block = 16 / plan.dst_size;
  return dst_stride(a) == plan.dst_size && src_stride(b) == plan.dst_size && a.extent >= block && b.extent >= block;
}

void choose_tiles(Plan* plan, bool crossing) {
  if (crossing && choose_interleaving(plan)) return;
  if (crossing && transposes_in_registers(*plan)) return choose_register_tiles(plan);
  plan->streams = plan->streams && !crossing;
  if (crossing && plan->dims[0].extent < kShort) {
    std::swap(plan->dims[0], plan->dims[1]);
    if (plan->dims.n > 2 && plan->cast == nullptr) {
      // The tile is a few lines of the destination, each written to its end. If many lines were written in turns, lines
      // whose distance is a power of two would evict each other from the cache.
      plan->tile0 = std::min(plan->dims[0].extent, kShort);
      plan->tile1 = plan->dims[1].extent;
      plan->first = 2;
      return;
    }
  }
  const int64_t n0 = plan->dims[0].extent, n1 = plan->dims[1].extent;
  const bool buffered = plan->cast != nullptr && !plan->rows_are_packed();
  if (!crossing) {
    const int64_t room = buffered ? kCastTile : kTile;
    plan->tile0 = std::min(n0, room);
    plan->tile1 = std::min(n1, std::max<int64_t>(1, room / plan->tile0));
    return;
  }
  // The number of rows is the number of source items in a cache line. It is small, because lines of a power-of-two
  // stride share the sets of the first-level cache. It is larger if one of the loops is short.
  const int64_t side = std::max<int64_t>(kSquare, kCacheLine / plan->src_size);
  plan->tile1 = std::min(n1, std::max(side, kCastTile / n0));
  plan->tile0 = std::min(n0, plan->tile1 < kSquare ? kCastTile / plan->tile1 : std::max(kSquare, 32 / plan->src_size));
  if (buffered) plan->tile0 = std::min(plan->tile0, kCastTile / plan->tile1);
}

// Chooses non-temporal stores if the result is too large for the cache and its rows are long enough.
void choose_stores(Plan* plan, const void* dst) {
  const int64_t bytes = plan->dims.numel() * plan->dst_size;
  int64_t times = 1;  // that each item of the source is written
  for (int i = 0; i < plan->dims.n; ++i) times *= src_stride(plan->dims[i]) == 0 ? plan->dims[i].extent : 1;
  auto bits = reinterpret_cast<uintptr_t>(dst);
  for (int i = 1; i < plan->dims.n; ++i) bits |= static_cast<uintptr_t>(dst_stride(plan->dims[i]));
  plan->streams = bytes >= (times >= 4 ? stream_fill_bytes() : stream_bytes()) && plan->dst_size >= plan->src_size &&
                  dst_stride(plan->dims[0]) == plan->dst_size && plan->dims[0].extent * plan->dst_size >= kStreamRun;
  plan->lines = bits % kCacheLine == 0;
}

// Returns false if there is nothing to copy.
bool make_plan(Plan* plan, const void* dst, diopiDtype_t dst_dtype, diopiDtype_t src_dtype, const CopyDim* dims,
               int num_dims) {
  plan->dst_size = diopi::dtype_size(dst_dtype);
  plan->src_size = diopi::dtype_size(src_dtype);
  // Conversions between integers of one width keep the bits.
  const bool same_bits = dst_dtype == src_dtype || (diopi::is_integral(dst_dtype) && diopi::is_integral(src_dtype) &&
                                                    plan->dst_size == plan->src_size);
  if (!same_bits) plan->cast = cast_function(src_dtype, dst_dtype);
  for (int i = 0; i < num_dims; ++i) {
    if (dims[i].extent == 0) return false;
    if (dims[i].extent == 1) continue;
    plan->dims.push_back(dims[i].extent, dst_stride(dims[i]) * plan->dst_size, src_stride(dims[i]) * plan->src_size);
  }
  sort_and_merge(plan);
  if (plan->dims.n > 0) widen_items(plan);
  while (plan->dims.n < 2) plan->dims.push_back(1, plan->dst_size, plan->src_size);
  const bool crossing = pair_with_source(plan);
  choose_stores(plan, dst);
  choose_tiles(plan, crossing);
  plan->move_src = move_function(plan->src_size);
  plan->move_dst = move_function(plan->dst_size);
  return true;
}

// Whether the rows of a tile are reversed items that vectors hold.
bool reverses_items(const Plan& plan, const char* dst, const Tile& t) {
  const int64_t size = plan.dst_size;
  return plan.cast == nullptr && t.src0 == -size && size < kMaxItemsize &&
         (reinterpret_cast<intptr_t>(dst) | t.dst1) % size == 0;
}

// Copies packed rows with non-temporal stores. Rows that are converted or gathered pass through a buffer in the
// first-level cache.
void stream_tile(const Plan& plan, char* dst, const char* src, const Tile& t) {
  if (plan.cast == nullptr && t.src0 == plan.src_size) {
    stream_rows(dst, t.dst1, src, t.src1, t.n0 * plan.dst_size, t.n1);
    return;
  }
  if (reverses_items(plan, dst, t)) {
    stream_reversed_rows(dst, t.dst1, src - (t.n0 - 1) * plan.dst_size, t.src1, plan.dst_size, t.n0, t.n1);
    return;
  }
  alignas(64) char block[kStreamBlock * kMaxItemsize];
  for (int64_t j = 0; j < t.n1; ++j, dst += t.dst1, src += t.src1) {
    for_stream_blocks(dst, plan.dst_size, t.n0, [&](int64_t i, int64_t n) {
      if (plan.cast != nullptr) {
        plan.cast(block, src + i * t.src0, n);
      } else {
        plan.move_dst(block, src + i * t.src0, {n, 1, plan.dst_size, 0, t.src0, 0});
      }
      stream_rows(dst + i * plan.dst_size, 0, block, 0, n * plan.dst_size, 1);
    });
  }
}

void move_tile(const Plan& plan, char* dst, const char* src, const Tile& t) {
  if (plan.interleave != nullptr) {
    plan.separates ? plan.interleave(dst, src, t.dst1, t.n0) : plan.interleave(dst, src, t.src0, t.n1);
  } else if (plan.transpose == nullptr) {
    plan.streams ? stream_tile(plan, dst, src, t) : plan.move_dst(dst, src, t);
  } else if (!plan.streams || plan.lines) {
    plan.transpose(dst, t.dst1, src, t.src0, t.n0, t.n1, plan.streams);
  } else {  // rows that do not begin at a cache line are assembled in a buffer first
    constexpr int64_t kRow = 4 * kCacheLine;
    alignas(64) char rows[kCacheLine * kRow];
    plan.transpose(rows, kRow, src, t.src0, t.n0, t.n1, false);
    stream_rows(dst, t.dst1, rows, kRow, t.n0 * plan.dst_size, t.n1);
  }
}

// Converts a tile. Rows that are not packed pass through packed buffers.
void cast_tile(const Plan& plan, char* dst, const char* src, const Tile& t) {
  if (plan.rows_are_packed()) {
    if (plan.streams) return stream_tile(plan, dst, src, t);
    for (int64_t j = 0; j < t.n1; ++j) plan.cast(dst + j * t.dst1, src + j * t.src1, t.n0);
    return;
  }
  alignas(64) char in[kCastTile * kMaxItemsize], out[kCastTile * kMaxItemsize];
  const int64_t in0 = plan.src_size, out0 = plan.dst_size, in1 = in0 * t.n0, out1 = out0 * t.n0;
  const char* from = src;
  if (t.src0 != in0 || (t.n1 > 1 && t.src1 != in1)) {
    plan.move_src(in, src, {t.n0, t.n1, in0, in1, t.src0, t.src1});
    from = in;
  }
  if (t.dst0 == out0 && (t.n1 == 1 || t.dst1 == out1)) {
    plan.cast(dst, from, t.n0 * t.n1);
    return;
  }
  plan.cast(out, from, t.n0 * t.n1);
  plan.move_dst(dst, out, {t.n0, t.n1, t.dst0, t.dst1, out0, out1});
}

// The loops over tiles, in the order in which they are copied: `first` is the innermost.
class Tiles {
 public:
  explicit Tiles(const Plan& plan) : plan_(plan) {
    add(plan.first);
    for (int i = 0; i < plan.dims.n; ++i) {
      if (i != plan.first) add(i);
    }
  }

  using Cursor = diopi::LoopCursor<CopyNest>;
  Cursor cursor(int64_t begin) const { return Cursor(nest_, begin); }
  int64_t count() const { return nest_.numel(); }

  Tile at(const Cursor& cursor) const {
    const CopyDim &a = plan_.dims[0], &b = plan_.dims[1];
    return {std::min(plan_.tile0, a.extent - cursor.index(loop0_) * plan_.tile0),
            std::min(plan_.tile1, b.extent - cursor.index(loop1_) * plan_.tile1),
            dst_stride(a),
            dst_stride(b),
            src_stride(a),
            src_stride(b)};
  }

 private:
  void add(int i) {
    const CopyDim& d = plan_.dims[i];
    const int64_t step = i == 0 ? plan_.tile0 : i == 1 ? plan_.tile1 : 1;
    if (i == 0) loop0_ = nest_.n;
    if (i == 1) loop1_ = nest_.n;
    nest_.push_back((d.extent + step - 1) / step, step * dst_stride(d), step * src_stride(d));
  }

  const Plan& plan_;
  CopyNest nest_;
  int loop0_ = 0, loop1_ = 0;  // the positions of the two inner loops of the plan in `nest_`
};

void run(const Plan& plan, char* dst, const char* src) {
  if (plan.cast == nullptr && plan.rows_are_packed() && plan.dims[1].extent == 1 && plan.dims.n == 2) {
    const int64_t bytes = plan.dims[0].extent * plan.dst_size;
    diopi::parallel_for(bytes, kGrain * 4, [&](int64_t begin, int64_t end) {
      if (!plan.streams) {
        std::memcpy(dst + begin, src + begin, static_cast<size_t>(end - begin));
        return;
      }
      stream_rows(dst + begin, 0, src + begin, 0, end - begin, 1);
      finish_stores();
    });
    return;
  }
  const Tiles tiles(plan);
  const int64_t grain = kGrain / (plan.tile0 * plan.tile1);
  diopi::parallel_for(tiles.count(), grain, [&](int64_t begin, int64_t end) {
    auto cursor = tiles.cursor(begin);
    for (int64_t i = begin; i < end; ++i, cursor.next()) {
      char* const to = dst + cursor.offset(0);
      const char* const from = src + cursor.offset(1);
      plan.cast == nullptr ? move_tile(plan, to, from, tiles.at(cursor)) : cast_tile(plan, to, from, tiles.at(cursor));
    }
    if (plan.streams) finish_stores();
  });
}

// Copies at most kFew elements of at most two loops that are longer than 1. Returns false if there are more.
bool copy_few(char* dst, const char* src, int64_t size, const CopyDim* dims, int num_dims) {
  Tile tile{1, 1, size, size, size, size};
  int64_t numel = 1;
  for (int i = num_dims - 1; i >= 0; --i) {
    const CopyDim& d = dims[i];
    if (d.extent == 1) continue;
    if (d.extent > kFew || d.extent == 0 || (numel *= d.extent) > kFew || tile.n1 > 1) return false;
    const bool inner = tile.n0 == 1;
    (inner ? tile.n0 : tile.n1) = d.extent;
    (inner ? tile.dst0 : tile.dst1) = dst_stride(d) * size;
    (inner ? tile.src0 : tile.src1) = src_stride(d) * size;
  }
  move_function(size)(dst, src, tile);
  return true;
}

}  // namespace

void copy_strided(void* dst, diopiDtype_t dst_dtype, const void* src, diopiDtype_t src_dtype, const CopyDim* dims,
                  int num_dims) {
  char* const to = static_cast<char*>(dst);
  const char* const from = static_cast<const char*>(src);
  if (dst_dtype == src_dtype && copy_few(to, from, diopi::dtype_size(dst_dtype), dims, num_dims)) return;
  Plan plan;
  if (make_plan(&plan, dst, dst_dtype, src_dtype, dims, num_dims)) {
    run(plan, to, from);
  }
}

}  // namespace impl::cpu
