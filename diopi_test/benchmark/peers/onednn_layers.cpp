// SPDX-License-Identifier: BSD-3-Clause
// Pooling, softmax and layer normalisation by oneDNN. Their interface changed with version 3.
#include "onednn_program.hpp"

namespace diopi_bench {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

#if DNNL_VERSION_MAJOR >= 3
using PoolForward = dnnl::pooling_forward;
using PoolBackward = dnnl::pooling_backward;
using SoftmaxForward = dnnl::softmax_forward;
using SoftmaxBackward = dnnl::softmax_backward;
#else
using PoolForward = dnnl::pooling_v2_forward;
using PoolBackward = dnnl::pooling_v2_backward;
using SoftmaxForward = dnnl::softmax_v2_forward;
using SoftmaxBackward = dnnl::softmax_v2_backward;
#endif

// The layouts are the tensors' own, because a reorder would take as long as these primitives.
PoolForward::primitive_desc pool_desc(Program& program, const Operands& operands, algorithm kind,
                                      const memory::desc& input, const memory::desc& output) {
  const memory::dims dilation(2, 0);
  return make_desc<PoolForward>(program.engine(), dnnl::primitive_attr(), prop_kind::forward_inference, kind, input,
                                output, operands.list("stride"), operands.list("kernel"), dilation,
                                operands.list("padding"), operands.list("padding"));
}

void build_pool(Program& program, const Operands& operands, algorithm kind) {
  const memory::desc input = plain_desc(operands.tensor("input")), out = plain_desc(operands.tensor("out"));
  const auto pd = pool_desc(program, operands, kind, input, out);
  program.add(PoolForward(pd),
              {{DNNL_ARG_SRC, program.tensor("input", input)}, {DNNL_ARG_DST, program.tensor("out", out)}});
}

// Without the positions of the maxima, because oneDNN stores them in a different form.
void build_max_pool(Program& program, const Operands& operands) {
  for (int64_t dilation : operands.list("dilation")) {
    if (dilation != 1) throw dnnl::error(dnnl_unimplemented, "dilation");
  }
  build_pool(program, operands, algorithm::pooling_max);
}

void build_avg_pool(Program& program, const Operands& operands) {
  build_pool(program, operands, algorithm::pooling_avg_include_padding);
}

void build_avg_pool_backward(Program& program, const Operands& operands) {
  const memory::desc input = plain_desc(operands.tensor("input")), out = plain_desc(operands.tensor("grad_output"));
  const auto kind = algorithm::pooling_avg_include_padding;
  const auto hint = pool_desc(program, operands, kind, input, out);
  const memory::dims dilation(2, 0);
  const auto pd = make_backward_desc<PoolBackward>(program.engine(), dnnl::primitive_attr(), hint, kind, input, out,
                                                   operands.list("stride"), operands.list("kernel"), dilation,
                                                   operands.list("padding"), operands.list("padding"));
  program.add(PoolBackward(pd), {{DNNL_ARG_DIFF_DST, program.tensor("grad_output", out)},
                                 {DNNL_ARG_DIFF_SRC, program.tensor("grad_input", input)}});
}

int axis_of(const Operands& operands, const Tensor& tensor) {
  const int axis = static_cast<int>(operands.number("dim"));
  return axis < 0 ? axis + static_cast<int>(tensor.shape.size()) : axis;
}

SoftmaxForward::primitive_desc softmax_desc(Program& program, const memory::desc& desc, algorithm kind, int axis) {
  return make_desc<SoftmaxForward>(program.engine(), dnnl::primitive_attr(), prop_kind::forward_training, kind, desc,
                                   desc, axis);
}

void build_softmax(Program& program, const Operands& operands, algorithm kind) {
  const Tensor& input = operands.tensor("input");
  const memory::desc desc = plain_desc(input);
  const auto pd = softmax_desc(program, desc, kind, axis_of(operands, input));
  program.add(SoftmaxForward(pd),
              {{DNNL_ARG_SRC, program.tensor("input", desc)}, {DNNL_ARG_DST, program.tensor("out", desc)}});
}

void build_softmax_backward(Program& program, const Operands& operands, algorithm kind) {
  const Tensor& output = operands.tensor("output");
  const memory::desc desc = plain_desc(output);
  const int axis = axis_of(operands, output);
  const auto hint = softmax_desc(program, desc, kind, axis);
  const auto pd =
      make_backward_desc<SoftmaxBackward>(program.engine(), dnnl::primitive_attr(), hint, kind, desc, desc, desc, axis);
  program.add(SoftmaxBackward(pd), {{DNNL_ARG_DST, program.tensor("output", desc)},
                                    {DNNL_ARG_DIFF_DST, program.tensor("grad_output", desc)},
                                    {DNNL_ARG_DIFF_SRC, program.tensor("grad_input", desc)}});
}

template <algorithm kKind>
void softmax(Program& program, const Operands& operands) {
  build_softmax(program, operands, kKind);
}
template <algorithm kKind>
void softmax_gradient(Program& program, const Operands& operands) {
  build_softmax_backward(program, operands, kKind);
}

void build_layer_norm(Program& program, const Operands& operands) {
  const Tensor& input = operands.tensor("input");
  if (operands.list("normalized_shape").size() != 1) throw dnnl::error(dnnl_unimplemented, "normalized dimensions");
  const memory::desc desc = plain_desc(input), line = row_major_desc({input.shape.back()}, input.dtype);
  const std::vector<int64_t> rows(input.shape.begin(), input.shape.end() - 1);
  const memory::desc statistics = row_major_desc(rows, diopi_dtype_float32);
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const float eps = static_cast<float>(operands.number("eps"));
#if DNNL_VERSION_MAJOR >= 3
  const auto pd = make_desc<dnnl::layer_normalization_forward>(
      program.engine(), dnnl::primitive_attr(), prop_kind::forward_training, desc, desc, statistics, eps, flags);
#else
  const auto pd = make_desc<dnnl::layer_normalization_forward>(
      program.engine(), dnnl::primitive_attr(), prop_kind::forward_training, desc, statistics, eps, flags);
#endif
  program.add(dnnl::layer_normalization_forward(pd), {{DNNL_ARG_SRC, program.tensor("input", desc)},
                                                      {DNNL_ARG_DST, program.tensor("out", desc)},
                                                      {DNNL_ARG_SCALE, program.tensor("weight", line)},
                                                      {DNNL_ARG_SHIFT, program.tensor("bias", line)},
                                                      {DNNL_ARG_MEAN, program.tensor("save_mean", statistics)},
                                                      {DNNL_ARG_VARIANCE, program.tensor("save_invstd", statistics)}});
}

}  // namespace

const std::map<std::string, Builder>& layer_builders() {
  static const std::map<std::string, Builder> kBuilders = {
      {"MaxPool2dWithIndices", build_max_pool},
      {"AvgPool2d", build_avg_pool},
      {"AvgPool2dBackward", build_avg_pool_backward},
      {"Softmax", softmax<algorithm::softmax_accurate>},
      {"SoftmaxBackward", softmax_gradient<algorithm::softmax_accurate>},
      {"LogSoftmax", softmax<algorithm::softmax_log>},
      {"LogSoftmaxBackward", softmax_gradient<algorithm::softmax_log>},
      {"LayerNorm", build_layer_norm}};
  return kBuilders;
}

}  // namespace diopi_bench
