// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/view_list.hpp"
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

// As in PyTorch, an empty one-dimensional tensor is skipped: it can be joined with any other.
bool is_skipped(const TensorView& view) { return view.ndim() == 1 && view.numel == 0; }

// Checks that all tensors agree in all dimensions except `dim` and fit the dtype of out, and returns the shape of the
// result.
Status joined_shape(const diopi::ViewList& tensors, int64_t count, int64_t dim, const TensorView& out, Dims* shape,
                    int* axis) {
  bool found = false;
  for (int64_t i = 0; i < count; ++i) {
    const TensorView& x = tensors[i];
    const auto position = static_cast<long long>(i);
    DIOPI_REQUIRE(diopi::can_cast(x.dtype, out.dtype), diopiDtypeNotSupported,
                  "tensors[%lld] has dtype %s, which out of dtype %s cannot hold", position, diopi::dtype_name(x.dtype),
                  diopi::dtype_name(out.dtype));
    if (is_skipped(x)) continue;
    if (!found) {
      DIOPI_REQUIRE(x.ndim() > 0, diopiErrorOccurred, "tensors[%lld] has no dimension", position);
      DIOPI_TRY(diopi::wrap_dim(dim, x, "dim", axis));
      *shape = x.shape;
      found = true;
      continue;
    }
    Dims expected = *shape;
    if (x.ndim() == shape->n) expected[*axis] = x.shape[*axis];
    DIOPI_REQUIRE(x.shape == expected, diopiErrorOccurred,
                  "tensors[%lld] of shape %s does not match out of shape %s outside of dimension %d", position,
                  Text(x.shape).c_str(), Text(out.shape).c_str(), *axis);
    (*shape)[*axis] += x.shape[*axis];
  }
  if (!found) {
    *axis = 0;
    shape->push_back(0);
  }
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiCat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t* tensors,
                      int64_t num_inputs, int64_t dim) {
  TensorView o;
  DIOPI_TRY(take(out, "out", &o));
  DIOPI_REQUIRE(num_inputs > 0, diopiErrorOccurred, "num_inputs = 0, expected at least one tensor");
  Dims shape;
  int axis = 0;
  diopi::ViewList views;
  DIOPI_TRY(views.reserve(ctx, num_inputs));
  for (int64_t i = 0; i < num_inputs; ++i) DIOPI_TRY(take(tensors[i], "tensors", &views[i]));
  DIOPI_TRY(joined_shape(views, num_inputs, dim, o, &shape, &axis));
  DIOPI_TRY(diopi::require_shape(o, shape));
  for (int64_t i = 0, begin = 0; i < num_inputs; ++i) {
    const TensorView& x = views[i];
    if (is_skipped(x)) continue;
    DIOPI_TRY(copy_elements(o.narrow(axis, begin, x.shape[axis]), x));
    begin += x.shape[axis];
  }
  return diopiSuccess;
}

}  // namespace impl::skeleton
