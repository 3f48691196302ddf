#include "../skeleton.hpp"

namespace impl::skeleton {

namespace {

// An empty one-dimensional tensor joins anything, as in PyTorch.
bool is_skipped(const TensorView& view) { return view.ndim() == 1 && view.numel == 0; }

// The shape of the result, after checking that all tensors agree beside `dim`.
Status joined_shape(diopiConstTensorHandle_t* tensors, int64_t count, int64_t dim, Dims* shape, int* axis) {
  TensorView first;
  bool found = false;
  for (int64_t i = 0; i < count; ++i) {
    TensorView x;
    DIOPI_TRY(take(tensors[i], "tensors", &x));
    if (is_skipped(x)) continue;
    if (!found) {
      found = true;
      first = x;
      DIOPI_REQUIRE(x.ndim() > 0, diopiErrorOccurred, "tensors[%lld] has no dimension", static_cast<long long>(i));
      DIOPI_TRY(diopi::wrap_dim(dim, x, "dim", axis));
      *shape = x.shape;
      continue;
    }
    Dims expected = first.shape;
    if (x.ndim() == first.ndim()) expected[*axis] = x.shape[*axis];
    DIOPI_REQUIRE(x.shape == expected, diopiErrorOccurred,
                  "tensors[%lld] has shape %s, expected %s except in "
                  "dimension %d",
                  static_cast<long long>(i), Text(x.shape).c_str(), Text(first.shape).c_str(), *axis);
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
  DIOPI_REQUIRE(num_inputs > 0, diopiErrorOccurred, "tensors is an empty list");
  Dims shape;
  int axis = 0;
  DIOPI_TRY(joined_shape(tensors, num_inputs, dim, &shape, &axis));
  DIOPI_TRY(diopi::require_shape(o, shape));
  TensorView x;
  diopiDtype_t dtype = diopi_dtype_int32;
  for (int64_t i = 0; i < num_inputs; ++i) {
    DIOPI_TRY(take(tensors[i], "tensors", &x));
    dtype = diopi::promote_types(dtype, x.dtype);
  }
  DIOPI_TRY(diopi::require_castable(dtype, o));
  for (int64_t i = 0, begin = 0; i < num_inputs; ++i) {
    DIOPI_TRY(take(tensors[i], "tensors", &x));
    if (is_skipped(x)) continue;
    DIOPI_TRY(copy_elements(o.narrow(axis, begin, x.shape[axis]), x));
    begin += x.shape[axis];
  }
  return diopiSuccess;
}

}  // namespace impl::skeleton
