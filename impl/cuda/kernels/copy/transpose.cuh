// SPDX-License-Identifier: BSD-3-Clause
// Copies between tensors whose adjacent elements lie along different dimensions. A block reads a tile along the
// dimension of the input, and writes it from shared memory along that of the output.
#ifndef IMPL_CUDA_KERNELS_COPY_TRANSPOSE_CUH_
#define IMPL_CUDA_KERNELS_COPY_TRANSPOSE_CUH_

#include "impl/cuda/kernels/launch.cuh"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

inline constexpr int kTransposeTile = 32;
inline constexpr uint32_t kFewTransposed = 16;  // a shorter dimension would leave most threads of a tile without work

// The output is operand 0, the input operand 1. Adjacent columns are adjacent in the output, adjacent rows in the
// input.
struct Transpose {
  Strided<2> rest;  // the other dimensions
  uint32_t columns, rows;
  int32_t out_row, in_column;  // strides
  Divider column_tiles, row_tiles;

  uint32_t tiles() const { return column_tiles.divisor * row_tiles.divisor * rest.numel; }
};

// Whether a copy is a transposition, which `*transpose` then is.
inline bool find_transpose(const Strided<2>& nest, Transpose* transpose) {
  int row = 1;
  while (row < nest.loops && nest.stride[row][1] != 1) ++row;
  if (row >= nest.loops || nest.stride[0][0] != 1 || nest.stride[0][1] == 1) return false;
  Transpose t{};
  t.columns = nest.extent[0].divisor;
  t.rows = nest.extent[row].divisor;
  if (t.columns < kFewTransposed || t.rows < kFewTransposed) return false;
  t.out_row = nest.stride[row][0];
  t.in_column = nest.stride[0][1];
  t.column_tiles = Divider((t.columns + kTransposeTile - 1) / kTransposeTile);
  t.row_tiles = Divider((t.rows + kTransposeTile - 1) / kTransposeTile);
  for (int i = 1; i < nest.loops; ++i) {
    if (i == row) continue;
    const int to = t.rest.loops++;
    t.rest.extent[to] = nest.extent[i];
    for (int k = 0; k < 2; ++k) t.rest.stride[to][k] = nest.stride[i][k];
    t.rest.numel *= nest.extent[i].divisor;
  }
  *transpose = t;
  return true;
}

template <typename Word>
__global__ void __launch_bounds__(kBlock) transpose_words(Transpose p, Word* out, const Word* in) {
  constexpr int kTile = kTransposeTile;
  DIOPI_SHARED(Word, tile, [kTile][kTile + 1]);
  const uint32_t of_row = p.column_tiles.quotient(blockIdx.x), of_rest = p.row_tiles.quotient(of_row);
  const uint32_t left = (blockIdx.x - of_row * p.column_tiles.divisor) * kTile;
  const uint32_t top = (of_row - of_rest * p.row_tiles.divisor) * kTile;
  const uint32_t lane = threadIdx.x % kTile, first = threadIdx.x / kTile;
  int32_t offset[2];
  p.rest.offsets(of_rest, offset);
  for (uint32_t j = first; j < kTile && left + j < p.columns; j += kBlock / kTile) {
    if (top + lane >= p.rows) break;
    tile[j][lane] = in[offset[1] + static_cast<int32_t>(left + j) * p.in_column + static_cast<int32_t>(top + lane)];
  }
  __syncthreads();
  for (uint32_t i = first; i < kTile && top + i < p.rows; i += kBlock / kTile) {
    if (left + lane >= p.columns) break;
    out[offset[0] + static_cast<int32_t>(top + i) * p.out_row + static_cast<int32_t>(left + lane)] = tile[lane][i];
  }
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_COPY_TRANSPOSE_CUH_
