// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/linalg/cholesky_blocked.hpp"

#include <cblas.h>

#include <algorithm>
#include <type_traits>

#include "impl/common/parallel.hpp"
#include "impl/cpu/linalg/lapack.hpp"
#include "impl/cpu/matmul/goto.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {

namespace {

// The rows and columns of a block on the diagonal, the rows or columns that a thread solves for at a time, and the rows
// of a tile of products.
constexpr int64_t kBlock = 96, kTogether = 96, kTileRows = 4 * kPackRows;
constexpr int64_t kTerm = 20;  // picoseconds for a multiplication and addition

void trsm(CBLAS_SIDE side, CBLAS_UPLO uplo, blasint rows, blasint columns, const float* a, float* x, blasint step) {
  cblas_strsm(CblasRowMajor, side, uplo, CblasTrans, CblasNonUnit, rows, columns, 1.0f, a, step, x, step);
}
void trsm(CBLAS_SIDE side, CBLAS_UPLO uplo, blasint rows, blasint columns, const double* a, double* x, blasint step) {
  cblas_dtrsm(CblasRowMajor, side, uplo, CblasTrans, CblasNonUnit, rows, columns, 1.0, a, step, x, step);
}

template <typename T>
class Blocks {
 public:
  explicit Blocks(const BlockedCholesky& matrix)
      : n_(matrix.n),
        threads_(matrix.threads),
        upper_(matrix.upper),
        a_(static_cast<T*>(matrix.data)),
        negative_(static_cast<T*>(matrix.work)),
        panels_(negative_ + n_ * kBlock) {}

  int factor() const {
    const CholeskyFn factor_block = cholesky_kernel(kDtype);
    for (int64_t first = 0; first < n_; first += kBlock) {
      const int64_t size = std::min(kBlock, n_ - first);
      {
        const SingleThread single;
        const int order = factor_block(at(first, first), size, n_, upper_);
        if (order != 0) return static_cast<int>(first) + order;
      }
      if (first + size == n_) break;
      solve(first, size);
      subtract(first, size);
    }
    return 0;
  }

 private:
  static constexpr diopiDtype_t kDtype = std::is_same_v<T, float> ? diopi_dtype_float32 : diopi_dtype_float64;

  T* at(int64_t row, int64_t column) const { return a_ + row * n_ + column; }

  // The columns of the factor behind a block, or its rows: x = x L^-T, or x = U^-T x. Keeps them with the other sign.
  void solve(int64_t first, int64_t size) const {
    const int64_t next = first + size, left = n_ - next, parts = (left + kTogether - 1) / kTogether;
    const auto step = static_cast<blasint>(n_), extent = static_cast<blasint>(size);
    const diopi::Picoseconds each{kTogether * size * size * kTerm};
    diopi::parallel_for(parts, each, [=](int64_t begin, int64_t end) {
      const SingleThread single;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t start = next + i * kTogether;
        const auto count = static_cast<blasint>(std::min(kTogether, n_ - start));
        if (upper_) {
          trsm(CblasLeft, CblasUpper, extent, count, at(first, first), at(first, start), step);
          negate(at(first, start), size, count, negative_ + start - next, left);
        } else {
          trsm(CblasRight, CblasLower, count, extent, at(first, first), at(start, first), step);
          negate(at(start, first), count, size, negative_ + (start - next) * size, size);
        }
      }
    });
  }

  void negate(const T* from, int64_t rows, int64_t columns, T* to, int64_t step) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) to[i * step + j] = -from[i * n_ + j];
    }
  }

  // Subtracts the products of the solutions from the triangle that is left, in tiles of rows. A thread gets the
  // longest tiles together with the shortest.
  void subtract(int64_t first, int64_t size) const {
    const int64_t next = first + size, left = n_ - next, tiles = (left + kTileRows - 1) / kTileRows;
    const GotoFn kernel = goto_kernel(kDtype);
    const GotoMatmul product = product_of(first, size);
    const auto subtract_tile = [=](int64_t tile, T* panels) {
      const int64_t begin = tile * kTileRows, rows = std::min(kTileRows, left - begin);
      upper_ ? kernel(product, begin, rows, begin, left - begin, panels)
             : kernel(product, begin, rows, 0, begin + rows, panels);
    };
    const diopi::Picoseconds each{(left + kTileRows) * kTileRows * size * kTerm};
    diopi::parallel_for((tiles + 1) / 2, each, [=](int64_t begin, int64_t end) {
      T* const panels = panels_ + (threads_ > 1 ? omp_get_thread_num() : 0) * kPackRoom;
      for (int64_t i = begin; i < end; ++i) {
        subtract_tile(i, panels);
        if (i != tiles - 1 - i) subtract_tile(tiles - 1 - i, panels);
      }
    });
  }

  GotoMatmul product_of(int64_t first, int64_t size) const {
    const int64_t next = first + size, left = n_ - next;
    GotoMatmul p;
    p.a = negative_;
    p.a_row = upper_ ? 1 : size;
    p.a_col = upper_ ? left : 1;
    p.b = upper_ ? at(first, next) : at(next, first);
    p.b_row = upper_ ? n_ : 1;
    p.b_col = upper_ ? 1 : n_;
    p.out = at(next, next);
    p.out_row = n_;
    p.depth = size;
    p.accumulate = true;
    return p;
  }

  const int64_t n_, threads_;
  const bool upper_;
  T* const a_;
  T* const negative_;  // the last solutions with the other sign, [left, kBlock] or [kBlock, left]
  T* const panels_;    // packed operands of products, kPackRoom for each thread
};

template <typename T>
int factor(const BlockedCholesky& matrix) {
  return Blocks<T>(matrix).factor();
}

}  // namespace

bool is_for_blocked_cholesky(diopiDtype_t dtype, int64_t n) {
  constexpr int64_t kLeast = 1024;
  return (dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64) && n >= kLeast;
}

int64_t blocked_cholesky_work(int64_t n, int64_t threads) { return n * kBlock + threads * kPackRoom; }

BlockedCholeskyFn blocked_cholesky_kernel(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float32 ? factor<float> : factor<double>;
}

}  // namespace impl::cpu
