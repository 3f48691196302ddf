// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/linalg/qr_blocked.hpp"

#include <algorithm>
#include <type_traits>

#include "impl/common/parallel.hpp"
#include "impl/cpu/matmul/goto.hpp"
#include "impl/cpu/matmul/tiling.hpp"

// OpenBLAS has the functions of LAPACK, but its headers do not declare them.
extern "C" {
void sgeqrt3_(const int* m, const int* n, float* a, const int* lda, float* t, const int* ldt, int* info);
void dgeqrt3_(const int* m, const int* n, double* a, const int* lda, double* t, const int* ldt, int* info);
}

namespace impl::cpu {

namespace {

// The columns of a block. Reflections of a block H_1 H_2 .. are I - V T V^T, with V [rows, kBlock], 1 on the diagonal
// and 0 above it, and T upper triangular.
constexpr int64_t kBlock = 64;

void geqrt3(int m, int n, float* a, int lda, float* t, int ldt) {
  int info = 0;
  sgeqrt3_(&m, &n, a, &lda, t, &ldt, &info);
}
void geqrt3(int m, int n, double* a, int lda, double* t, int ldt) {
  int info = 0;
  dgeqrt3_(&m, &n, a, &lda, t, &ldt, &info);
}

template <typename T>
class Blocks {
 public:
  explicit Blocks(const BlockedQr& matrix)
      : rows_(matrix.rows),
        columns_(matrix.columns),
        reflections_(std::min(rows_, columns_)),
        threads_(matrix.threads),
        a_(static_cast<T*>(matrix.data)),
        t_(static_cast<T*>(matrix.work)),
        s_(t_ + reflections_ * kBlock),
        v_(s_ + kBlock * kBlock),
        panels_(v_ + rows_ * kBlock),
        products_(panels_ + threads_ * kPackRoom) {}

  void decompose() const {
    for (int64_t first = 0; first < reflections_; first += kBlock) {
      const int64_t count = block_columns(first);
      {
        const SingleThread single;
        geqrt3(static_cast<int>(rows_ - first), static_cast<int>(count), column(first) + first, static_cast<int>(rows_),
               t_ + first * kBlock, static_cast<int>(kBlock));
      }
      const int64_t next = first + count;
      if (next < columns_) apply(first, true, a_ + next * rows_, columns_ - next);
    }
  }

  void multiply(T* q, int64_t q_columns) const {
    std::fill_n(q, rows_ * q_columns, T{0});
    for (int64_t i = 0; i < std::min(rows_, q_columns); ++i) q[i * rows_ + i] = T{1};
    for (int64_t first = (reflections_ - 1) / kBlock * kBlock; first >= 0; first -= kBlock) {
      apply(first, false, q + first * rows_, q_columns - first);
    }
  }

 private:
  T* column(int64_t i) const { return a_ + i * rows_; }
  int64_t block_columns(int64_t first) const { return std::min(kBlock, reflections_ - first); }

  // A matrix whose rows are packed and begin `step` elements apart.
  struct Rows {
    T* data;
    int64_t step;
  };
  static GotoMatmul product(Rows out, Rows a, Rows b, bool transpose_b, int64_t depth) {
    GotoMatmul p;
    p.a = a.data;
    p.b = b.data;
    p.out = out.data;
    p.depth = depth;
    p.a_row = a.step;
    p.a_col = 1;
    p.b_row = transpose_b ? 1 : b.step;
    p.b_col = transpose_b ? b.step : 1;
    p.out_row = out.step;
    return p;
  }

  // V of a block: each of its columns without gaps, so the rows of V^T.
  void copy_reflections(int64_t first) const {
    const int64_t length = rows_ - first;
    for (int64_t i = 0; i < block_columns(first); ++i) {
      T* const v = v_ + i * length;
      std::fill_n(v, i, T{0});
      v[i] = T{1};
      std::copy_n(column(first + i) + first + i + 1, length - i - 1, v + i + 1);
    }
  }

  // S = -T, or its transpose; row-major.
  void copy_factor(int64_t first, bool transpose) const {
    const T* const t = t_ + first * kBlock;
    std::fill_n(s_, kBlock * kBlock, T{0});
    for (int64_t j = 0; j < block_columns(first); ++j) {
      for (int64_t i = 0; i <= j; ++i) s_[transpose ? j * kBlock + i : i * kBlock + j] = -t[j * kBlock + i];
    }
  }

  // Changes `count` columns, from `c` on, to H^T C or H C with the H of a block. The rows of C^T are divided among
  // threads: C^T += ((C^T V) S) V^T.
  void apply(int64_t first, bool transpose, T* c, int64_t count) const {
    const GotoFn kernel = goto_kernel(std::is_same_v<T, float> ? diopi_dtype_float32 : diopi_dtype_float64);
    const int64_t length = rows_ - first, width = block_columns(first);
    copy_reflections(first);
    copy_factor(first, !transpose);
    const Rows columns{c + first, rows_}, v{v_, length}, products{products_, kBlock};
    const Rows scaled{products_ + count * kBlock, kBlock};
    const GotoMatmul with_v = product(products, columns, v, true, length);
    const GotoMatmul with_s = product(scaled, products, {s_, kBlock}, false, width);
    GotoMatmul with_v_again = product(columns, scaled, v, false, width);
    with_v_again.accumulate = true;
    const diopi::Picoseconds each{4 * length * width * 20};  // 20 for each multiplication and addition
    diopi::parallel_for(count, each, [=](int64_t begin, int64_t end) {
      T* const mine = panels_ + (threads_ > 1 ? omp_get_thread_num() : 0) * kPackRoom;
      kernel(with_v, begin, end - begin, 0, width, mine);
      kernel(with_s, begin, end - begin, 0, width, mine);
      kernel(with_v_again, begin, end - begin, 0, length, mine);
    });
  }

  int64_t rows_, columns_, reflections_, threads_;
  T* a_;         // the matrix
  T* t_;         // T of each block, column-major with kBlock rows
  T* s_;         // [kBlock, kBlock]
  T* v_;         // V of a block, of which each column is packed
  T* panels_;    // packed operands of products, kPackRoom for each thread
  T* products_;  // two matrices with kBlock columns
};

template <typename T>
void decompose(const BlockedQr& matrix) {
  Blocks<T>(matrix).decompose();
}
template <typename T>
void multiply(const BlockedQr& matrix, void* q, int64_t q_columns) {
  Blocks<T>(matrix).multiply(static_cast<T*>(q), q_columns);
}

}  // namespace

bool is_for_blocked_qr(diopiDtype_t dtype, int64_t rows, int64_t columns) {
  constexpr int64_t kLeast = 2 * kBlock;
  return (dtype == diopi_dtype_float32 || dtype == diopi_dtype_float64) && std::min(rows, columns) >= kLeast;
}
int64_t blocked_qr_work(int64_t rows, int64_t columns, int64_t q_columns, int64_t threads) {
  return kBlock * (std::min(rows, columns) + kBlock + rows + 2 * std::max(columns, q_columns)) + threads * kPackRoom;
}
BlockedQrFn blocked_qr_kernel(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float32 ? decompose<float> : decompose<double>;
}
BlockedQrProductFn blocked_qr_product_kernel(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float32 ? multiply<float> : multiply<double>;
}

}  // namespace impl::cpu
