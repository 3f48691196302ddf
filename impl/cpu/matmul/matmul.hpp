// SPDX-License-Identifier: BSD-3-Clause
// Matrix products: out = alpha * (a @ b) + beta * c over batches, with any strides. The first implementation of a list
// that accepts the call runs it (DIOPI_CPU_MATMUL = small | few_rows | onednn | goto | openblas | reference
// forces one). The bits of a result do not depend on the number of threads.
#ifndef IMPL_CPU_MATMUL_MATMUL_HPP_
#define IMPL_CPU_MATMUL_MATMUL_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/engine/matmul.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/engine/candidates.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

// The problem of an implementation: out = a @ b (+ bias), or out += a @ b. No operand is empty or overlaps out.
struct MatmulProblem {
  diopiContextHandle_t ctx = nullptr;
  TensorView out, a, b;        // out has the dtype of a and b, or its compute dtype
  const char* bias = nullptr;  // n packed elements of a's dtype, added to each row of out, whose rows are packed
  bool accumulate = false;     // not for float16 and bfloat16, and not with a bias
  bool conj_a = false, conj_b = false;
  // The most terms that are added one after another; 0: as the implementation chooses. oneDNN ignores it.
  int64_t run = 0;
};

// The addresses of the matrices of product `index` of the batch.
struct BatchItem {
  char* out;
  const char *a, *b;
};
// The loops over the products of a batch; strides of out, a and b in bytes.
using BatchNest = diopi::LoopNest<3>;
inline BatchNest batch_nest(const TensorView& out, const TensorView& a, const TensorView& b) {
  BatchNest nest;
  for (int dim = out.ndim() - 3; dim >= 0; --dim) {
    nest.push_back(out.shape[dim], out.stride[dim] * out.itemsize(), a.stride[dim] * a.itemsize(),
                   b.stride[dim] * b.itemsize());
  }
  return nest;
}
inline BatchItem batch_item(const TensorView& out, const TensorView& a, const TensorView& b, int64_t index) {
  const BatchNest nest = batch_nest(out, a, b);
  const diopi::LoopCursor at(nest, index);
  return {out.data + at.offset(0), a.data + at.offset(1), b.data + at.offset(2)};
}

SkipReason matmul_onednn(const MatmulProblem& product, Status* status);
// Whether oneDNN can compute a float32 product in one call, without copies.
bool onednn_runs_whole(const MatmulProblem& product);
// Whether oneDNN can compute blocks of columns of b without copies: a's rows and b's columns are packed without gaps.
bool onednn_has_columns(const MatmulProblem& product);
// Whether the product has few but long float32 sums, which are divided into chunks.
bool onednn_has_depth_chunks(const MatmulProblem& product);
SkipReason matmul_openblas(const MatmulProblem& product, Status* status);
SkipReason matmul_goto(const MatmulProblem& product, Status* status);
SkipReason matmul_few_rows(const MatmulProblem& product, Status* status);
SkipReason matmul_small(const MatmulProblem& product, Status* status);
SkipReason matmul_reference(const MatmulProblem& product, Status* status);

// The layout of a matrix for BLAS: one of the two strides is 1; the other, `ld`, spans at least a whole row or column.
struct BlasLayout {
  bool transposed = false;  // columns are packed instead of rows
  int64_t ld = 1;
};
// The layout of the last two dimensions; false if BLAS cannot take them.
bool blas_layout(const TensorView& view, BlasLayout* layout);
// `operand` is `view` itself if BLAS can use its matrices, otherwise a packed copy. Broadcast batch dimensions stay
// broadcast.
Status as_blas_operand(diopiContextHandle_t ctx, const TensorView& view, TensorView* operand);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_MATMUL_HPP_
