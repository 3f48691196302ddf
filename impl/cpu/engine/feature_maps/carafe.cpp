// SPDX-License-Identifier: BSD-3-Clause
// Reassembly of features by masks, and its gradients: the operands as the kernels read them.
#include "impl/cpu/feature_maps/carafe.hpp"

#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {
namespace {

// A packed view as [N, H, W, C], seen as [N, C, H, W].
TensorView as_channels_last(const TensorView& packed, const Dims& shape) {
  TensorView view = packed;
  view.shape.n = 0;
  for (const int dim : {0, 2, 3, 1}) view.shape.push_back(shape[dim]);
  view.stride = diopi::contiguous_strides(view.shape);
  return view.transposed(2, 3).transposed(1, 2);
}

// Packs rows and copies them with each element `repeat` times, between margins.
Status widen(diopiContextHandle_t ctx, const TensorView& view, const CarafeCall& call, int64_t repeat,
             diopiDtype_t dtype, const void** rows) {
  TensorView packed;
  void* out = nullptr;
  DIOPI_TRY(arrange_input(ctx, view, nullptr, false, dtype, &packed));
  const int64_t width = view.shape[3], margin = call.margin();
  const int64_t count = view.shape[0] * view.shape[1] * view.shape[2];
  Dims widened;
  widened.push_back(count);
  widened.push_back(call.pitch());
  int64_t elements = 0;
  DIOPI_REQUIRE(!__builtin_add_overflow(widened.product(), kCarafeSlack, &elements), diopiErrorOccurred,
                "%s with its margins is too large", view.name);
  DIOPI_TRY(diopi::Workspace(ctx).take_items(elements, diopi::dtype_size(dtype), &out));
  const WidenRowsFn kernel = widen_rows_kernel(dtype);
  const void* in = packed.data;
  diopi::parallel_for(count, diopi::Picoseconds{call.pitch() * 200},
                      [=](int64_t begin, int64_t end) { kernel(in, out, width, repeat, margin, begin, end); });
  *rows = out;
  return diopiSuccess;
}

struct Operands {
  CarafeCall call;
  TensorView masks;
  diopiDtype_t dtype = diopi_dtype_unsupported;

  // The time of one row of the output, all channels.
  int64_t row_cost() const { return call.channels * call.kernel * call.kernel * call.out_width() * 80; }
};

// `shape` is that of the features.
Status prepare(diopiContextHandle_t ctx, const CarafeSetup& setup, const TensorView& features, const Dims& shape,
               const TensorView& masks, Operands* o) {
  o->dtype = diopi::compute_dtype(masks.dtype);
  CarafeCall& call = o->call;
  call.images = shape[0];
  call.channels = shape[1];
  call.height = shape[2];
  call.width = shape[3];
  call.kernel = setup.kernel;
  call.groups = setup.groups;
  call.scale = setup.scale;
  TensorView source = features;
  if (setup.packed_last) {
    DIOPI_TRY(arrange_input(ctx, features, nullptr, false, features.dtype, &source));
    source = as_channels_last(source, shape);
  }
  DIOPI_TRY(widen(ctx, source, call, call.scale, o->dtype, &call.features));
  DIOPI_TRY(arrange_input(ctx, masks, nullptr, false, o->dtype, &o->masks));
  call.masks = o->masks.data;
  return diopiSuccess;
}

void compute_rows(const CarafeCall& c, CarafeFn kernel, const TensorView& out, int64_t rows, int64_t cost) {
  const CarafeCall* call = &c;
  void* to = out.data;
  diopi::parallel_for(rows, diopi::Picoseconds{cost},
                      [=](int64_t begin, int64_t end) { kernel(*call, to, begin, end); });
}

}  // namespace

Status reassemble(diopiContextHandle_t ctx, const CarafeSetup& setup, const TensorView& output,
                  const TensorView& features, const TensorView& masks, const TensorView* packed) {
  TensorView last, out;
  if (packed != nullptr) DIOPI_TRY(arrange(ctx, *packed, false, features.dtype, false, &last));
  Operands o;
  if (output.numel > 0) {
    DIOPI_TRY(prepare(ctx, setup, features, features.shape, masks, &o));
    DIOPI_TRY(arrange(ctx, output, false, o.dtype, false, &out));
    const CarafeCall& call = o.call;
    compute_rows(call, carafe_kernel(o.dtype), out, call.images * call.out_height(), o.row_cost());
    put_back(output, out);
  }
  if (packed != nullptr && packed->numel > 0) {
    copy_view(as_channels_last(last, features.shape), features);
    put_back(*packed, last);
  }
  return diopiSuccess;
}

Status reassemble_backward(diopiContextHandle_t ctx, const CarafeSetup& setup, const TensorView& grad_features,
                           const TensorView& grad_masks, const TensorView& grad_output, const TensorView& features,
                           const TensorView& masks) {
  if (masks.numel == 0) return diopiSuccess;
  Operands o;
  TensorView to_features, to_masks;
  CarafeCall& call = o.call;
  DIOPI_TRY(prepare(ctx, setup, features, grad_features.shape, masks, &o));
  DIOPI_TRY(widen(ctx, grad_output, call, 1, o.dtype, &call.grad));
  DIOPI_TRY(arrange(ctx, grad_features, false, o.dtype, false, &to_features));
  DIOPI_TRY(arrange(ctx, grad_masks, false, o.dtype, false, &to_masks));
  compute_rows(call, carafe_mask_gradient_kernel(o.dtype), to_masks, call.images * call.out_height(), o.row_cost());
  compute_rows(call, carafe_feature_gradient_kernel(o.dtype), to_features, call.images * call.height,
               call.scale * o.row_cost());
  put_back(grad_features, to_features);
  put_back(grad_masks, to_masks);
  return diopiSuccess;
}

}  // namespace impl::cpu
