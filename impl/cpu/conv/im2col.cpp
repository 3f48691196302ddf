// SPDX-License-Identifier: BSD-3-Clause
// Convolutions as matrix products, one image at a time, for every dtype that has matrix products.
//
// The patches of an image are a strided view of its padded copy: dimensions for kernel positions and dimensions for
// output positions step through the same memory. The copy engine writes them as a packed matrix.
#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/conv/conv.hpp"
#include "impl/cpu/conv/image_sum.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/matmul/matmul.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

int64_t extent(const TensorView& view, int first) {
  int64_t result = 1;
  for (int dim = first; dim < view.ndim(); ++dim) result *= view.shape[dim];
  return result;
}

// Allocates one image [C, spatial...] with a border of zeros; `interior` is the image without the border.
Status make_padded(const ConvProblem& p, TensorView* padded, TensorView* interior) {
  TensorView image = p.src.select(0, 0);
  Dims shape = image.shape;
  for (int i = 0; i < p.geometry.spatial; ++i) shape[i + 1] += 2 * p.geometry.padding[i];
  DIOPI_TRY(make_temporary(p.ctx, shape, image.dtype, padded));
  fill_zero(*padded);
  *interior = *padded;
  for (int i = 0; i < p.geometry.spatial; ++i) {
    *interior = interior->narrow(i + 1, p.geometry.padding[i], image.shape[i + 1]);
  }
  return diopiSuccess;
}

// The patches of an image with border, as a view [groups, C / groups, kernel..., output...].
TensorView patches(const ConvProblem& p, const TensorView& padded) {
  const ConvGeometry& g = p.geometry;
  TensorView view = padded;
  view.shape.n = view.stride.n = 0;
  const auto add = [&](int64_t length, int64_t stride) {
    view.shape.push_back(length);
    view.stride.push_back(stride);
  };
  const int64_t channels = p.weight.shape[1];
  add(g.groups, padded.stride[0] * channels);
  add(channels, padded.stride[0]);
  for (int i = 0; i < g.spatial; ++i) add(p.weight.shape[i + 2], padded.stride[i + 1] * g.dilation[i]);
  for (int i = 0; i < g.spatial; ++i) add(p.dst.shape[i + 2], padded.stride[i + 1] * g.stride[i]);
  view.numel = view.shape.product();
  return view;
}

// Splits the first dimension: [O, ...] becomes [groups, O / groups, ...].
TensorView by_group(const TensorView& view, int64_t groups) {
  TensorView result = view.unsqueeze(0);
  result.shape[0] = groups;
  result.shape[1] = view.shape[0] / groups;
  result.stride[0] = view.stride[0] * result.shape[1];
  return result;
}

// Merges dimension `first` and all later dimensions into one. The view must be packed there.
TensorView flattened(const TensorView& view, int first) {
  TensorView result = view;
  result.shape[first] = extent(view, first);
  result.stride[first] = 1;
  result.shape.n = result.stride.n = first + 1;
  return result;
}

// Calls `image(n)` for each image n from `first` on. All calls use the temporaries of the first call, which are
// allocated before it writes.
template <typename F>
Status for_each_image(const ConvProblem& p, int64_t first, const F& image) {
  const int64_t images = p.src.shape[0];
  if (first >= images) return diopiSuccess;
  diopi::StepMemory memory;
  DIOPI_TRY(memory.reserve([&] { return image(first); }));
  for (int64_t n = first; n < images && !diopi::in_dry_run(); ++n) {
    DIOPI_TRY(memory.run([&] { return image(n); }));
  }
  return diopiSuccess;
}

// The patches of one image, or their gradient, as a packed matrix for each group.
struct Columns {
  TensorView whole;   // [groups, C / groups, kernel..., output...]
  TensorView matrix;  // [groups, C / groups * kernel, output]
};

Status make_columns(const ConvProblem& p, const TensorView& like, Columns* columns) {
  DIOPI_TRY(make_temporary(p.ctx, like.shape, like.dtype, &columns->whole));
  TensorView matrix = columns->whole;
  const int64_t rows = extent(p.weight, 1), cols = extent(p.dst, 2);
  matrix.shape.n = matrix.stride.n = 0;
  for (const int64_t length : {p.geometry.groups, rows, cols}) matrix.shape.push_back(length);
  matrix.stride = diopi::contiguous_strides(matrix.shape);
  columns->matrix = matrix;
  return diopiSuccess;
}

template <typename T>
void add_block(void* const* out, const void* const* in, int64_t n, const void*) {
  T* dst = static_cast<T*>(out[0]);
  const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
  for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<T>(a[i] + b[i]);
}

// image += the gradients of its patches. Kernel positions are added one after another.
Status add_patches(diopiContextHandle_t ctx, const ConvProblem& p, const TensorView& image, const TensorView& grads) {
  using Types = diopi::TypeList<int64_t, float, double, diopi::complex64, diopi::complex128>;
  return diopi::visit_dtype<Types>(image.dtype, [&](auto tag) -> Status {
    using T = diopi::unsigned_of<decltype(tag)>;
    const int64_t positions = extent(p.weight, 2);
    for (int64_t position = 0; position < positions; ++position) {
      TensorView target = image, source = grads;
      int64_t rest = position;
      for (int i = p.geometry.spatial - 1; i >= 0; --i) {
        target = target.select(2 + i, rest % p.weight.shape[i + 2]);
        source = source.select(2 + i, rest % p.weight.shape[i + 2]);
        rest /= p.weight.shape[i + 2];
      }
      const TensorView inputs[] = {target, source};
      DIOPI_TRY(run_elementwise(ctx, uniform_kernel(add_block<T>, image.dtype, 2), &target, inputs));
    }
    return diopiSuccess;
  });
}

// `result` is `view` itself if it is packed, otherwise a packed copy.
Status packed(diopiContextHandle_t ctx, const TensorView& view, TensorView* result) {
  *result = view;
  if (view.is_contiguous()) {
    result->stride = diopi::contiguous_strides(view.shape);
    return diopiSuccess;
  }
  return packed_copy(ctx, view, result);
}

struct Operands {
  TensorView weight;  // [groups, O / groups, C / groups * kernel]
  TensorView padded, interior, patches;
  Columns columns;
};

Status prepare(const ConvProblem& p, Operands* o) {
  DIOPI_TRY(make_padded(p, &o->padded, &o->interior));
  o->patches = patches(p, o->padded);
  DIOPI_TRY(make_columns(p, o->patches, &o->columns));
  if (p.kind == ConvKind::kBackwardWeights) return diopiSuccess;
  DIOPI_TRY(packed(p.ctx, p.weight, &o->weight));
  o->weight = flattened(by_group(o->weight, p.geometry.groups), 2);
  return diopiSuccess;
}

// Copies the patches of image n to the matrix.
void load_columns(const ConvProblem& p, const Operands& o, int64_t n) {
  const TensorView image = p.src.select(0, n);
  copy_view(o.interior, image);
  copy_view(o.columns.whole, o.patches);
}

Status forward(const ConvProblem& p, const Operands& o) {
  MatmulOptions options;
  options.conj_a = p.transposed;
  TensorView bias, result;
  DIOPI_TRY(make_temporary(p.ctx, p.dst.select(0, 0).shape, p.dst.dtype, &result));
  if (p.bias != nullptr) {
    bias = by_group(*p.bias, p.geometry.groups);
    bias = bias.unsqueeze(bias.ndim());
    options.c = &bias;
  }
  return for_each_image(p, 0, [&](int64_t n) -> Status {
    const TensorView out = p.dst.select(0, n);
    TensorView target = out.is_contiguous() ? out : result;
    target.stride = diopi::contiguous_strides(target.shape);
    load_columns(p, o, n);
    const TensorView product = flattened(by_group(target, p.geometry.groups), 2);
    DIOPI_TRY(run_matmul(p.ctx, product, o.weight, o.columns.matrix, options));
    if (!out.is_contiguous()) copy_view(out, result);
    return diopiSuccess;
  });
}

// Equal terms are rounded in one direction: n of them, added one after another, cost up to n/4 ULP of the sum. The
// terms of a gradient of the data are equal where channels are, so those of float64 are added in runs. Complex products
// always are, and float32 has its own implementations.
constexpr int64_t kTermsTogether = 16;

Status backward_data(const ConvProblem& p, const Operands& o) {
  return for_each_image(p, 0, [&](int64_t n) -> Status {
    TensorView grad;
    DIOPI_TRY(packed(p.ctx, p.dst.select(0, n), &grad));
    MatmulOptions options;
    options.conj_a = !p.transposed;
    if (grad.dtype == diopi_dtype_float64) options.run = kTermsTogether;
    const TensorView columns = flattened(by_group(grad, p.geometry.groups), 2);
    DIOPI_TRY(run_matmul(p.ctx, o.columns.matrix, o.weight.transposed(1, 2), columns, options));
    fill_zero(o.padded);
    DIOPI_TRY(add_patches(p.ctx, p, o.patches, o.columns.whole));
    copy_view(p.src.select(0, n), o.interior);
    return diopiSuccess;
  });
}

Status backward_weights(const ConvProblem& p, const Operands& o) {
  TensorView whole;
  DIOPI_TRY(make_temporary(p.ctx, p.weight.shape, p.weight.dtype, &whole));
  const auto add_image = [&](int64_t n, const TensorView& sum, bool accumulate) -> Status {
    const TensorView matrix = flattened(by_group(sum, p.geometry.groups), 2);
    TensorView grad;
    DIOPI_TRY(packed(p.ctx, p.dst.select(0, n), &grad));
    load_columns(p, o, n);
    MatmulOptions options;
    (p.transposed ? options.conj_a : options.conj_b) = true;
    if (accumulate) options.c = &matrix;
    const TensorView rows = flattened(by_group(grad, p.geometry.groups), 2);
    return run_matmul(p.ctx, matrix, rows, o.columns.matrix.transposed(1, 2), options);
  };
  DIOPI_TRY(sum_images(p.ctx, {p.src.shape[0], extent(p.dst, 2)}, whole, add_image));
  copy_view(p.weight, whole);
  return diopiSuccess;
}

Status run(const ConvProblem& p) {
  Operands operands;
  DIOPI_TRY(prepare(p, &operands));
  switch (p.kind) {
    case ConvKind::kForward:
      return forward(p, operands);
    case ConvKind::kBackwardData:
      return backward_data(p, operands);
    default:
      return backward_weights(p, operands);
  }
}

// A bfloat16 gradient of the weights is summed over several products, so the whole problem is computed in float32.
Status run_wide(const ConvProblem& problem) {
  ConvProblem p = problem;
  TensorView bias;
  TensorView* views[] = {&p.src, &p.weight, &p.dst};
  for (TensorView* view : views) {
    TensorView copy;
    DIOPI_TRY(make_temporary(p.ctx, view->shape, diopi_dtype_float32, &copy));
    if (view != &p.result()) copy_view(copy, *view);
    *view = copy;
  }
  if (p.bias != nullptr) {
    DIOPI_TRY(make_temporary(p.ctx, p.bias->shape, diopi_dtype_float32, &bias));
    copy_view(bias, *p.bias);
    p.bias = &bias;
  }
  DIOPI_TRY(run(p));
  copy_view(problem.result(), p.result());
  return diopiSuccess;
}

}  // namespace

SkipReason conv_im2col(const ConvProblem& problem, Status* status) {
  *status = diopi::is_reduced_float(problem.src.dtype) ? run_wide(problem) : run(problem);
  return nullptr;
}

}  // namespace impl::cpu
