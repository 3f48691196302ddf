// SPDX-License-Identifier: BSD-3-Clause
// Convolutions and their gradients.
#include <diopi/functions.h>

#include <algorithm>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/conv/conv.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/matmul.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;
using diopi::read_tensor;

// Reads one number for each spatial dimension, or one for all.
Status read_spatial(const diopiSize_t& size, const char* name, int spatial, int64_t least, int64_t* values) {
  DIOPI_REQUIRE(size.len == 1 || size.len == spatial, diopiErrorOccurred, "%s has %lld values, expected 1 or %d", name,
                static_cast<long long>(size.len), spatial);
  for (int i = 0; i < spatial; ++i) {
    values[i] = size.data[size.len == 1 ? 0 : i];
    DIOPI_REQUIRE(values[i] >= least, diopiErrorOccurred, "%s = %s, expected values of at least %lld", name,
                  diopi::Text(size).c_str(), static_cast<long long>(least));
  }
  return diopiSuccess;
}

Status read_geometry(const diopiSize_t& stride, const diopiSize_t& padding, const diopiSize_t& dilation, int64_t groups,
                     int spatial, ConvGeometry* g) {
  g->spatial = spatial;
  g->groups = groups;
  DIOPI_TRY(read_spatial(stride, "stride", spatial, 1, g->stride));
  DIOPI_TRY(read_spatial(padding, "padding", spatial, 0, g->padding));
  DIOPI_TRY(read_spatial(dilation, "dilation", spatial, 1, g->dilation));
  DIOPI_REQUIRE(groups >= 1, diopiErrorOccurred, "groups = %lld, expected at least 1", static_cast<long long>(groups));
  return diopiSuccess;
}

// Reads input [N, C, spatial...] (or without N) and weight [O, C / groups, kernel...]. `out` becomes the shape of the
// output.
Status read_operands(diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight, ConvProblem* p, Dims* out) {
  const ConvGeometry& g = p->geometry;
  TensorView &x = p->src, &w = p->weight;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(weight, "weight", &w));
  DIOPI_TRY(require_matmul_dtype(x));
  DIOPI_TRY(require_dtype_of(w, x));
  DIOPI_REQUIRE(x.ndim() == g.spatial + 1 || x.ndim() == g.spatial + 2, diopiErrorOccurred,
                "input has shape %s, expected %d or %d dimensions", diopi::Text(x.shape).c_str(), g.spatial + 1,
                g.spatial + 2);
  DIOPI_TRY(require_ndim(w, g.spatial + 2));
  const bool unbatched = x.ndim() == g.spatial + 1;
  if (unbatched) x = x.unsqueeze(0);
  DIOPI_REQUIRE(w.shape[0] > 0 && w.shape[0] % g.groups == 0, diopiErrorOccurred,
                "weight of shape %s has %lld output channels, expected a positive multiple of groups = %lld",
                diopi::Text(w.shape).c_str(), static_cast<long long>(w.shape[0]), static_cast<long long>(g.groups));
  DIOPI_REQUIRE(x.shape[1] == w.shape[1] * g.groups, diopiErrorOccurred,
                "input of shape %s has %lld channels, expected %lld for weight of shape %s and groups = %lld",
                diopi::Text(x.shape).c_str(), static_cast<long long>(x.shape[1]),
                static_cast<long long>(w.shape[1] * g.groups), diopi::Text(w.shape).c_str(),
                static_cast<long long>(g.groups));
  Dims shape, padded;
  padded.push_back(x.shape[1]);
  if (!unbatched) shape.push_back(x.shape[0]);
  shape.push_back(w.shape[0]);
  for (int i = 0; i < g.spatial; ++i) {
    int64_t reach = 0, room = 0;
    DIOPI_REQUIRE(diopi::padded_extent(x.shape[i + 2], g.padding[i], &room), diopiErrorOccurred,
                  "padding = %lld is too large for dimension %d of input of shape %s",
                  static_cast<long long>(g.padding[i]), i + 2, diopi::Text(x.shape).c_str());
    DIOPI_REQUIRE(diopi::window_reach(w.shape[i + 2], g.dilation[i], &reach), diopiErrorOccurred,
                  "dilation = %lld is too large for dimension %d of weight of shape %s",
                  static_cast<long long>(g.dilation[i]), i + 2, diopi::Text(w.shape).c_str());
    DIOPI_REQUIRE(w.shape[i + 2] > 0 && reach <= room, diopiErrorOccurred,
                  "weight of shape %s reaches over %lld elements, expected 1 to %lld, the padded extent of input of "
                  "shape %s in dimension %d",
                  diopi::Text(w.shape).c_str(), static_cast<long long>(reach), static_cast<long long>(room),
                  diopi::Text(x.shape).c_str(), i + 2);
    shape.push_back((room - reach) / g.stride[i] + 1);
    padded.push_back(room);
    // A stride or a dilation that is never used becomes 1, because implementations may refuse other values.
    if (shape[shape.n - 1] == 1) p->geometry.stride[i] = 1;
    if (w.shape[i + 2] == 1) p->geometry.dilation[i] = 1;
  }
  int64_t numel = 0;
  DIOPI_REQUIRE(diopi::count_elements(padded, &numel), diopiErrorOccurred,
                "padding = %s makes an image of shape %s, which is more than 2^63 bytes",
                diopi::Text(g.padding, g.spatial).c_str(), diopi::Text(padded).c_str());
  *out = shape;
  return diopiSuccess;
}

Status read_dst(diopiConstTensorHandle_t handle, const char* name, const Dims& shape, ConvProblem* p) {
  DIOPI_TRY(read_tensor(handle, name, &p->dst));
  DIOPI_TRY(require_dtype_of(p->dst, p->src));
  DIOPI_TRY(diopi::require_shape(p->dst, shape));
  if (p->dst.ndim() == p->geometry.spatial + 1) p->dst = p->dst.unsqueeze(0);
  return diopiSuccess;
}

// Writes zeros: the value of a sum without terms.
void fill_zero(const TensorView& view) {
  int64_t zero[2] = {0, 0};
  TensorView nothing = view;
  nothing.data = reinterpret_cast<char*>(zero);
  for (int dim = 0; dim < nothing.ndim(); ++dim) nothing.stride[dim] = 0;
  copy_view(view, nothing);
}

Status forward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
               diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, ConvProblem p) {
  Dims shape;
  TensorView addend;
  p.ctx = ctx;
  p.kind = ConvKind::kForward;
  DIOPI_TRY(read_operands(input, weight, &p, &shape));
  DIOPI_TRY(read_dst(out, "out", shape, &p));
  DIOPI_TRY(diopi::require_writable(p.dst));
  if (bias != nullptr) {
    Dims channels;
    channels.push_back(p.weight.shape[0]);
    DIOPI_TRY(read_tensor(bias, "bias", &addend));
    DIOPI_TRY(require_dtype_of(addend, p.src));
    DIOPI_TRY(diopi::require_shape(addend, channels));
    p.bias = &addend;
  }
  if (p.dst.numel == 0) return diopiSuccess;
  if (p.src.numel > 0) return run_conv(p);
  fill_zero(p.dst);  // there are no input channels
  if (bias == nullptr) return diopiSuccess;
  TensorView expanded = addend;
  for (int i = 0; i < p.geometry.spatial; ++i) expanded = expanded.unsqueeze(expanded.ndim());
  copy_view(p.dst, expanded.expand(p.dst.shape));
  return diopiSuccess;
}

// Reads the gradient `name`, which must have the given shape and the dtype of `like`. A null handle means that it is
// not wanted.
Status read_gradient(diopiTensorHandle_t handle, const char* name, const Dims& shape, const TensorView& like,
                     TensorView* grad) {
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(read_tensor(handle, name, grad));
  DIOPI_TRY(require_dtype_of(*grad, like));
  DIOPI_TRY(diopi::require_shape(*grad, shape));
  return diopi::require_writable(*grad);
}

struct Gradients {
  diopiTensorHandle_t input, weight, bias;
};

// Sums the output's gradient over images and positions.
Status bias_gradient(const ConvProblem& p, const TensorView& grad) {
  const ReduceKernel* sum = reduce_kernel(ReduceOp::kSum, diopi::compute_dtype(p.dst.dtype));
  const uint32_t all = (1u << p.dst.ndim()) - 1;
  return run_reduce(p.ctx, *sum, &grad, p.dst, all & ~2u);
}

Status gradient(ConvProblem p, ConvKind kind) {
  p.kind = kind;
  if (p.result().numel == 0) return diopiSuccess;
  if (p.dst.numel > 0 && p.src.numel > 0) return run_conv(p);
  fill_zero(p.result());
  return diopiSuccess;
}

Status backward(diopiContextHandle_t ctx, const Gradients& wanted, diopiConstTensorHandle_t grad_output,
                diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight, const diopiSize_t* bias_sizes,
                ConvProblem p) {
  Dims shape, channels;
  TensorView d_input, d_weight, d_bias;
  p.ctx = ctx;
  DIOPI_TRY(read_operands(input, weight, &p, &shape));
  DIOPI_TRY(require_differentiable(p.src));
  DIOPI_TRY(read_dst(grad_output, "grad_output", shape, &p));
  channels.push_back(p.weight.shape[0]);
  Dims input_shape = p.src.shape;
  if (shape.n == p.geometry.spatial + 1) {
    std::copy(input_shape.v + 1, input_shape.v + input_shape.n, input_shape.v);
    --input_shape.n;
  }
  DIOPI_TRY(read_gradient(wanted.input, "grad_input", input_shape, p.src, &d_input));
  DIOPI_TRY(read_gradient(wanted.weight, "grad_weight", p.weight.shape, p.src, &d_weight));
  DIOPI_TRY(read_gradient(wanted.bias, "grad_bias", channels, p.src, &d_bias));
  if (wanted.bias != nullptr && bias_sizes != nullptr) {
    DIOPI_REQUIRE(bias_sizes->len == 1 && bias_sizes->data[0] == channels[0], diopiErrorOccurred,
                  "bias_sizes = %s, expected %s", diopi::Text(*bias_sizes).c_str(), diopi::Text(channels).c_str());
  }
  const auto bias = [&] { return wanted.bias != nullptr ? bias_gradient(p, d_bias) : Status(); };
  const auto of_weight = [&] {
    ConvProblem q = p;
    q.weight = d_weight;
    return wanted.weight != nullptr ? gradient(q, ConvKind::kBackwardWeights) : Status();
  };
  const auto of_input = [&] {
    ConvProblem q = p;
    q.src = d_input.ndim() == p.geometry.spatial + 1 ? d_input.unsqueeze(0) : d_input;
    return wanted.input != nullptr ? gradient(q, ConvKind::kBackwardData) : Status();
  };
  // The gradient of the weight is first, because oneDNN could fail while it computes it.
  return diopi::run_steps(of_weight, of_input, bias);
}

}  // namespace

diopiError_t diopiConvolution2d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, diopiSize_t stride,
                                diopiSize_t padding, diopiSize_t dilation, int64_t groups) {
  ConvProblem p;
  DIOPI_TRY(read_geometry(stride, padding, dilation, groups, 2, &p.geometry));
  return forward(ctx, out, input, weight, bias, p);
}

diopiError_t diopiConvolution2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                        diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                        diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t weight, diopiSize_t* bias_sizes, diopiSize_t stride,
                                        diopiSize_t padding, diopiSize_t dilation, int64_t groups) {
  ConvProblem p;
  DIOPI_TRY(read_geometry(stride, padding, dilation, groups, 2, &p.geometry));
  return backward(ctx, {grad_input, grad_weight, grad_bias}, grad_output, input, weight, bias_sizes, p);
}

diopiError_t diopiConvolution3d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, diopiSize_t stride,
                                diopiSize_t padding, diopiSize_t dilation, int64_t groups) {
  ConvProblem p;
  DIOPI_TRY(read_geometry(stride, padding, dilation, groups, 3, &p.geometry));
  return forward(ctx, out, input, weight, bias, p);
}

diopiError_t diopiConvolution3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                        diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                        diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t weight, diopiSize_t* bias_sizes, diopiSize_t stride,
                                        diopiSize_t padding, diopiSize_t dilation, int64_t groups) {
  ConvProblem p;
  DIOPI_TRY(read_geometry(stride, padding, dilation, groups, 3, &p.geometry));
  return backward(ctx, {grad_input, grad_weight, grad_bias}, grad_output, input, weight, bias_sizes, p);
}

}  // namespace impl::cpu
