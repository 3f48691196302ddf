// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for matrix products.
#ifndef IMPL_COMMON_ENGINE_MATMUL_HPP_
#define IMPL_COMMON_ENGINE_MATMUL_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// A scalar factor. Integer products use `i`; then `f` either has the same value or is not used.
struct Factor {
  double f = 1;
  int64_t i = 1;
  bool is(int64_t value) const { return f == static_cast<double>(value) && i == value; }
};

// What a product can have besides its operands.
struct MatmulOptions {
  const TensorView* c = nullptr;        // an addend that broadcasts to the shape of the result; null: none
  Factor alpha{}, beta{};               // if beta is 0, c is not read
  bool conj_a = false, conj_b = false;  // the elements of a or b are conjugated
  int64_t run = 0;                      // the most terms that are added one after another; 0: as the vendor chooses
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Factor;
using diopi::MatmulOptions;
using diopi::Status;
using diopi::TensorView;

// out = alpha * (a @ b) + beta * c over batches: out [batch..., m, n], a [batch..., m, k] and b [batch..., k, n], with
// stride 0 where a or b is broadcast. All operands have one dtype and any strides. Sums of float16 and bfloat16 are
// computed in float32, and each result is rounded once. k may be 0: then the product is 0. `out` may be empty, and it
// may overlap the operands in any way.
Status run_matmul(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
                  const MatmulOptions& options = {});

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_MATMUL_HPP_
