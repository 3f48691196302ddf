// SPDX-License-Identifier: BSD-3-Clause
#include "layers.hpp"

#include <cmath>

namespace {

const Shape kOne{1, 1}, kTwo{2, 2}, kZero{0, 0};

// He initialisation: a ReLU after the layer keeps the variance of activations.
double he_bound(int64_t fan_in) { return std::sqrt(6.0 / static_cast<double>(fan_in)); }

diopiTensorHandle_t like(Session& session, diopiConstTensorHandle_t tensor) {
  return session.temporary(shape_of(tensor));
}

}  // namespace

Parameter::Parameter(Session& session, const Shape& shape)
    : value(session.tensor(shape)),
      gradient(session.tensor(shape)),
      exp_avg(session.tensor(shape)),
      exp_avg_sq(session.tensor(shape)) {
  const diopiScalar_t zero = scalar(0.0);
  for (const Tensor* tensor : {&value, &gradient, &exp_avg, &exp_avg_sq}) session.call(session.op.Fill, *tensor, &zero);
}

void Parameter::fill_uniform(Session& session, double bound) {
  session.call(session.op.UniformInp, value, -bound, bound, session.generator());
}

void Parameter::fill(Session& session, double number) {
  const diopiScalar_t filler = scalar(number);
  session.call(session.op.Fill, value, &filler);
}

void Parameter::accumulate(Session& session, diopiConstTensorHandle_t more) {
  const diopiScalar_t one = scalar(1.0);
  session.call(session.op.AddInp, gradient, more, &one);
}

Convolution::Convolution(Session& session, int64_t in_channels, int64_t out_channels, bool first)
    : weight_(session, {out_channels, in_channels, 3, 3}), first_(first) {
  weight_.fill_uniform(session, he_bound(9 * in_channels));
}

diopiTensorHandle_t Convolution::forward(Session& session, diopiTensorHandle_t input, bool) {
  input_ = input;
  Shape shape = shape_of(input);
  shape[1] = shape_of(weight_.value)[0];
  const diopiTensorHandle_t output = session.temporary(shape);
  session.call(session.op.Convolution2d, output, input, weight_.value, nullptr, sizes(kOne), sizes(kOne), sizes(kOne),
               1);
  return output;
}

diopiTensorHandle_t Convolution::backward(Session& session, diopiTensorHandle_t gradient) {
  const diopiTensorHandle_t grad_input = first_ ? nullptr : like(session, input_);
  const diopiTensorHandle_t grad_weight = like(session, weight_.value);
  session.call(session.op.Convolution2dBackward, grad_input, grad_weight, nullptr, gradient, input_, weight_.value,
               nullptr, sizes(kOne), sizes(kOne), sizes(kOne), 1);
  weight_.accumulate(session, grad_weight);
  return grad_input;
}

BatchNorm::BatchNorm(Session& session, int64_t channels)
    : weight_(session, {channels}),
      bias_(session, {channels}),
      running_mean_(session.tensor({channels})),
      running_var_(session.tensor({channels})) {
  const diopiScalar_t zero = scalar(0.0), one = scalar(1.0);
  weight_.fill(session, 1.0);
  session.call(session.op.Fill, running_mean_, &zero);
  session.call(session.op.Fill, running_var_, &one);
}

diopiTensorHandle_t BatchNorm::forward(Session& session, diopiTensorHandle_t input, bool training) {
  input_ = input;
  save_mean_ = like(session, running_mean_);
  save_invstd_ = like(session, running_mean_);
  const diopiTensorHandle_t output = like(session, input);
  session.call(session.op.BatchNorm, output, save_mean_, save_invstd_, input, weight_.value, bias_.value, running_mean_,
               running_var_, training, 0.1, 1e-5);
  return output;
}

diopiTensorHandle_t BatchNorm::backward(Session& session, diopiTensorHandle_t gradient) {
  const diopiTensorHandle_t grad_input = like(session, input_);
  const diopiTensorHandle_t grad_weight = like(session, weight_.value);
  const diopiTensorHandle_t grad_bias = like(session, bias_.value);
  session.call(session.op.BatchNormBackward, grad_input, grad_weight, grad_bias, gradient, input_, weight_.value,
               running_mean_, running_var_, save_mean_, save_invstd_, true, 1e-5);
  weight_.accumulate(session, grad_weight);
  bias_.accumulate(session, grad_bias);
  return grad_input;
}

diopiTensorHandle_t Relu::forward(Session& session, diopiTensorHandle_t input, bool) {
  output_ = like(session, input);
  session.call(session.op.Relu, output_, input);
  return output_;
}

diopiTensorHandle_t Relu::backward(Session& session, diopiTensorHandle_t gradient) {
  const diopiTensorHandle_t grad_input = like(session, gradient);
  const diopiScalar_t zero = scalar(0.0);
  session.call(session.op.ThresholdBackward, grad_input, gradient, output_, &zero);
  return grad_input;
}

diopiTensorHandle_t MaxPool::forward(Session& session, diopiTensorHandle_t input, bool) {
  input_ = input;
  Shape shape = shape_of(input);
  shape[2] /= 2;
  shape[3] /= 2;
  const diopiTensorHandle_t output = session.temporary(shape);
  indices_ = session.temporary(shape, diopi_dtype_int64);
  session.call(session.op.MaxPool2dWithIndices, output, indices_, input, sizes(kTwo), sizes(kTwo), sizes(kZero),
               sizes(kOne), false);
  return output;
}

diopiTensorHandle_t MaxPool::backward(Session& session, diopiTensorHandle_t gradient) {
  const diopiTensorHandle_t grad_input = like(session, input_);
  session.call(session.op.MaxPool2dBackward, grad_input, gradient, input_, sizes(kTwo), sizes(kTwo), sizes(kZero),
               sizes(kOne), false, indices_);
  return grad_input;
}

diopiTensorHandle_t Flatten::forward(Session& session, diopiTensorHandle_t input, bool) {
  shape_ = shape_of(input);
  int64_t features = 1;
  for (size_t i = 1; i < shape_.size(); ++i) features *= shape_[i];
  return session.view(input, {shape_[0], features});
}

diopiTensorHandle_t Flatten::backward(Session& session, diopiTensorHandle_t gradient) {
  return session.view(gradient, shape_);
}

Linear::Linear(Session& session, int64_t in_features, int64_t out_features)
    : weight_(session, {out_features, in_features}), bias_(session, {out_features}) {
  weight_.fill_uniform(session, he_bound(in_features));
}

diopiTensorHandle_t Linear::forward(Session& session, diopiTensorHandle_t input, bool) {
  input_ = input;
  const diopiTensorHandle_t output = session.temporary({shape_of(input)[0], shape_of(weight_.value)[0]});
  session.call(session.op.Linear, output, input, weight_.value, bias_.value);
  return output;
}

diopiTensorHandle_t Linear::backward(Session& session, diopiTensorHandle_t gradient) {
  const diopiTensorHandle_t grad_input = like(session, input_);
  const diopiTensorHandle_t grad_weight = like(session, weight_.value);
  const diopiTensorHandle_t grad_bias = like(session, bias_.value);
  session.call(session.op.LinearBackward, grad_input, grad_weight, grad_bias, gradient, input_, weight_.value);
  weight_.accumulate(session, grad_weight);
  bias_.accumulate(session, grad_bias);
  return grad_input;
}

diopiTensorHandle_t Dropout::forward(Session& session, diopiTensorHandle_t input, bool training) {
  const diopiTensorHandle_t output = like(session, input);
  mask_ = session.temporary(shape_of(input), diopi_dtype_bool);
  session.call(session.op.Dropout, output, mask_, input, probability_, training, session.generator());
  return output;
}

diopiTensorHandle_t Dropout::backward(Session& session, diopiTensorHandle_t gradient) {
  const diopiTensorHandle_t grad_input = like(session, gradient);
  const diopiScalar_t scale = scalar(1.0 / (1.0 - probability_));
  session.call(session.op.Mul, grad_input, gradient, mask_);
  session.call(session.op.MulInpScalar, grad_input, &scale);
  return grad_input;
}
