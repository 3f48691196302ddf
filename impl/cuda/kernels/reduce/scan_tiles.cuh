// SPDX-License-Identifier: BSD-3-Clause
// Running sums of rows whose elements are nearer to each other than those of different rows. The threads of a block
// load a tile of a row, so that adjacent threads load adjacent elements, add it up in shared memory, and go on to the
// next tile of the piece with the sum so far. The order of additions depends on the shape only.
#ifndef IMPL_CUDA_KERNELS_REDUCE_SCAN_TILES_CUH_
#define IMPL_CUDA_KERNELS_REDUCE_SCAN_TILES_CUH_

#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/rows/operands.cuh"
#include "impl/cuda/kernels/scan/scan.cuh"

namespace impl::cuda {

constexpr int kScanThreads = 128;
// The least blocks of a multiprocessor: the others get more registers.
template <typename Wide>
constexpr int kScanBlocks = sizeof(Wide) > 8 ? 2 : 4;

__device__ inline void add_to(double* sum, double x) { *sum += x; }
__device__ inline void add_to(uint64_t* sum, uint64_t x) { *sum += x; }
__device__ inline void add_to(Complex128* sum, Complex128 x) { *sum = {sum->re + x.re, sum->im + x.im}; }

struct Scan {
  Sources<1> in;
  Targets<1> out;
  diopi::LoopNest<2> rows;
  int64_t num_rows, length, in_step, out_step;  // steps may be negative: from the end
  int64_t pieces, piece;
  int64_t across;  // 1: adjacent threads have adjacent rows, otherwise adjacent pieces

  __device__ void locate(int64_t item, int64_t* row, int64_t* begin, int64_t* end) const {
    *row = across != 0 ? item % num_rows : item / pieces;
    *begin = (across != 0 ? item / num_rows : item % pieces) * piece;
    *end = *begin + piece < length ? *begin + piece : length;
  }
};

// Returns the sum of the numbers of all threads of the block before this one. `total` becomes the sum of all.
template <typename Wide>
__device__ Wide sum_before_thread(const Wide& sum, Wide* total) {
  const auto add = [](Wide a, const Wide& b) {
    add_to(&a, b);
    return a;
  };
  return scan_block(sum, Wide(0), add, total);
}

// Tiles of kEach elements for each thread. In and Out: the stored types, or void for any.
template <typename Wide, typename In, typename Out, int kEach>
struct Tiles {
  static constexpr int kTile = kScanThreads * kEach;

  // Calls f(i, x) for elements of the tile: every kScanThreads-th one, with 0 for those beyond the row.
  template <class F>
  __device__ static void read(const Scan& scan, int64_t offset, int count, const F& f) {
    const int thread = static_cast<int>(threadIdx.x);
    if constexpr (std::is_void_v<In>) {
      for (int i = thread; i < kTile; i += kScanThreads) {
        f(i, i < count ? scan.in.read<Wide>(0, offset + i * scan.in_step) : Wide(0));
      }
    } else {
      const In* const from = reinterpret_cast<const In*>(scan.in.data[0]) + offset;
      In x[kEach];
      DIOPI_UNROLL
      for (int j = 0; j < kEach; ++j) {
        const int i = j * kScanThreads + thread;
        x[j] = i < count ? from[i * scan.in_step] : In{};
      }
      DIOPI_UNROLL
      for (int j = 0; j < kEach; ++j) f(j * kScanThreads + thread, convert<Wide>(x[j]));
    }
  }

  // Writes x(i) to the elements of the tile.
  template <class X>
  __device__ static void write(const Scan& scan, int64_t offset, int count, const X& x) {
    const int thread = static_cast<int>(threadIdx.x);
    if constexpr (std::is_void_v<Out>) {
      for (int i = thread; i < count; i += kScanThreads) scan.out.write(0, offset + i * scan.out_step, x(i));
    } else {
      Out* const to = reinterpret_cast<Out*>(scan.out.data[0]) + offset;
      DIOPI_UNROLL
      for (int j = 0; j < kEach; ++j) {
        const int i = j * kScanThreads + thread;
        if (i < count) to[i * scan.out_step] = convert<Out>(x(i));
      }
    }
  }
};

// Writes the sum of each piece.
template <typename Wide, typename In, int kEach>
__global__ void __launch_bounds__(kScanThreads, kScanBlocks<Wide>) add_tiles(Scan scan, Wide* sums) {
  using Tile = Tiles<Wide, In, void, kEach>;
  for (int64_t item = blockIdx.x; item < scan.num_rows * scan.pieces; item += gridDim.x) {
    int64_t row, begin, end, offset[2];
    scan.locate(item, &row, &begin, &end);
    offsets_at(scan.rows, row, offset);
    Wide sum(0), total(0);
    for (int64_t first = begin; first < end; first += Tile::kTile) {
      const int count = static_cast<int>(end - first < Tile::kTile ? end - first : Tile::kTile);
      Tile::read(scan, offset[0] + first * scan.in_step, count, [&](int, const Wide& x) { add_to(&sum, x); });
    }
    sum_before_thread(sum, &total);
    if (threadIdx.x == 0) sums[item] = total;
  }
}

// Writes the running sums. `upto`: for each piece, the sum of its row up to the end of the piece; null if rows have one
// piece.
template <typename Wide, typename In, typename Out, int kEach>
__global__ void __launch_bounds__(kScanThreads, kScanBlocks<Wide>) scan_tiles(Scan scan, const Wide* upto) {
  using Tile = Tiles<Wide, In, Out, kEach>;
  DIOPI_SHARED(Wide, tile, [Tile::kTile + kScanThreads]);
  // Each kEach elements have an unused one after them, so that the threads of a warp access different banks.
  const auto place = [](int i) { return i + i / kEach; };
  Wide* const own = tile + threadIdx.x * (kEach + 1);
  for (int64_t item = blockIdx.x; item < scan.num_rows * scan.pieces; item += gridDim.x) {
    int64_t row, begin, end, offset[2];
    scan.locate(item, &row, &begin, &end);
    offsets_at(scan.rows, row, offset);
    Wide carry = begin > 0 ? upto[item - 1] : Wide(0);
    for (int64_t first = begin; first < end; first += Tile::kTile) {
      const int count = static_cast<int>(end - first < Tile::kTile ? end - first : Tile::kTile);
      Tile::read(scan, offset[0] + first * scan.in_step, count, [&](int i, const Wide& x) { tile[place(i)] = x; });
      __syncthreads();
      Wide sum(0), total(0);
      for (int k = 0; k < kEach; ++k) add_to(&sum, own[k]);
      const Wide before = sum_before_thread(sum, &total);
      sum = carry;
      add_to(&sum, before);
      for (int k = 0; k < kEach; ++k) {
        add_to(&sum, own[k]);
        own[k] = sum;
      }
      add_to(&carry, total);
      __syncthreads();
      Tile::write(scan, offset[1] + first * scan.out_step, count, [&](int i) { return tile[place(i)]; });
      __syncthreads();  // before the next tile
    }
  }
}

// Whether rows are added up by tiles. If so, sets their pieces.
inline bool plan_tiles(Scan* scan) {
  constexpr int64_t kShort = 32, kLongTile = 2048, kManyBlocks = 2048, kManyRows = 1024;
  if (scan->length <= kShort || scan->across != 0) return false;
  scan->piece = scan->length;
  if (scan->num_rows < kManyRows && scan->length > kLongTile) {
    const int64_t tiles = (scan->length + kLongTile - 1) / kLongTile;
    int64_t each = 1;
    while (scan->num_rows * ((tiles + each - 1) / each) > kManyBlocks) each *= 2;
    scan->piece = each * kLongTile;
  }
  scan->pieces = (scan->length + scan->piece - 1) / scan->piece;
  return true;
}

// A scan of the sums of pieces, in place.
template <typename Wide>
Scan scan_of_sums(const Scan& scan, Wide* sums) {
  Scan result{};
  result.in.data[0] = result.out.data[0] = reinterpret_cast<char*>(sums);
  result.in.dtype[0] = result.out.dtype[0] = diopi::dtype_of<Wide>;
  result.rows.push_back(scan.num_rows, scan.pieces, scan.pieces);
  result.num_rows = scan.num_rows;
  result.length = result.piece = scan.pieces;
  result.pieces = result.in_step = result.out_step = 1;
  return result;
}

template <typename Wide, typename In, typename Out, int kEach>
Status run_tiles(diopiContextHandle_t ctx, const Scan& scan) {
  const int64_t items = scan.num_rows * scan.pieces;
  Wide* sums = nullptr;
  const Wide* none = nullptr;
  if (scan.pieces > 1) {
    DIOPI_TRY(diopi::Workspace(ctx).take(items, &sums));
    DIOPI_TRY(launch_blocks(ctx, add_tiles<Wide, In, kEach>, items, kScanThreads, scan, sums));
    const Scan upto = scan_of_sums(scan, sums);
    DIOPI_TRY(launch_blocks(ctx, scan_tiles<Wide, Wide, Wide, 16>, scan.num_rows, kScanThreads, upto, none));
  }
  return launch_blocks(ctx, scan_tiles<Wide, In, Out, kEach>, items, kScanThreads, scan,
                       static_cast<const Wide*>(sums));
}

// Rows of elements that are stored as In and Out.
template <typename Wide, typename In, typename Out>
Status scan_stored(diopiContextHandle_t ctx, const Scan& scan) {
  constexpr int kShort = 4, kLong = 16;
  return scan.length <= kShort * kScanThreads ? run_tiles<Wide, In, Out, kShort>(ctx, scan)
                                              : run_tiles<Wide, In, Out, kLong>(ctx, scan);
}

template <typename Wide>
Status scan_by_tiles(diopiContextHandle_t ctx, const Scan& scan) {
  const diopiDtype_t in = scan.in.dtype[0], out = scan.out.dtype[0];
  if constexpr (std::is_same_v<Wide, double>) {
    if (in == out && in == diopi_dtype_float32) return scan_stored<Wide, float, float>(ctx, scan);
    if (in == out && in == diopi_dtype_float16) return scan_stored<Wide, float16, float16>(ctx, scan);
    if (in == out && in == diopi_dtype_bfloat16) return scan_stored<Wide, bfloat16, bfloat16>(ctx, scan);
    if (in == out && in == diopi_dtype_float64) return scan_stored<Wide, double, double>(ctx, scan);
  }
  if constexpr (std::is_same_v<Wide, uint64_t>) {
    if (in == diopi_dtype_int32 && out == diopi_dtype_int64) return scan_stored<Wide, int32_t, int64_t>(ctx, scan);
    if (in == out && in == diopi_dtype_int64) return scan_stored<Wide, int64_t, int64_t>(ctx, scan);
  }
  return scan_stored<Wide, void, void>(ctx, scan);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_REDUCE_SCAN_TILES_CUH_
