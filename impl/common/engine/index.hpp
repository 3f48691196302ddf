// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for reading and writing through indices.
//
// Indices have the dtype int32 or int64. The vendor checks them: it returns refuse_index() of rules/indices.hpp before
// the first write, or reports the error later, but never reads or writes out of bounds. The tensors of a call do not
// share memory, except as the comments say.
#ifndef IMPL_COMMON_ENGINE_INDEX_HPP_
#define IMPL_COMMON_ENGINE_INDEX_HPP_

#include "impl/common/plan/advanced_index.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// How a written element is combined with the element before. Sums are not less exact with more terms; float16 and
// bfloat16 are summed in float32 or wider and rounded once. Integers wrap around; bool adds as `or` and multiplies as
// `and`. The result does not depend on the number of threads.
enum class ScatterOp { kReplace, kAdd, kMultiply };  // kReplace: of several elements, the last in row-major order stays

// The elements of an output before something is written through an index.
class ScatterBase {
 public:
  static ScatterBase kept() { return ScatterBase(nullptr, false); }
  static ScatterBase zeros() { return ScatterBase(nullptr, true); }
  // The elements of a tensor of the same shape, which may overlap the output.
  static ScatterBase copy_of(const TensorView& tensor) { return ScatterBase(&tensor, false); }
  bool is_kept() const { return tensor_ == nullptr && !is_zero_; }
  bool is_zero() const { return is_zero_; }
  const TensorView* tensor() const { return tensor_; }

 private:
  ScatterBase(const TensorView* tensor, bool is_zero) : tensor_(tensor), is_zero_(is_zero) {}
  const TensorView* tensor_;
  bool is_zero_;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AdvancedIndex;
using diopi::ScatterBase;
using diopi::ScatterOp;
using diopi::Status;
using diopi::TensorView;
using diopi::TrueElements;

// out[i] = in[i with i_dim replaced by index[i]]. All tensors have the same number of dimensions, at least one, and
// `out` has the shape of `index`. The index is not empty.
Status gather(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, const TensorView& index);

// out = base; then out[i with i_dim replaced by index[i]] op= src[i]. All tensors have the same number of dimensions,
// at least one, and `index` is nowhere larger than `src`. An empty index may have any shape and dtype.
Status scatter(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base, int dim,
               const TensorView& src, const TensorView& index);
// The same with one value instead of `src`. It fits the dtype of `out` unless the index is empty.
Status scatter_value(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base, int dim,
                     const diopiScalar_t& value, const TensorView& index);

// The dimensions of `index` replace the dimension `dim` of `in`: out[.., k.., ..] = in[.., index[k..], ..]. All tensors
// have at least one dimension.
Status select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, const TensorView& index);
// out = 0; then out[.., index[k], ..] += src[.., k, ..]. The index has one dimension.
Status add_selected(diopiContextHandle_t ctx, const TensorView& out, int dim, const TensorView& src,
                    const TensorView& index);

// out = in[index], and out = base; then out[index] op= src. `out` of the first and `src` of the second have the shape
// of `index`. Negative indices count from the end.
Status gather(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const AdvancedIndex& index);
Status scatter(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base,
               const TensorView& src, const AdvancedIndex& index);

// Finds the true elements of a mask of any dtype: those that are not zero. The mask may be expanded.
Status find_true(diopiContextHandle_t ctx, const TensorView& mask, TrueElements* found);
// out[k, d] = coordinate d of true element k. `out` has the dtype int64.
Status true_coordinates(diopiContextHandle_t ctx, const TensorView& out, const TrueElements& found);
// out[k] = in[true element k]. `in` is expanded to the shape of the mask.
Status gather_true(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const TrueElements& found);
// out = 0; then out[true element k] += src[k]. The mask has the shape to which `out` broadcasts.
Status add_true(diopiContextHandle_t ctx, const TensorView& out, const TensorView& src, const TrueElements& found);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_INDEX_HPP_
