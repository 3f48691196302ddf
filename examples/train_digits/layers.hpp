// SPDX-License-Identifier: BSD-3-Clause
// Layers with a forward and a backward step. Each step consists of calls of operators.
//
// A layer keeps handles of temporaries for its backward step, so both steps belong to one Session step. Gradients of
// parameters are accumulated until clear_gradients().
#ifndef EXAMPLES_TRAIN_DIGITS_LAYERS_HPP_
#define EXAMPLES_TRAIN_DIGITS_LAYERS_HPP_

#include <memory>
#include <vector>

#include "session.hpp"

struct Parameter {
  Tensor value, gradient;
  Tensor exp_avg, exp_avg_sq;  // moments of Adam

  Parameter(Session& session, const Shape& shape);
  void fill_uniform(Session& session, double bound);
  void fill(Session& session, double value);
  // Adds to the gradient.
  void accumulate(Session& session, diopiConstTensorHandle_t more);
};

class Layer {
 public:
  virtual ~Layer() = default;
  virtual diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) = 0;
  // Returns the gradient of the input, given the gradient of the output.
  virtual diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) = 0;
  virtual std::vector<Parameter*> parameters() { return {}; }
};

// A 3 x 3 convolution with padding 1. It has no bias, because batch normalisation follows it.
class Convolution : public Layer {
 public:
  // `first`: the gradient of the input is not needed, and backward() returns null.
  Convolution(Session& session, int64_t in_channels, int64_t out_channels, bool first);
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;
  std::vector<Parameter*> parameters() override { return {&weight_}; }

 private:
  Parameter weight_;
  bool first_;
  diopiTensorHandle_t input_ = nullptr;
};

class BatchNorm : public Layer {
 public:
  BatchNorm(Session& session, int64_t channels);
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;
  std::vector<Parameter*> parameters() override { return {&weight_, &bias_}; }

 private:
  Parameter weight_, bias_;
  Tensor running_mean_, running_var_;
  diopiTensorHandle_t input_ = nullptr, save_mean_ = nullptr, save_invstd_ = nullptr;
};

class Relu : public Layer {
 public:
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;

 private:
  diopiTensorHandle_t output_ = nullptr;
};

// 2 x 2 max pooling with stride 2.
class MaxPool : public Layer {
 public:
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;

 private:
  diopiTensorHandle_t input_ = nullptr, indices_ = nullptr;
};

class Flatten : public Layer {
 public:
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;

 private:
  Shape shape_;
};

class Linear : public Layer {
 public:
  Linear(Session& session, int64_t in_features, int64_t out_features);
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;
  std::vector<Parameter*> parameters() override { return {&weight_, &bias_}; }

 private:
  Parameter weight_, bias_;
  diopiTensorHandle_t input_ = nullptr;
};

class Dropout : public Layer {
 public:
  explicit Dropout(double probability) : probability_(probability) {}
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t input, bool training) override;
  diopiTensorHandle_t backward(Session& session, diopiTensorHandle_t gradient) override;

 private:
  double probability_;
  diopiTensorHandle_t mask_ = nullptr;
};

#endif  // EXAMPLES_TRAIN_DIGITS_LAYERS_HPP_
