// SPDX-License-Identifier: BSD-3-Clause
// Matrix products: out = alpha * (a @ b) + beta * c over batches, any strides, through the first of several
// implementations that takes the call (DIOPI_CPU_MATMUL = small | skinny | onednn | packed | openblas | simple forces
// one).
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

#include "candidates.hpp"
#include "impl/common/tensor_view.hpp"
#include "temporary.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// A factor in the category of the operands: integer products use `i`, which is then exact in `f` or not needed.
struct Factor {
  double f = 1;
  int64_t i = 1;
  bool is(int64_t value) const { return f == static_cast<double>(value) && i == value; }
};

struct MatmulCall {
  diopiContextHandle_t ctx = nullptr;
  TensorView out;                 // [batch..., m, n]
  TensorView a;                   // [batch..., m, k], stride 0 where it is broadcast
  TensorView b;                   // [batch..., k, n]
  const TensorView* c = nullptr;  // broadcast to the shape of out; null: no addend
  Factor alpha, beta;             // a beta of 0 leaves c unread
  bool conj_a = false, conj_b = false;
};

// All operands have one dtype, which for float16 and bfloat16 is rounded to once. `out` may also be of the dtype
// in which sums are kept (float32 for these two). `out` may overlap any input.
Status matmul_into(const MatmulCall& call);

// What an implementation is asked: out = a @ b (+ bias), or out += a @ b.
struct Product {
  diopiContextHandle_t ctx = nullptr;
  TensorView out, a, b;
  const char* bias = nullptr;  // n packed elements of a's dtype, added to each row of an out with packed rows
  bool accumulate = false;
  bool conj_a = false, conj_b = false;
};

// The matrices of product `index` of the batch.
struct BatchItem {
  char* out;
  const char *a, *b;
};
inline BatchItem batch_item(const TensorView& out, const TensorView& a, const TensorView& b, int64_t index) {
  int64_t out_at = 0, a_at = 0, b_at = 0;
  for (int dim = out.ndim() - 3; dim >= 0; --dim) {
    const int64_t i = index % out.shape[dim];
    index /= out.shape[dim];
    out_at += i * out.stride[dim];
    a_at += i * a.stride[dim];
    b_at += i * b.stride[dim];
  }
  return {out.data + out_at * out.itemsize(), a.data + a_at * a.itemsize(), b.data + b_at * b.itemsize()};
}

Declined product_onednn(const Product& product, Status* status);
// Whether oneDNN takes a float32 product in one call, without copies.
bool onednn_runs_whole(const Product& product);
// Whether oneDNN takes blocks of columns of b without copies: a's rows and b's columns are packed without gaps.
bool onednn_has_columns(const Product& product);
// Whether there are few but long float32 sums, which are cut into pieces.
bool onednn_has_pieces(const Product& product);
Declined product_openblas(const Product& product, Status* status);
Declined product_packed(const Product& product, Status* status);
Declined product_skinny(const Product& product, Status* status);
Declined product_small(const Product& product, Status* status);
Declined product_simple(const Product& product, Status* status);

// A matrix as BLAS takes it: one of the two strides is 1; the other, `ld`, is at least a whole row or column.
struct BlasLayout {
  bool transposed = false;  // columns are packed, not rows
  int64_t ld = 1;
};
// The layout of the last two dimensions; false if BLAS cannot take them.
bool blas_layout(const TensorView& view, BlasLayout* layout);
// `view` itself if BLAS takes its matrices, else a packed copy. Broadcast batch dimensions stay broadcast.
Status as_blas_operand(diopiContextHandle_t ctx, const TensorView& view, TensorView* operand);

}  // namespace impl::cpu
