// Reading and writing through an index tensor along one dimension.
#include <algorithm>
#include <cstring>

#include "common/scalar.hpp"
#include "common/shape.hpp"
#include "cpu/functions/index_offsets.hpp"
#include "cpu/kernels/axis_index.hpp"
#include "cpu/kernels/cast.hpp"
#include "cpu/kernels/copy.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;

namespace {

// A tensor without dimensions counts as one element along one.
TensorView at_least_1d(const TensorView& view) { return view.ndim() == 0 ? view.unsqueeze(0) : view; }

// Where the elements of an index tensor lead on both sides. Dimensions along which the index is expanded (stride 0)
// are slices of the index engine; without any, every element goes its own way.
class PointMap {
 public:
  // Checks every index against the dimension that it addresses.
  Status prepare(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& packed_stride, int dim,
                 const TensorView& index) {
    axis_.shape = index.shape;
    axis_.dim = dim;
    axis_.size = indexed.shape[dim];
    axis_.index = index.data;
    axis_.is_int64 = index.dtype == diopi_dtype_int64;
    axis_.index_stride = index.stride;
    axis_.indexed_stride = indexed.stride;
    axis_.packed_stride = packed_stride;
    // float16 and bfloat16 accumulate in a float copy of whole lines, which few indices into a long one do not repay.
    const bool long_line = diopi::is_reduced_float(indexed.dtype) && axis_.size / 4 - 256 > index.shape[dim];
    bool is_expanded = false;
    for (int d = 0; d < index.ndim(); ++d) is_expanded |= d != dim && index.stride[d] == 0 && index.shape[d] > 1;
    if (is_expanded || long_line) return prepare_slices(ctx, indexed, packed_stride, dim, index);
    const int64_t bad = find_out_of_range(axis_);
    DIOPI_REQUIRE(
        bad < 0, diopiErrorOccurred,
        "index holds %lld at position %lld, which is out of range [0, %lld] for dimension %d of %s of shape %s",
        static_cast<long long>(index_at(axis_, bad)), static_cast<long long>(bad),
        static_cast<long long>(axis_.size - 1), dim, indexed.name, Text(indexed.shape).c_str());
    return diopiSuccess;
  }

  void gather(void* packed, const TensorView& indexed) const {
    if (by_slices_) {
      gather_slices(packed, indexed.data, indexed.itemsize(), map_, slices_);
    } else {
      gather_axis(packed, indexed.data, indexed.itemsize(), axis_);
    }
  }
  void scatter(const TensorView& indexed, const void* packed) const {
    if (by_slices_) {
      scatter_slices(indexed.data, packed, indexed.itemsize(), map_, slices_);
    } else {
      scatter_axis(indexed.data, packed, indexed.itemsize(), axis_);
    }
  }
  Status accumulate(diopiContextHandle_t ctx, Accumulate op, const TensorView& indexed, const void* packed) const {
    return by_slices_ ? accumulate_slices(ctx, op, indexed.dtype, indexed.data, packed, map_, slices_)
                      : accumulate_axis(ctx, op, indexed.dtype, indexed.data, packed, axis_);
  }

 private:
  Status prepare_slices(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& packed_stride, int dim,
                        const TensorView& index) {
    TensorView positions = index;
    Dims indexed_strides, packed_strides;
    positions.shape.n = positions.stride.n = 0;
    for (int d = 0; d < index.ndim(); ++d) {
      if (d != dim && index.stride[d] == 0 && index.shape[d] > 1) {
        slices_.push_back(index.shape[d], indexed.stride[d], packed_stride[d]);
        continue;
      }
      positions.shape.push_back(index.shape[d]);
      positions.stride.push_back(index.stride[d]);
      indexed_strides.push_back(d == dim ? 0 : indexed.stride[d]);
      packed_strides.push_back(packed_stride[d]);
    }
    positions.numel = map_.count = positions.shape.product();
    DIOPI_TRY(table_.reserve(ctx, map_.count));
    enumerate_offsets(table_.data(), positions.shape, indexed_strides);
    map_.table = table_.data();
    const int64_t* values = nullptr;
    DIOPI_TRY(packed_index(ctx, positions, positions.shape, &scratch_, &values));
    const IndexedDim at{&indexed, dim, indexed.shape[dim], indexed.stride[dim], false};
    DIOPI_TRY(add_checked_offsets(table_.data(), values, map_.count, index, at));
    by_slices_ = true;
    return packed_positions(ctx, positions.shape, packed_strides, &packed_, &map_);
  }

  AxisIndex axis_;
  bool by_slices_ = false;
  OffsetTable table_, packed_, scratch_;
  IndexMap map_;
  IndexSlices slices_;
};

// `index` must have the rank of `indexed` and reach no further than it, but along `dim`. An empty index may have any
// shape.
Status check_index(const TensorView& index, const TensorView& indexed, int dim) {
  DIOPI_TRY(require_index_dtype(index));
  if (index.numel == 0) return diopiSuccess;
  bool fits = index.ndim() == indexed.ndim();
  for (int d = 0; fits && d < index.ndim(); ++d) fits = d == dim || index.shape[d] <= indexed.shape[d];
  DIOPI_REQUIRE(fits, diopiErrorOccurred,
                "index of shape %s must have the rank of %s of shape %s and be no larger than it, but in dimension %d",
                Text(index.shape).c_str(), indexed.name, Text(indexed.shape).c_str(), dim);
  return diopiSuccess;
}

enum class Reduce { kReplace, kAdd, kMultiply };

Status read_reduce(const char* name, Reduce* reduce) {
  *reduce = Reduce::kReplace;
  if (name == nullptr || *name == '\0') return diopiSuccess;
  const bool add = std::strcmp(name, "add") == 0;
  DIOPI_REQUIRE(add || std::strcmp(name, "multiply") == 0, diopiErrorOccurred,
                "reduce = '%s', expected 'add', 'multiply' or ''", name);
  *reduce = add ? Reduce::kAdd : Reduce::kMultiply;
  return diopiSuccess;
}

// The values to scatter: a tensor, or one item that stands for all of them.
struct Source {
  TensorView view;
  alignas(16) char item[16];

  Status read(diopiConstTensorHandle_t src, const TensorView& out, const TensorView& index) {
    DIOPI_TRY(diopi::read_tensor(src, "src", &view));
    DIOPI_TRY(diopi::require_dtype(view, out.dtype));
    view = at_least_1d(view);
    if (index.numel == 0) return diopiSuccess;
    bool fits = index.ndim() == view.ndim();
    for (int d = 0; fits && d < index.ndim(); ++d) fits = index.shape[d] <= view.shape[d];
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "index of shape %s must have the rank of src of shape %s and be no larger",
                  Text(index.shape).c_str(), Text(view.shape).c_str());
    return diopiSuccess;
  }

  Status read(const diopiScalar_t* value, const TensorView& out, const TensorView& index) {
    DIOPI_TRY(diopi::require_fits(*value, "value", out.dtype));
    const bool floating = diopi::is_floating(*value);
    const void* bits = floating ? static_cast<const void*>(&value->fval) : &value->ival;
    cast_function(floating ? diopi_dtype_float64 : diopi_dtype_int64, out.dtype)(item, bits, 1);
    view.name = "value";
    view.dtype = out.dtype;
    view.data = item;
    view.shape = index.shape;
    view.stride.n = index.ndim();
    std::fill_n(view.stride.v, index.ndim(), 0);
    return diopiSuccess;
  }
};

// out = input (null in place), then the source is written to, added to or multiplied onto out at index.
template <typename Value>
Status scatter(diopiContextHandle_t ctx, const TensorView& out, const TensorView* input, int64_t dim, Value value,
               diopiConstTensorHandle_t index_handle, const char* reduce_name) {
  TensorView index;
  Source source;
  PointMap points;
  Reduce reduce;
  int axis = 0;
  const TensorView to = at_least_1d(out);
  DIOPI_TRY(diopi::read_tensor(index_handle, "index", &index));
  index = at_least_1d(index);
  DIOPI_TRY(require_storage(out));
  DIOPI_TRY(read_reduce(reduce_name, &reduce));
  DIOPI_TRY(diopi::wrap_dim(dim, to, "dim", &axis));
  DIOPI_TRY(check_index(index, to, axis));
  DIOPI_TRY(source.read(value, to, index));
  DIOPI_TRY(diopi::require_writable(out));
  if (index.numel != 0) {
    DIOPI_TRY(read_apart(ctx, to, &source.view));
    DIOPI_TRY(read_apart(ctx, to, &index));
    DIOPI_TRY(points.prepare(ctx, to, source.view.stride, axis, index));
  }
  if (input != nullptr) DIOPI_TRY(copy_tensor(ctx, out, *input));
  if (index.numel == 0) return diopiSuccess;
  if (reduce == Reduce::kReplace) {
    points.scatter(to, source.view.data);
    return diopiSuccess;
  }
  return points.accumulate(ctx, reduce == Reduce::kAdd ? Accumulate::kAdd : Accumulate::kMultiply, to,
                           source.view.data);
}

template <typename Value>
Status scatter_out(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim,
                   Value value, diopiConstTensorHandle_t index, const char* reduce) {
  TensorView to, from;
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::require_dtype(to, from.dtype));
  DIOPI_TRY(diopi::require_same_shape(to, from));
  return scatter(ctx, to, &from, dim, value, index, reduce);
}

}  // namespace

diopiError_t diopiGather(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim,
                         diopiConstTensorHandle_t index) {
  TensorView from, to, positions;
  PointMap points;
  int axis = 0;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(index, "index", &positions));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(diopi::require_dtype(to, from.dtype));
  DIOPI_TRY(diopi::require_same_shape(to, positions));
  DIOPI_TRY(diopi::require_writable(to));
  from = at_least_1d(from);
  to = at_least_1d(to);
  positions = at_least_1d(positions);
  DIOPI_TRY(diopi::wrap_dim(dim, from, "dim", &axis));
  DIOPI_TRY(check_index(positions, from, axis));
  if (positions.numel == 0) return diopiSuccess;
  DIOPI_TRY(read_apart(ctx, to, &from));
  DIOPI_TRY(read_apart(ctx, to, &positions));
  DIOPI_TRY(points.prepare(ctx, from, to.stride, axis, positions));
  points.gather(to.data, from);
  return diopiSuccess;
}

diopiError_t diopiGatherBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input, int64_t dim,
                                 diopiConstTensorHandle_t index) {
  TensorView to, grad, like, positions;
  PointMap points;
  int axis = 0;
  DIOPI_TRY(diopi::read_tensor(grad_input, "grad_input", &to));
  DIOPI_TRY(diopi::read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(diopi::read_tensor(input, "input", &like));
  DIOPI_TRY(diopi::read_tensor(index, "index", &positions));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(diopi::require_same_shape(to, like));
  DIOPI_TRY(diopi::require_dtype(grad, to.dtype));
  DIOPI_TRY(diopi::require_same_shape(grad, positions));
  DIOPI_TRY(diopi::require_writable(to));
  const TensorView target = at_least_1d(to);
  grad = at_least_1d(grad);
  positions = at_least_1d(positions);
  DIOPI_TRY(diopi::wrap_dim(dim, target, "dim", &axis));
  DIOPI_TRY(check_index(positions, target, axis));
  if (positions.numel != 0) {
    DIOPI_TRY(read_apart(ctx, to, &grad));
    DIOPI_TRY(read_apart(ctx, to, &positions));
    DIOPI_TRY(points.prepare(ctx, target, grad.stride, axis, positions));
  }
  fill_zero(to);
  if (positions.numel == 0) return diopiSuccess;
  return points.accumulate(ctx, Accumulate::kAdd, target, grad.data);
}

diopiError_t diopiScatterInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                             diopiConstTensorHandle_t src, diopiConstTensorHandle_t index, const char* reduce) {
  TensorView to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &to));
  return scatter(ctx, to, nullptr, dim, src, index, reduce);
}

diopiError_t diopiScatterInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                                   const diopiScalar_t* value, diopiConstTensorHandle_t index, const char* reduce) {
  TensorView to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &to));
  return scatter(ctx, to, nullptr, dim, value, index, reduce);
}

diopiError_t diopiScatter(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          int64_t dim, diopiConstTensorHandle_t src, diopiConstTensorHandle_t index,
                          const char* reduce) {
  return scatter_out(ctx, out, input, dim, src, index, reduce);
}

diopiError_t diopiScatterScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                int64_t dim, const diopiScalar_t* value, diopiConstTensorHandle_t index,
                                const char* reduce) {
  return scatter_out(ctx, out, input, dim, value, index, reduce);
}

}  // namespace impl::cpu
