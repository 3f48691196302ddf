// SPDX-License-Identifier: BSD-3-Clause
// Selects elements by a mask, and finds the elements that are not zero.
#include "impl/common/allocate.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/index_offsets.hpp"
#include "impl/cpu/tensor/nonzero.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

namespace {

// The packed bytes of a mask, expanded to a shape, with the number of true elements before each chunk.
struct PackedMask {
  const uint8_t* bytes = nullptr;
  OffsetTable starts;
  int64_t selected = 0;
  Dims shape;

  // Accepts any dtype: an element is true if it is not zero.
  Status prepare(diopiContextHandle_t ctx, const TensorView& view, const Dims& target) {
    shape = target;
    const bool is_packed = view.shape.product() == target.product() && view.is_contiguous() &&
                           (view.dtype == diopi_dtype_bool || view.dtype == diopi_dtype_uint8);
    const int64_t n = target.product();
    bytes = view.ptr<const uint8_t>();
    if (!is_packed) {
      TensorView packed = view;
      DIOPI_TRY(diopi::Workspace(ctx).take(n, &packed.data));
      packed.dtype = diopi_dtype_bool;
      packed.shape = target;
      packed.stride = diopi::contiguous_strides(target);
      packed.numel = n;
      copy_view(packed, view);
      bytes = packed.ptr<const uint8_t>();
    }
    DIOPI_TRY(starts.reserve(ctx, mask_chunks(n) + 1));
    selected = count_mask(bytes, n, starts.data());
    return diopiSuccess;
  }

  // Lists the offsets of the true elements in a tensor of the mask's shape.
  Status offsets(diopiContextHandle_t ctx, const Dims& stride, OffsetTable* table, IndexMap* map) {
    DIOPI_TRY(table->reserve(ctx, selected));
    mask_offsets(bytes, shape, stride, starts.data(), table->data());
    map->count = selected;
    map->table = table->data();
    return diopiSuccess;
  }
};

Status require_mask(const TensorView& mask) {
  DIOPI_REQUIRE(mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8, diopiDtypeNotSupported,
                "%s has dtype %s, expected bool or uint8", mask.name, diopi::dtype_name(mask.dtype));
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input) {
  TensorView from, to;
  PackedMask mask;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(mask.prepare(ctx, from, from.shape));
  Dims shape;
  shape.push_back(mask.selected);
  shape.push_back(from.ndim());
  DIOPI_TRY(diopi::allocate_output(ctx, "out", shape, nullptr, diopi_dtype_int64, out, &to));
  if (to.numel != 0) {
    mask_coordinates(mask.bytes, mask.shape, mask.starts.data(), to.ptr<int64_t>(), to.stride[0], to.stride[1]);
  }
  return diopiSuccess;
}

diopiError_t diopiMaskedSelect(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t mask) {
  TensorView from, chosen, to;
  PackedMask packed;
  OffsetTable table;
  IndexMap map;
  Dims shape, length;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(mask, "mask", &chosen));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(require_mask(chosen));
  DIOPI_TRY(diopi::broadcast_shapes(from, chosen, &shape));
  DIOPI_TRY(packed.prepare(ctx, chosen, shape));
  DIOPI_TRY(packed.offsets(ctx, from.expand(shape).stride, &table, &map));
  length.push_back(packed.selected);
  DIOPI_TRY(diopi::allocate_output(ctx, "out", length, nullptr, from.dtype, out, &to));
  map.packed_step = to.stride[0];
  gather_slices(to.data, from.data, from.itemsize(), map, {});
  return diopiSuccess;
}

diopiError_t diopiMaskedSelectBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                       diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                       diopiConstTensorHandle_t mask) {
  TensorView to, grad, like, chosen;
  PackedMask packed;
  OffsetTable table;
  IndexMap map;
  Dims shape, length;
  DIOPI_TRY(diopi::read_tensor(grad_input, "grad_input", &to));
  DIOPI_TRY(diopi::read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(diopi::read_tensor(input, "input", &like));
  DIOPI_TRY(diopi::read_tensor(mask, "mask", &chosen));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(diopi::require_same_dtype(grad, to));
  DIOPI_TRY(require_mask(chosen));
  DIOPI_TRY(diopi::require_result_shape(&to, like));
  DIOPI_TRY(diopi::broadcast_shapes(to, chosen, &shape));
  DIOPI_TRY(diopi::require_writable(to));
  DIOPI_TRY(packed.prepare(ctx, chosen, shape));
  length.push_back(packed.selected);
  DIOPI_TRY(diopi::require_shape(grad, length));
  DIOPI_TRY(packed.offsets(ctx, to.expand(shape).stride, &table, &map));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &grad));
  map.packed_step = grad.stride[0];
  if (shape.product() == to.numel) {
    fill_zero(to);
    scatter_slices(to.data, grad.data, to.itemsize(), map, {});
    return diopiSuccess;
  }
  const auto clear = [&]() -> Status {
    fill_zero(to);
    return diopiSuccess;
  };
  // If the mask is broadcast, an element of the input gets several gradients.
  return diopi::run_steps(
      clear, [&] { return accumulate_slices(ctx, Accumulate::kAdd, to.dtype, to.data, grad.data, map, {}); });
}

}  // namespace impl::cpu
