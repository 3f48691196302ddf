// SPDX-License-Identifier: BSD-3-Clause
// Matrix products and convolutions by oneDNN.
#include "onednn_program.hpp"

namespace diopi_bench {
namespace {

struct Matmul {
  const char *left, *right, *bias;
  bool right_is_transposed;
};

memory::desc swapped(const Tensor& tensor) {
  Tensor view = tensor;
  const size_t rank = view.shape.size();
  std::swap(view.shape[rank - 1], view.shape[rank - 2]);
  std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  return plain_desc(view);
}

void build_matmul(Program& program, const Operands& operands, const Matmul& names) {
  const Tensor& out = operands.tensor("out");
  const memory::desc left = plain_desc(operands.tensor(names.left));
  const Tensor& right_tensor = operands.tensor(names.right);
  const memory::desc right = names.right_is_transposed ? swapped(right_tensor) : plain_desc(right_tensor);
  const memory::desc result = plain_desc(out);
  const dnnl::primitive_attr attributes;
  const auto finish = [&](const dnnl::matmul::primitive_desc& pd, std::unordered_map<int, memory> arguments) {
    arguments[DNNL_ARG_SRC] = program.input(names.left, left, pd.src_desc());
    arguments[DNNL_ARG_WEIGHTS] = program.input(names.right, right, pd.weights_desc());
    arguments[DNNL_ARG_DST] = program.output("out", result, pd.dst_desc());
    program.add(dnnl::matmul(pd), arguments);
    program.deliver("out", arguments[DNNL_ARG_DST]);
  };
  if (names.bias == nullptr) {
    finish(make_desc<dnnl::matmul>(program.engine(), attributes, program.wanted(left), program.wanted(right),
                                   program.wanted(result)),
           {});
    return;
  }
  std::vector<int64_t> bias_shape(out.shape.size(), 1);
  bias_shape.back() = out.shape.back();
  const memory::desc bias = row_major_desc(bias_shape, out.dtype);
  finish(make_desc<dnnl::matmul>(program.engine(), attributes, program.wanted(left), program.wanted(right), bias,
                                 program.wanted(result)),
         {{DNNL_ARG_BIAS, program.tensor(names.bias, bias)}});
}

void build_mm(Program& program, const Operands& operands) {
  build_matmul(program, operands, {"input", "mat2", nullptr, false});
}

void build_batched(Program& program, const Operands& operands) {
  build_matmul(program, operands, {"input", "other", nullptr, false});
}

void build_linear(Program& program, const Operands& operands) {
  build_matmul(program, operands, {"input", "weight", operands.find("bias") ? "bias" : nullptr, true});
}

void build_addmm(Program& program, const Operands& operands) {
  build_matmul(program, operands, {"mat1", "mat2", "input", false});
}

struct Convolution {
  memory::desc input, weight, output;
  memory::dims strides, padding, dilation;
};

Convolution read_convolution(const Operands& operands, const char* output) {
  Convolution conv;
  const Tensor& weight = operands.tensor("weight");
  const int64_t groups = static_cast<int64_t>(operands.number("groups"));
  std::vector<int64_t> dims = weight.shape;
  if (groups > 1) {
    dims[0] /= groups;
    dims.insert(dims.begin(), groups);
  }
  conv.input = plain_desc(operands.tensor("input"));
  conv.weight = row_major_desc(dims, weight.dtype);
  conv.output = plain_desc(operands.tensor(output));
  conv.strides = operands.list("stride");
  conv.padding = operands.list("padding");
  for (int64_t dilation : operands.list("dilation")) conv.dilation.push_back(dilation - 1);
  return conv;
}

dnnl::convolution_forward::primitive_desc forward_desc(Program& program, const Convolution& conv,
                                                       dnnl::prop_kind kind) {
  return make_desc<dnnl::convolution_forward>(program.engine(), dnnl::primitive_attr(), kind,
                                              dnnl::algorithm::convolution_direct, program.wanted(conv.input),
                                              program.wanted(conv.weight), program.wanted(conv.output), conv.strides,
                                              conv.dilation, conv.padding, conv.padding);
}

void build_convolution(Program& program, const Operands& operands) {
  const Convolution conv = read_convolution(operands, "out");
  const auto pd = forward_desc(program, conv, dnnl::prop_kind::forward_inference);
  const memory input = program.input("input", conv.input, pd.src_desc());
  const memory weight = program.input("weight", conv.weight, pd.weights_desc());
  const memory out = program.output("out", conv.output, pd.dst_desc());
  program.add(dnnl::convolution_forward(pd), {{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DST, out}});
  program.deliver("out", out);
}

void build_convolution_backward(Program& program, const Operands& operands) {
  const Convolution conv = read_convolution(operands, "grad_output");
  const dnnl::primitive_attr attributes;
  const auto direct = dnnl::algorithm::convolution_direct;
  const auto hint = forward_desc(program, conv, dnnl::prop_kind::forward_training);
  const auto data = make_backward_desc<dnnl::convolution_backward_data>(
      program.engine(), attributes, hint, direct, program.wanted(conv.input), program.wanted(conv.weight),
      program.wanted(conv.output), conv.strides, conv.dilation, conv.padding, conv.padding);
  const memory grad = program.input("grad_output", conv.output, data.diff_dst_desc());
  const memory weight = program.input("weight", conv.weight, data.weights_desc());
  const memory grad_input = program.output("grad_input", conv.input, data.diff_src_desc());
  program.add(dnnl::convolution_backward_data(data),
              {{DNNL_ARG_DIFF_DST, grad}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DIFF_SRC, grad_input}});
  program.deliver("grad_input", grad_input);

  const auto weights = make_backward_desc<dnnl::convolution_backward_weights>(
      program.engine(), attributes, hint, direct, program.wanted(conv.input), program.wanted(conv.weight),
      program.wanted(conv.output), conv.strides, conv.dilation, conv.padding, conv.padding);
  const memory input = program.input("input", conv.input, weights.src_desc());
  // If the layout is the same, this gradient uses the reordered grad_output of the other gradient.
  const memory same = weights.diff_dst_desc() == data.diff_dst_desc()
                          ? grad
                          : program.input("grad_output", conv.output, weights.diff_dst_desc());
  const memory grad_weight = program.output("grad_weight", conv.weight, weights.diff_weights_desc());
  program.add(dnnl::convolution_backward_weights(weights),
              {{DNNL_ARG_SRC, input}, {DNNL_ARG_DIFF_DST, same}, {DNNL_ARG_DIFF_WEIGHTS, grad_weight}});
  program.deliver("grad_weight", grad_weight);
}

}  // namespace

const std::map<std::string, Builder>& product_builders() {
  static const std::map<std::string, Builder> kBuilders = {{"Mm", build_mm},
                                                           {"Bmm", build_mm},
                                                           {"Matmul", build_batched},
                                                           {"Linear", build_linear},
                                                           {"LinearNoBias", build_linear},
                                                           {"Addmm", build_addmm},
                                                           {"Convolution2d", build_convolution},
                                                           {"Convolution2dBackward", build_convolution_backward}};
  return kBuilders;
}

}  // namespace diopi_bench
