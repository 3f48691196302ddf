// SPDX-License-Identifier: BSD-3-Clause
// The network, its loss and its optimiser.
#ifndef EXAMPLES_TRAIN_DIGITS_NETWORK_HPP_
#define EXAMPLES_TRAIN_DIGITS_NETWORK_HPP_

#include "layers.hpp"

class Network {
 public:
  explicit Network(Session& session);
  // Returns the scores of the ten digits.
  diopiTensorHandle_t forward(Session& session, diopiTensorHandle_t images, bool training);
  void backward(Session& session, diopiTensorHandle_t gradient);
  const std::vector<Parameter*>& parameters() const { return parameters_; }

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<Parameter*> parameters_;
};

class Adam {
 public:
  explicit Adam(const std::vector<Parameter*>& parameters) : parameters_(parameters) {}
  void clear_gradients(Session& session);
  void step(Session& session, double learning_rate);

 private:
  std::vector<Parameter*> parameters_;
  int64_t step_ = 0;
};

// Mean cross entropy of a batch: its value, and its gradient with respect to the scores.
struct Loss {
  diopiTensorHandle_t value;
  diopiTensorHandle_t gradient;
};
Loss cross_entropy(Session& session, diopiTensorHandle_t scores, diopiTensorHandle_t labels);

// Returns the number of images of the batch whose label has the largest score, as an int64 tensor without dimensions.
diopiTensorHandle_t count_correct(Session& session, diopiTensorHandle_t scores, diopiTensorHandle_t labels);

#endif  // EXAMPLES_TRAIN_DIGITS_NETWORK_HPP_
