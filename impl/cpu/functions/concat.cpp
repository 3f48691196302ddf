// SPDX-License-Identifier: BSD-3-Clause
// Joins tensors along a dimension, and splits a tensor.
#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/view_list.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;
using diopi::ViewList;

namespace {

// Reads one element of a list. Messages name it.
Status read_entry(diopiConstTensorHandle_t handle, const char* list, int64_t i, TensorView* view) {
  DIOPI_REQUIRE(handle != nullptr, diopiErrorOccurred, "%s[%lld] is null", list, static_cast<long long>(i));
  DIOPI_TRY(diopi::read_tensor(handle, list, view));
  return require_storage(*view);
}

// As in PyTorch, a one-dimensional empty tensor can be joined with any other.
bool is_nothing(const TensorView& view) { return view.ndim() == 1 && view.shape[0] == 0; }

struct Inputs {
  ViewList views;
  int64_t count = 0;

  Status read(diopiContextHandle_t ctx, const diopiConstTensorHandle_t* handles, int64_t n) {
    count = n;
    DIOPI_TRY(views.reserve(ctx, n));
    for (int64_t i = 0; i < n; ++i) DIOPI_TRY(read_entry(handles[i], "tensors", i, &views[i]));
    return diopiSuccess;
  }
};

// Checks that all inputs fit into `out` one after another along `dim`. `overlap` tells whether one of them shares
// memory with it.
Status check_inputs(const Inputs& inputs, const TensorView& out, int dim, bool* overlap) {
  int64_t total = 0;
  bool any = false;  // a tensor with the dimensions of out
  *overlap = false;
  for (int64_t i = 0; i < inputs.count; ++i) {
    const TensorView& view = inputs.views[i];
    DIOPI_REQUIRE(diopi::can_cast(view.dtype, out.dtype), diopiDtypeNotSupported,
                  "tensors[%lld] has dtype %s, which cannot be stored in out of dtype %s", static_cast<long long>(i),
                  diopi::dtype_name(view.dtype), diopi::dtype_name(out.dtype));
    if (is_nothing(view)) continue;
    any = true;
    bool fits = view.ndim() == out.ndim();
    for (int d = 0; fits && d < out.ndim(); ++d) fits = d == dim || view.shape[d] == out.shape[d];
    DIOPI_REQUIRE(fits, diopiErrorOccurred,
                  "tensors[%lld] has shape %s, which does not match out of shape %s outside of dimension %d",
                  static_cast<long long>(i), Text(view.shape).c_str(), Text(out.shape).c_str(), dim);
    DIOPI_REQUIRE(diopi::add_sizes(total, view.shape[dim], &total), diopiErrorOccurred,
                  "tensors have more than 2^63 entries in dimension %d together", dim);
    *overlap = *overlap || diopi::may_overlap(view, out);
  }
  DIOPI_REQUIRE(any || is_nothing(out), diopiErrorOccurred,
                "out has shape %s, expected [0] for tensors of shape [0] alone", Text(out.shape).c_str());
  const int64_t room = out.shape[dim];
  DIOPI_REQUIRE(total == room, diopiErrorOccurred,
                "out has shape %s, but the tensors have %lld entries in dimension %d together", Text(out.shape).c_str(),
                static_cast<long long>(total), dim);
  return diopi::require_writable(out);
}

Status join(diopiContextHandle_t ctx, const Inputs& inputs, const TensorView& out, int dim) {
  bool overlap = false;
  DIOPI_TRY(check_inputs(inputs, out, dim, &overlap));
  TensorView target = out;
  if (overlap) {
    void* memory = nullptr;
    DIOPI_TRY(diopi::Workspace(ctx).take_items(out.numel, out.itemsize(), &memory));
    target.data = static_cast<char*>(memory);
    target.stride = diopi::contiguous_strides(out.shape);
  }
  int64_t begin = 0;
  for (int64_t i = 0; i < inputs.count; ++i) {
    const TensorView& view = inputs.views[i];
    if (is_nothing(view)) continue;
    copy_view(target.narrow(dim, begin, view.shape[dim]), view);
    begin += view.shape[dim];
  }
  if (overlap) copy_view(out, target);
  return diopiSuccess;
}

// The sizes of the parts of `from` must make up its extent along `axis`.
Status check_sizes(const diopiSize_t& sizes, const TensorView& from, int axis) {
  int64_t total = 0;
  for (int64_t i = 0; i < sizes.len; ++i) {
    DIOPI_REQUIRE(sizes.data[i] >= 0, diopiErrorOccurred, "splitSizes[%lld] = %lld is negative",
                  static_cast<long long>(i), static_cast<long long>(sizes.data[i]));
    DIOPI_REQUIRE(diopi::add_sizes(total, sizes.data[i], &total), diopiErrorOccurred,
                  "splitSizes = %s add up to more than 2^63", Text(sizes).c_str());
  }
  DIOPI_REQUIRE(total == from.shape[axis], diopiErrorOccurred,
                "splitSizes add up to %lld, expected %lld, the extent of dimension %d of input of shape %s",
                static_cast<long long>(total), static_cast<long long>(from.shape[axis]), axis,
                Text(from.shape).c_str());
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiCat(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t* tensors,
                      int64_t num_inputs, int64_t dim) {
  TensorView to;
  int axis = 0;
  DIOPI_TRY(read_entry(out, "out", 0, &to));
  DIOPI_REQUIRE(num_inputs > 0, diopiErrorOccurred, "num_inputs = %lld, expected at least one tensor",
                static_cast<long long>(num_inputs));
  DIOPI_REQUIRE(to.ndim() > 0, diopiErrorOccurred, "out has no dimension to join along");
  DIOPI_TRY(diopi::wrap_dim(dim, to, "dim", &axis));
  Inputs inputs;
  DIOPI_TRY(inputs.read(ctx, tensors, num_inputs));
  return join(ctx, inputs, to, axis);
}

diopiError_t diopiStack(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t* tensors,
                        int64_t numTensors, int64_t dim) {
  TensorView to;
  Inputs inputs;
  int axis = 0;
  DIOPI_TRY(read_entry(out, "out", 0, &to));
  DIOPI_REQUIRE(numTensors > 0, diopiErrorOccurred, "numTensors = %lld, expected at least one tensor",
                static_cast<long long>(numTensors));
  DIOPI_TRY(inputs.read(ctx, tensors, numTensors));
  const TensorView first = inputs.views[0];
  DIOPI_REQUIRE(to.ndim() == first.ndim() + 1, diopiErrorOccurred,
                "out has shape %s, expected one dimension more than tensors[0] of shape %s", Text(to.shape).c_str(),
                Text(first.shape).c_str());
  DIOPI_TRY(diopi::wrap_dim(dim, to, "dim", &axis));
  for (int64_t i = 0; i < numTensors; ++i) {
    TensorView& view = inputs.views[i];
    DIOPI_REQUIRE(view.shape == first.shape, diopiErrorOccurred,
                  "tensors[%lld] has shape %s, expected %s, the shape of tensors[0]", static_cast<long long>(i),
                  Text(view.shape).c_str(), Text(first.shape).c_str());
    view = view.unsqueeze(axis);
  }
  return join(ctx, inputs, to, axis);
}

diopiError_t diopiSplitWithSizes(diopiContextHandle_t ctx, diopiTensorHandle_t* outs, int64_t num_outs,
                                 diopiConstTensorHandle_t input, const diopiSize_t splitSizes, int64_t dim) {
  TensorView from;
  int axis = 0;
  DIOPI_TRY(read_entry(input, "input", 0, &from));
  DIOPI_REQUIRE(from.ndim() > 0, diopiErrorOccurred, "input has no dimension to split");
  DIOPI_TRY(diopi::wrap_dim(dim, from, "dim", &axis));
  DIOPI_REQUIRE(splitSizes.len == num_outs, diopiErrorOccurred, "splitSizes has %lld entries for %lld outputs",
                static_cast<long long>(splitSizes.len), static_cast<long long>(num_outs));
  DIOPI_TRY(check_sizes(splitSizes, from, axis));
  bool overlap = false;
  ViewList to;
  DIOPI_TRY(to.reserve(ctx, num_outs));
  for (int64_t i = 0; i < num_outs; ++i) {
    TensorView& out = to[i];
    DIOPI_TRY(read_entry(outs[i], "outs", i, &out));
    Dims expected = from.shape;
    expected[axis] = splitSizes.data[i];
    DIOPI_REQUIRE(out.shape == expected, diopiErrorOccurred, "outs[%lld] has shape %s, expected %s",
                  static_cast<long long>(i), Text(out.shape).c_str(), Text(expected).c_str());
    DIOPI_TRY(diopi::require_castable(from.dtype, out));
    DIOPI_TRY(diopi::require_writable(out));
    overlap = overlap || diopi::may_overlap(out, from);
  }
  TensorView source = from;
  if (overlap) DIOPI_TRY(packed_copy(ctx, from, &source));
  int64_t begin = 0;
  for (int64_t i = 0; i < num_outs; ++i) {
    copy_view(to[i], source.narrow(axis, begin, splitSizes.data[i]));
    begin += splitSizes.data[i];
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
