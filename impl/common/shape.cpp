// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/shape.hpp"

#include <algorithm>

#include "impl/common/checked.hpp"

namespace diopi {

Status wrap_dim(int64_t dim, const TensorView& view, const char* name, int* wrapped) {
  int64_t wide = 0;
  DIOPI_TRY(wrap_dim(dim, view, name, &wide));
  *wrapped = static_cast<int>(wide);
  return diopiSuccess;
}

Status wrap_dim(int64_t dim, const TensorView& view, const char* name, int64_t* wrapped) {
  const int64_t n = std::max(view.ndim(), 1);
  DIOPI_REQUIRE(dim >= -n && dim < n, diopiErrorOccurred, "%s = %lld is out of range [%lld, %lld] for %s of shape %s",
                name, static_cast<long long>(dim), static_cast<long long>(-n), static_cast<long long>(n - 1), view.name,
                Text(view.shape).c_str());
  *wrapped = dim < 0 ? dim + n : dim;
  return diopiSuccess;
}

Status broadcast_shapes(const Dims& a, const char* a_name, const TensorView& b, Dims* out) {
  const int n = std::max(a.n, b.shape.n);
  Dims result;
  result.n = n;
  for (int i = 0; i < n; ++i) {
    const int ia = i - (n - a.n), ib = i - (n - b.shape.n);
    const int64_t x = ia >= 0 ? a[ia] : 1, y = ib >= 0 ? b.shape[ib] : 1;
    DIOPI_REQUIRE(x == y || x == 1 || y == 1, diopiErrorOccurred,
                  "%s of shape %s and %s of shape %s do not broadcast: %lld against %lld", a_name, Text(a).c_str(),
                  b.name, Text(b.shape).c_str(), static_cast<long long>(x), static_cast<long long>(y));
    result[i] = x == 1 ? y : x;
  }
  int64_t numel = 0;
  DIOPI_REQUIRE(count_elements(result, &numel), diopiErrorOccurred,
                "%s of shape %s and %s of shape %s broadcast to %s, which is more than 2^63 bytes", a_name,
                Text(a).c_str(), b.name, Text(b.shape).c_str(), Text(result).c_str());
  *out = result;
  return diopiSuccess;
}

Status broadcast_shapes(const TensorView& a, const TensorView& b, Dims* out) {
  return broadcast_shapes(a.shape, a.name, b, out);
}

Status require_shape(const TensorView& view, const Dims& expected) {
  DIOPI_REQUIRE(view.shape == expected, diopiErrorOccurred, "%s has shape %s, expected %s", view.name,
                Text(view.shape).c_str(), Text(expected).c_str());
  return diopiSuccess;
}

Status require_same_shape(const TensorView& view, const TensorView& like) {
  DIOPI_REQUIRE(view.shape == like.shape, diopiErrorOccurred, "%s has shape %s, expected %s, the shape of %s",
                view.name, Text(view.shape).c_str(), Text(like.shape).c_str(), like.name);
  return diopiSuccess;
}

namespace {

bool is_vector_for_number(const TensorView& view, const Dims& expected) {
  return expected.n == 0 && view.ndim() == 1 && view.numel == 1;
}

}  // namespace

void drop_dim_of_number(TensorView* view, const Dims& expected) {
  if (is_vector_for_number(*view, expected)) view->shape.n = view->stride.n = 0;
}

Status require_result_shape(const TensorView& view, const Dims& expected) {
  return is_vector_for_number(view, expected) ? Status(diopiSuccess) : require_shape(view, expected);
}

Status require_result_shape(const TensorView& view, const TensorView& like) {
  return is_vector_for_number(view, like.shape) ? Status(diopiSuccess) : require_same_shape(view, like);
}

Status require_result_shape(TensorView* view, const Dims& expected) {
  drop_dim_of_number(view, expected);
  return require_shape(*view, expected);
}

Status require_result_shape(TensorView* view, const TensorView& like) {
  drop_dim_of_number(view, like.shape);
  return require_same_shape(*view, like);
}

Status require_dtype(const TensorView& view, diopiDtype_t expected) {
  DIOPI_REQUIRE(view.dtype == expected, diopiDtypeNotSupported, "%s has dtype %s, expected %s", view.name,
                dtype_name(view.dtype), dtype_name(expected));
  return diopiSuccess;
}

Status require_same_dtype(const TensorView& view, const TensorView& like) {
  DIOPI_REQUIRE(view.dtype == like.dtype, diopiDtypeNotSupported, "%s has dtype %s, expected %s, the dtype of %s",
                view.name, dtype_name(view.dtype), dtype_name(like.dtype), like.name);
  return diopiSuccess;
}

Status require_castable(diopiDtype_t from, const TensorView& out) {
  DIOPI_REQUIRE(can_cast(from, out.dtype), diopiDtypeNotSupported,
                "result of dtype %s cannot be stored in %s of dtype %s", dtype_name(from), out.name,
                dtype_name(out.dtype));
  return diopiSuccess;
}

Status read_axes(const diopiSize_t& dim, const TensorView& view, const char* name, uint32_t* mask) {
  *mask = 0;
  for (int64_t i = 0; i < dim.len; ++i) {
    int axis = 0;
    DIOPI_TRY(wrap_dim(dim.data[i], view, name, &axis));
    DIOPI_REQUIRE((*mask >> axis & 1) == 0, diopiErrorOccurred, "%s = %s names dimension %d twice", name,
                  Text(dim).c_str(), axis);
    *mask |= 1u << axis;
  }
  if (dim.len <= 0) *mask = (1u << view.ndim()) - 1;
  return diopiSuccess;
}

Dims reduced_shape(const Dims& shape, uint32_t mask, bool keepdim) {
  Dims result;
  for (int i = 0; i < shape.n; ++i) {
    if ((mask >> i & 1) == 0) {
      result.push_back(shape[i]);
    } else if (keepdim) {
      result.push_back(1);
    }
  }
  return result;
}

Status require_reduced_shape(const TensorView& out, const TensorView& input, uint32_t mask) {
  const Dims dropped = reduced_shape(input.shape, mask, false);
  DIOPI_REQUIRE(
      is_vector_for_number(out, dropped) || out.shape == dropped || out.shape == reduced_shape(input.shape, mask, true),
      diopiErrorOccurred,
      "%s has shape %s, expected %s (or the same with the reduced dimensions kept as 1) for %s of shape %s", out.name,
      Text(out.shape).c_str(), Text(dropped).c_str(), input.name, Text(input.shape).c_str());
  return diopiSuccess;
}

void byte_extent(const TensorView& view, const char** low, const char** high) {
  *low = *high = view.data;
  if (view.numel == 0) return;
  int64_t first = 0, last = 0;
  for (int i = 0; i < view.ndim(); ++i) {
    const int64_t reach = (view.shape[i] - 1) * view.stride[i];
    (reach < 0 ? first : last) += reach;
  }
  *low = view.data + first * view.itemsize();
  *high = view.data + (last + 1) * view.itemsize();
}

namespace {

// may_overlap() for views with any strides.
__attribute__((noinline)) bool extents_overlap(const TensorView& a, const TensorView& b) {
  const char *a_low, *a_high, *b_low, *b_high;
  byte_extent(a, &a_low, &a_high);
  byte_extent(b, &b_low, &b_high);
  return a_low < b_high && b_low < a_high;
}

}  // namespace

bool may_overlap(const TensorView& a, const TensorView& b) {
  if (a.numel == 0 || b.numel == 0) return false;
  // No element of a view without negative strides lies before its pointer: the end of the first view decides. The loops
  // end early so that the compiler does not load two strides at once, which would wait for the stores of both.
  const bool a_first = a.data <= b.data;
  const TensorView &first = a_first ? a : b, &second = a_first ? b : a;
  int64_t last = 0;
  for (int i = 0; i < first.ndim(); ++i) {
    if (first.stride[i] < 0) return extents_overlap(a, b);
    last += (first.shape[i] - 1) * first.stride[i];
  }
  for (int i = 0; i < second.ndim(); ++i) {
    if (second.stride[i] < 0) return extents_overlap(a, b);
  }
  return second.data < first.data + (last + 1) * first.itemsize();
}

bool is_same_view(const TensorView& a, const TensorView& b) {
  if (a.data != b.data || a.dtype != b.dtype || a.shape != b.shape) return false;
  for (int i = 0; i < a.ndim(); ++i) {
    if (a.shape[i] != 1 && a.stride[i] != b.stride[i]) return false;
  }
  return true;
}

TensorView real_parts(const TensorView& view) {
  TensorView real = view;
  real.dtype = view.dtype == diopi_dtype_complex128 ? diopi_dtype_float64 : diopi_dtype_float32;
  for (int d = 0; d < view.ndim(); ++d) real.stride[d] *= 2;
  return real;
}

TensorView without_repeats(const TensorView& view) {
  TensorView result = view;
  if (view.numel == 0) return result;
  for (int i = 0; i < view.ndim(); ++i) {
    if (view.stride[i] == 0) result.shape[i] = 1;
  }
  result.numel = result.shape.product();
  return result;
}

Status require_writable(const TensorView& out) {
  for (int i = 0; i < out.ndim(); ++i) {
    DIOPI_REQUIRE(out.shape[i] <= 1 || out.stride[i] != 0 || out.numel == 0, diopiErrorOccurred,
                  "%s of shape %s has stride 0 in dimension %d: several of its elements share one address", out.name,
                  Text(out.shape).c_str(), i);
  }
  return diopiSuccess;
}

}  // namespace diopi
