// SPDX-License-Identifier: BSD-3-Clause
// Matrix products through OpenBLAS: mainly float64 and complex, and float32 if no faster implementation accepts it.
// Each tile is one call on one thread, because OpenBLAS with several threads sums in another order.
#include <cblas.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "impl/common/kernel_table.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/matmul.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {
namespace {

struct Call {
  CBLAS_TRANSPOSE trans_a, trans_b;
  blasint m, n, k, lda, ldb, ldc;
  bool accumulate;
};

CBLAS_TRANSPOSE trans(bool transposed, bool conjugate) {
  if (transposed) return conjugate ? CblasConjTrans : CblasTrans;
  return conjugate ? CblasConjNoTrans : CblasNoTrans;
}

void matmul(const Call& c, const float* a, const float* b, float* out) {
  cblas_sgemm(CblasRowMajor, c.trans_a, c.trans_b, c.m, c.n, c.k, 1.0f, a, c.lda, b, c.ldb, c.accumulate ? 1.0f : 0.0f,
              out, c.ldc);
}
void matmul(const Call& c, const double* a, const double* b, double* out) {
  cblas_dgemm(CblasRowMajor, c.trans_a, c.trans_b, c.m, c.n, c.k, 1.0, a, c.lda, b, c.ldb, c.accumulate ? 1.0 : 0.0,
              out, c.ldc);
}
void matmul(const Call& c, const diopi::complex64* a, const diopi::complex64* b, diopi::complex64* out) {
  const diopi::complex64 one(1), beta(c.accumulate ? 1.0f : 0.0f);
  cblas_cgemm(CblasRowMajor, c.trans_a, c.trans_b, c.m, c.n, c.k, &one, a, c.lda, b, c.ldb, &beta, out, c.ldc);
}
void matmul(const Call& c, const diopi::complex128* a, const diopi::complex128* b, diopi::complex128* out) {
  const diopi::complex128 one(1), beta(c.accumulate ? 1.0 : 0.0);
  cblas_zgemm(CblasRowMajor, c.trans_a, c.trans_b, c.m, c.n, c.k, &one, a, c.lda, b, c.ldb, &beta, out, c.ldc);
}

// Writes the bias to `out`, so that the product only has to accumulate.
void prefill_bias(const MatmulProblem& p) {
  TensorView bias = p.out;
  bias.data = const_cast<char*>(p.bias);
  for (int dim = 0; dim < bias.ndim(); ++dim) bias.stride[dim] = dim == bias.ndim() - 1 ? 1 : 0;
  copy_view(p.out, bias);
}

// The number of terms that one call of OpenBLAS adds. Its kernels for small products add all terms of an element one
// after another; others add them in blocks of a few hundred. So real products of few elements are computed in runs. All
// complex products are, because each part of such a sum has two terms for each product: runs of 32 products have 64
// terms in a part, and at most 64 runs are added one after another.
int64_t terms_together(diopiDtype_t dtype, int64_t elements, int64_t depth) {
  constexpr int64_t kFewElements = 1024, kLongestOfFew = 512, kComplex = 32, kMostRuns = 64;
  if (diopi::is_complex(dtype)) return std::max(kComplex, (depth + kMostRuns - 1) / kMostRuns);
  return elements <= kFewElements ? kLongestOfFew : depth;
}

template <typename T>
Status run_tile(const MatmulProblem& tile) {
  BlasLayout la, lb, lc;
  DIOPI_REQUIRE(blas_layout(tile.a, &la) && blas_layout(tile.b, &lb) && blas_layout(tile.out, &lc), diopiErrorOccurred,
                "a matrix has no packed dimension");
  Call call{trans(la.transposed, tile.conj_a),
            trans(lb.transposed, tile.conj_b),
            static_cast<blasint>(tile.out.shape[0]),
            static_cast<blasint>(tile.out.shape[1]),
            static_cast<blasint>(tile.a.shape[1]),
            static_cast<blasint>(la.ld),
            static_cast<blasint>(lb.ld),
            static_cast<blasint>(lc.ld),
            tile.accumulate};
  const T *a = tile.a.ptr<T>(), *b = tile.b.ptr<T>();
  int64_t a_step = tile.a.stride[1], b_step = tile.b.stride[0];
  if (lc.transposed) {  // out^T = b^T a^T
    call.trans_a = trans(!lb.transposed, tile.conj_b);
    call.trans_b = trans(!la.transposed, tile.conj_a);
    std::swap(call.m, call.n);
    std::swap(call.lda, call.ldb);
    std::swap(a, b);
    std::swap(a_step, b_step);
  }
  const int64_t depth = call.k, run = tile.run > 0 ? tile.run : terms_together(tile.out.dtype, tile.out.numel, depth);
  int64_t k = 0;
  do {
    call.k = static_cast<blasint>(std::min(run, depth - k));
    matmul(call, a + k * a_step, b + k * b_step, tile.out.ptr<T>());
    call.accumulate = true;
    k += run;
  } while (k < depth);
  return diopiSuccess;
}

Status run(MatmulProblem p) {
  DIOPI_TRY(as_blas_operand(p.ctx, p.a, &p.a));
  DIOPI_TRY(as_blas_operand(p.ctx, p.b, &p.b));
  if (diopi::in_dry_run()) return diopiSuccess;
  if (p.bias != nullptr) {
    prefill_bias(p);
    p.bias = nullptr;
    p.accumulate = true;
  }
  return for_each_tile(p, diopi::kernel_for<diopi::WideInexactTypes>(
                              p.a.dtype, [](auto tag) { return run_tile<diopi::tagged<decltype(tag)>>; }));
}

bool fits_blasint(const TensorView& view) {
  for (int dim = view.ndim() - 2; dim < view.ndim(); ++dim) {
    if (view.shape[dim] > INT_MAX || view.stride[dim] > INT_MAX) return false;
  }
  return true;
}

}  // namespace

SkipReason matmul_openblas(const MatmulProblem& p, Status* status) {
  const diopiDtype_t dtype = p.a.dtype;
  if (dtype != diopi_dtype_float32 && dtype != diopi_dtype_float64 && !diopi::is_complex(dtype)) {
    return "OpenBLAS has float32, float64 and complex products only";
  }
  BlasLayout layout;
  if (!blas_layout(p.out, &layout)) return "neither the rows nor the columns of out are packed";
  if (!fits_blasint(p.a) || !fits_blasint(p.b) || !fits_blasint(p.out)) return "an extent exceeds 31 bits";
  *status = run(p);
  return nullptr;
}

}  // namespace impl::cpu
