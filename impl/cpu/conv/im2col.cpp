// SPDX-License-Identifier: BSD-3-Clause
// Convolutions as matrix products, one image at a time, for every dtype that has matrix products.
//
// The patches of an image are a strided view of its padded copy: dimensions for kernel positions and dimensions for
// output positions step through the same memory. The copy engine writes them as a packed matrix.
#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cpu/conv/conv.hpp"
#include "impl/cpu/conv/image_sum.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/step_threads.hpp"
#include "impl/cpu/im2col/blocks.hpp"
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

// The patches of an image with its border, as a view [groups, C / groups, kernel..., output...].
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

// image = the sums of the gradients of its patches, which are packed.
Status add_patches(const ConvProblem& p, const TensorView& image, const TensorView& grads) {
  BlockArgs args;
  args.image = image.data;
  args.columns = grads.data;
  args.images = 1;
  args.channels = image.shape[0];
  args.channel_stride = image.stride[0];
  diopi::Window* const windows[] = {&args.planes, &args.rows, &args.cols};
  int64_t* const strides[] = {&args.plane_stride, &args.row_stride, &args.column_stride};
  const ConvGeometry& g = p.geometry;
  for (int i = 0, k = kMaxSpatial - g.spatial; i < g.spatial; ++i, ++k) {
    *windows[k] = {image.shape[i + 1], p.dst.shape[i + 2], p.weight.shape[i + 2],
                   g.stride[i],        g.padding[i],       g.dilation[i]};
    *strides[k] = image.stride[i + 1];
  }
  if (diopi::in_dry_run()) return diopiSuccess;
  DIOPI_REQUIRE(add_blocks(image.dtype, args), diopiDtypeNotSupported, "a convolution of dtype %s",
                diopi::dtype_name(image.dtype));
  return diopiSuccess;
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

// The weight as a packed matrix for each group: [groups, O / groups, C / groups * kernel].
Status weight_matrix(const ConvProblem& p, TensorView* matrix) {
  TensorView weight;
  DIOPI_TRY(packed(p.ctx, p.weight, &weight));
  *matrix = flattened(by_group(weight, p.geometry.groups), 2);
  return diopiSuccess;
}

// Copies the patches of image n to a matrix.
Status load_columns(const ConvProblem& p, int64_t n, Columns* columns) {
  const ConvGeometry& g = p.geometry;
  TensorView image = p.src.select(0, n), interior;
  if (std::any_of(g.padding, g.padding + g.spatial, [](int64_t padding) { return padding != 0; })) {
    DIOPI_TRY(make_padded(p, &image, &interior));
    copy_view(interior, p.src.select(0, n));
  }
  const TensorView view = patches(p, image);
  DIOPI_TRY(make_columns(p, view, columns));
  copy_view(columns->whole, view);
  return diopiSuccess;
}

// The approximate time of `images` images with one thread, in picoseconds.
double work_of(const ConvProblem& p, int64_t images) {
  constexpr double kCopied = 300, kMultiplied = 50;  // of an element of the columns; of a product
  const int64_t groups = p.geometry.groups, outputs = p.weight.shape[0] / groups;
  const auto elements = static_cast<double>(images * groups * extent(p.weight, 1) * extent(p.dst, 2));
  return elements * (kCopied + kMultiplied * static_cast<double>(outputs));
}

Status forward(const ConvProblem& p) {
  TensorView bias, weight;
  DIOPI_TRY(weight_matrix(p, &weight));
  MatmulOptions options;
  options.conj_a = p.transposed;
  if (p.bias != nullptr) {
    bias = by_group(*p.bias, p.geometry.groups);
    bias = bias.unsqueeze(bias.ndim());
    options.c = &bias;
  }
  const int64_t images = p.src.shape[0];
  return run_steps_on_threads(p.ctx, images, work_of(p, images), [&](int64_t n) -> Status {
    const TensorView out = p.dst.select(0, n);
    TensorView target = out;
    target.stride = diopi::contiguous_strides(target.shape);
    if (!out.is_contiguous()) DIOPI_TRY(make_temporary(p.ctx, out.shape, out.dtype, &target));
    Columns columns;
    DIOPI_TRY(load_columns(p, n, &columns));
    const TensorView product = flattened(by_group(target, p.geometry.groups), 2);
    DIOPI_TRY(run_matmul(p.ctx, product, weight, columns.matrix, options));
    if (!out.is_contiguous()) copy_view(out, target);
    return diopiSuccess;
  });
}

// Equal terms are rounded in one direction: n of them, added one after another, cost up to n/4 ULP of the sum. The
// terms of a gradient of the data are equal where channels are, so those of float64 are added in runs. Complex products
// always are, and float32 has its own implementations.
constexpr int64_t kTermsTogether = 16;

Status backward_data(const ConvProblem& p) {
  TensorView weight;
  DIOPI_TRY(weight_matrix(p, &weight));
  MatmulOptions options;
  options.conj_a = !p.transposed;
  if (p.dst.dtype == diopi_dtype_float64) options.run = kTermsTogether;
  const int64_t images = p.src.shape[0];
  return run_steps_on_threads(p.ctx, images, work_of(p, images), [&](int64_t n) -> Status {
    TensorView grad;
    Columns columns;
    DIOPI_TRY(packed(p.ctx, p.dst.select(0, n), &grad));
    const TensorView image = p.src.select(0, n);
    DIOPI_TRY(make_columns(p, patches(p, image), &columns));
    const TensorView matrix = flattened(by_group(grad, p.geometry.groups), 2);
    DIOPI_TRY(run_matmul(p.ctx, columns.matrix, weight.transposed(1, 2), matrix, options));
    return add_patches(p, image, columns.whole);
  });
}

Status backward_weights(const ConvProblem& p) {
  TensorView whole;
  DIOPI_TRY(make_temporary(p.ctx, p.weight.shape, p.weight.dtype, &whole));
  const auto add_image = [&](int64_t n, const TensorView& sum, bool accumulate) -> Status {
    const TensorView matrix = flattened(by_group(sum, p.geometry.groups), 2);
    TensorView grad;
    Columns columns;
    DIOPI_TRY(packed(p.ctx, p.dst.select(0, n), &grad));
    DIOPI_TRY(load_columns(p, n, &columns));
    MatmulOptions options;
    (p.transposed ? options.conj_a : options.conj_b) = true;
    if (accumulate) options.c = &matrix;
    const TensorView rows = flattened(by_group(grad, p.geometry.groups), 2);
    return run_matmul(p.ctx, matrix, rows, columns.matrix.transposed(1, 2), options);
  };
  DIOPI_TRY(sum_images(p.ctx, {p.src.shape[0], extent(p.dst, 2)}, whole, add_image));
  copy_view(p.weight, whole);
  return diopiSuccess;
}

Status run(const ConvProblem& p) {
  switch (p.kind) {
    case ConvKind::kForward:
      return forward(p);
    case ConvKind::kBackwardData:
      return backward_data(p);
    default:
      return backward_weights(p);
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
