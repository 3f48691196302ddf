// SPDX-License-Identifier: BSD-3-Clause
// Divides matrix products into tiles that one thread each computes. The division depends only on the shape, so the bits
// of a result do not depend on the number of threads. Libraries do not guarantee this for their own threading.
#ifndef IMPL_CPU_MATMUL_TILING_HPP_
#define IMPL_CPU_MATMUL_TILING_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "impl/common/parallel.hpp"
#include "impl/cpu/matmul/matmul.hpp"

namespace impl::cpu {

// While an object of this class lives, OpenMP regions of the calling thread have one thread.
class SingleThread {
 public:
  SingleThread() : previous_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~SingleThread() { omp_set_num_threads(previous_); }
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int previous_;
};

struct Tiling {
  int64_t rows, cols;            // of a tile; the last tiles may be smaller
  int64_t row_tiles, col_tiles;  // per matrix
  int64_t total;                 // over all batches
  int64_t cost;                  // multiply-adds of one tile
};

inline Tiling make_tiling(const MatmulProblem& p) {
  constexpr int64_t kLeast = int64_t{1} << 21;  // smallest tile, in multiply-adds
  constexpr int64_t kTiles = 16, kAlign = 16, kNarrowest = 32;
  const int row = p.out.ndim() - 2;
  const int64_t m = p.out.shape[row], n = p.out.shape[row + 1], k = p.a.shape[row + 1];
  const int64_t target = std::max(kLeast, m * n * k / kTiles);
  int64_t rows = m, cols = n;
  while (rows * cols * k > target && std::max(rows, cols) > kNarrowest) {
    int64_t& larger = rows > cols ? rows : cols;
    larger = ((larger + 1) / 2 + kAlign - 1) / kAlign * kAlign;
  }
  Tiling t{rows, cols, (m + rows - 1) / rows, (n + cols - 1) / cols, 0, rows * cols * k};
  t.total = p.out.numel / (m * n) * t.row_tiles * t.col_tiles;
  return t;
}

// Returns tile `index` as a two-dimensional product.
inline MatmulProblem tile_product(const MatmulProblem& p, const Tiling& t, int64_t index) {
  const int row = p.out.ndim() - 2, col = row + 1;
  const int64_t first_col = index % t.col_tiles * t.cols;
  index /= t.col_tiles;
  const int64_t first_row = index % t.row_tiles * t.rows;
  index /= t.row_tiles;
  MatmulProblem tile = p;
  const int64_t num_rows = std::min(t.rows, p.out.shape[row] - first_row);
  const int64_t num_cols = std::min(t.cols, p.out.shape[col] - first_col);
  tile.out = p.out.narrow(row, first_row, num_rows).narrow(col, first_col, num_cols);
  tile.a = p.a.narrow(row, first_row, num_rows);
  tile.b = p.b.narrow(col, first_col, num_cols);
  if (p.bias != nullptr) tile.bias = p.bias + first_col * p.a.itemsize();
  for (int dim = row - 1; dim >= 0; --dim) {
    const int64_t i = index % p.out.shape[dim];
    index /= p.out.shape[dim];
    tile.out = tile.out.select(dim, i);
    tile.a = tile.a.select(dim, i);
    tile.b = tile.b.select(dim, i);
  }
  return tile;
}

// Calls `f(tile)`, which returns a Status, for every tile. Each tile is computed by one thread.
template <typename F>
Status for_each_tile(const MatmulProblem& p, F&& f) {
  const Tiling tiling = make_tiling(p);
  std::atomic<int> code{diopiSuccess};
  diopi::parallel_for(tiling.total, (int64_t{1} << 17) / (tiling.cost + 1) + 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    for (int64_t i = begin; i < end; ++i) {
      const Status status = f(tile_product(p, tiling, i));
      if (!status.ok()) code.store(status);
    }
  });
  const auto result = static_cast<diopiError_t>(code.load());
  // The message of the failed tile is stored in another thread, so this thread gets its own.
  DIOPI_REQUIRE(result == diopiSuccess, result, "a tile of the matrix product failed");
  return diopiSuccess;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_TILING_HPP_
