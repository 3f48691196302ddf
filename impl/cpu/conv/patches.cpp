// SPDX-License-Identifier: BSD-3-Clause
// Convolutions whose windows do not overlap, without padding, as one matrix product of all images: then the patches are
// a permutation of elements, so that copying them costs no more than a change of layout. For N images with P positions
// dst [O, N * P] = weight [O, C * kernel] @ columns [C * kernel, N * P], and similar products for the gradients.
#include <algorithm>

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/conv/conv.hpp"
#include "impl/cpu/conv/matrices.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/matmul/matmul.hpp"

namespace impl::cpu {
namespace {

// Rows and columns of the weight; products with fewer do not pay for the copies. The gradient of the weight needs a
// copy of dst as well. That of the data needs none if its products are large enough to be computed image by image.
constexpr int64_t kFewest = 16, kFewestOfGradient = 128, kFewestByImage = 2;
constexpr int64_t kPositionsOfImage = 256;

// Whether the gradient of the data is computed image by image, from matrices `dst` [N, O, positions] in place.
bool goes_by_image(const ConvProblem& p, TensorView* dst) {
  return p.kind == ConvKind::kBackwardData && as_matrices(p.dst, dst) && dst->shape[2] >= kPositionsOfImage;
}

int64_t fewest_of(const ConvProblem& p) {
  TensorView dst;
  if (p.kind == ConvKind::kBackwardWeights) return kFewestOfGradient;
  return goes_by_image(p, &dst) ? kFewestByImage : kFewest;
}

// Products of bfloat16 and float64 have not been compared with the other implementations.
const char* unsuited(const ConvProblem& p) {
  const ConvGeometry& g = p.geometry;
  if (p.src.dtype != diopi_dtype_float32) return "only float32 is computed as a product of patches";
  if (g.groups != 1) return "the channels are in groups";
  if (is_channels_last(p.src) || is_channels_last(p.dst)) return "oneDNN uses channels-last operands in place";
  const int64_t narrow = std::min(p.weight.shape[0], p.weight.numel / p.weight.shape[0]);
  if (narrow < fewest_of(p)) return "the weight is too small";
  bool several = false;
  for (int i = 0; i < g.spatial; ++i) {
    const int64_t kernel = p.weight.shape[i + 2];
    several = several || kernel > 1;
    if (g.padding[i] != 0) return "the images have padding";
    if (p.windows_overlap(i)) return "the windows overlap";
  }
  return several ? nullptr : "the kernel has one element";
}

// The patches as a view of the images, [C, kernel..., N, output...].
TensorView patches_of(const ConvProblem& p) {
  const ConvGeometry& g = p.geometry;
  TensorView view = p.src;
  view.shape.n = view.stride.n = 0;
  const auto add = [&](int64_t length, int64_t stride) {
    view.shape.push_back(length);
    view.stride.push_back(stride);
  };
  add(p.src.shape[1], p.src.stride[1]);
  for (int i = 0; i < g.spatial; ++i) add(p.weight.shape[i + 2], p.src.stride[i + 2] * g.dilation[i]);
  add(p.src.shape[0], p.src.stride[0]);
  for (int i = 0; i < g.spatial; ++i) add(p.dst.shape[i + 2], p.src.stride[i + 2] * g.stride[i]);
  view.numel = view.shape.product();
  return view;
}

// A packed view as a matrix with `rows` rows.
TensorView as_matrix(const TensorView& packed, int64_t rows) {
  TensorView matrix = packed;
  matrix.shape.n = matrix.stride.n = 0;
  for (const int64_t extent : {rows, packed.numel / rows}) matrix.shape.push_back(extent);
  matrix.stride = diopi::contiguous_strides(matrix.shape);
  return matrix;
}

// `result` is `view` itself if it is packed, otherwise a packed temporary. A temporary for an operand that is read gets
// its elements.
Status packed(diopiContextHandle_t ctx, const TensorView& view, bool read, TensorView* result) {
  *result = view;
  if (view.is_contiguous()) {
    result->stride = diopi::contiguous_strides(view.shape);
    return diopiSuccess;
  }
  DIOPI_TRY(make_temporary(ctx, view.shape, view.dtype, result));
  if (read) copy_view(*result, view);
  return diopiSuccess;
}

struct Operands {
  TensorView patches;  // of the images
  TensorView outputs;  // dst as [O, N, output...]
  TensorView columns, weight, dst;
};

Status prepare(const ConvProblem& p, Operands* o) {
  o->patches = patches_of(p);
  o->outputs = p.dst.transposed(0, 1);
  const int64_t channels = p.weight.shape[0];
  DIOPI_TRY(make_temporary(p.ctx, o->patches.shape, p.src.dtype, &o->columns));
  DIOPI_TRY(packed(p.ctx, p.weight, p.kind != ConvKind::kBackwardWeights, &o->weight));
  DIOPI_TRY(packed(p.ctx, o->outputs, p.kind != ConvKind::kForward, &o->dst));
  if (p.kind != ConvKind::kBackwardData) copy_view(o->columns, o->patches);
  o->columns = as_matrix(o->columns, p.weight.numel / channels);
  o->weight = as_matrix(o->weight, channels);
  o->dst = as_matrix(o->dst, channels);
  return diopiSuccess;
}

// A packed temporary of the shape of `view`, with the elements of a matrix.
TensorView shaped_like(const TensorView& view, const TensorView& matrix) {
  TensorView result = matrix;
  result.shape = view.shape;
  result.stride = diopi::contiguous_strides(view.shape);
  return result;
}

Status forward(const ConvProblem& p, const Operands& o) {
  const TensorView computed = shaped_like(o.outputs, o.dst);
  const auto multiply = [&] { return run_matmul(p.ctx, o.dst, o.weight, o.columns); };
  const auto finish = [&]() -> Status {
    if (p.bias == nullptr) {
      if (computed.data != p.dst.data) copy_view(o.outputs, computed);
      return diopiSuccess;
    }
    TensorView bias = *p.bias;
    while (bias.ndim() < computed.ndim()) bias = bias.unsqueeze(bias.ndim());
    return run_binary(p.ctx, diopi::BinaryOp::kAdd, o.outputs, computed, bias, p.dst.dtype);
  };
  return diopi::run_steps(multiply, finish);
}

Status backward_data(const ConvProblem& p, const Operands& o) {
  DIOPI_TRY(run_matmul(p.ctx, o.columns, o.weight.transposed(0, 1), o.dst));
  if (o.patches.numel < p.src.numel) fill_zero(p.src);  // there are elements that no window reads
  copy_view(o.patches, shaped_like(o.patches, o.columns));
  return diopiSuccess;
}

// The same with the images as a batch of products: columns [N, C * kernel, P] = weight^T @ dst [N, O, P].
Status backward_data_by_image(const ConvProblem& p, const TensorView& dst) {
  const int64_t images = dst.shape[0], channels = dst.shape[1], positions = dst.shape[2];
  const int spatial = p.geometry.spatial;
  TensorView patches = patches_of(p), weight, columns;  // patches: [C, kernel..., N, output...]
  for (int dim = spatial + 1; dim > 0; --dim) patches = patches.transposed(dim - 1, dim);
  DIOPI_TRY(packed(p.ctx, p.weight, true, &weight));
  DIOPI_TRY(make_temporary(p.ctx, patches.shape, p.src.dtype, &columns));
  const TensorView transposed = as_matrix(weight, channels).transposed(0, 1);
  TensorView products = columns;
  products.shape.n = 0;
  for (const int64_t extent : {images, transposed.shape[0], positions}) products.shape.push_back(extent);
  products.stride = diopi::contiguous_strides(products.shape);
  DIOPI_TRY(run_matmul(p.ctx, products, for_each_image(transposed, images), dst));
  if (patches.numel < p.src.numel) fill_zero(p.src);  // there are elements that no window reads
  copy_view(patches, columns);
  return diopiSuccess;
}

Status backward_weights(const ConvProblem& p, const Operands& o) {
  DIOPI_TRY(run_matmul(p.ctx, o.weight, o.dst, o.columns.transposed(0, 1)));
  if (o.weight.data != p.weight.data) copy_view(p.weight, shaped_like(p.weight, o.weight));
  return diopiSuccess;
}

Status run(const ConvProblem& p) {
  TensorView dst;
  if (goes_by_image(p, &dst)) return backward_data_by_image(p, dst);
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

}  // namespace

SkipReason conv_patches(const ConvProblem& problem, Status* status) {
  const char* reason = unsuited(problem);
  if (reason == nullptr) *status = run(problem);
  return reason;
}

}  // namespace impl::cpu
