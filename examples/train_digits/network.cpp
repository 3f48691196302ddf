// SPDX-License-Identifier: BSD-3-Clause
#include "network.hpp"

namespace {

constexpr int64_t kIgnoreNone = -100;

}  // namespace

Network::Network(Session& session) {
  const auto add = [&](auto layer) {
    for (Parameter* parameter : layer->parameters()) parameters_.push_back(parameter);
    layers_.push_back(std::move(layer));
  };
  const auto add_block = [&](int64_t in_channels, int64_t out_channels) {
    add(std::make_unique<Convolution>(session, in_channels, out_channels, layers_.empty()));
    add(std::make_unique<BatchNorm>(session, out_channels));
    add(std::make_unique<Relu>());
  };
  add_block(1, 16);
  add_block(16, 32);
  add(std::make_unique<MaxPool>());  // 8 x 8 to 4 x 4
  add_block(32, 64);
  add(std::make_unique<MaxPool>());  // 4 x 4 to 2 x 2
  add(std::make_unique<Flatten>());
  add(std::make_unique<Linear>(session, 64 * 2 * 2, 128));
  add(std::make_unique<Relu>());
  add(std::make_unique<Dropout>(0.3));
  add(std::make_unique<Linear>(session, 128, 10));
}

diopiTensorHandle_t Network::forward(Session& session, diopiTensorHandle_t images, bool training) {
  diopiTensorHandle_t x = images;
  for (const auto& layer : layers_) x = layer->forward(session, x, training);
  return x;
}

void Network::backward(Session& session, diopiTensorHandle_t gradient) {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    gradient = (*layer)->backward(session, gradient);
  }
}

void Adam::clear_gradients(Session& session) {
  const diopiScalar_t zero = scalar(0.0);
  for (Parameter* parameter : parameters_) session.call(session.op.Fill, parameter->gradient, &zero);
}

void Adam::step(Session& session, double learning_rate) {
  ++step_;
  for (Parameter* p : parameters_) {
    session.call(session.op.Adam, p->value, p->gradient, p->exp_avg, p->exp_avg_sq, nullptr,
                 static_cast<float>(learning_rate), 0.9f, 0.999f, 1e-8f, 0.0f, step_, false);
  }
}

Loss cross_entropy(Session& session, diopiTensorHandle_t scores, diopiTensorHandle_t labels) {
  const Loss loss{session.temporary({}), session.temporary(shape_of(scores))};
  const diopiTensorHandle_t one = session.temporary({});
  const diopiScalar_t seed = scalar(1.0);
  session.call(session.op.CrossEntropyLoss, loss.value, scores, labels, nullptr, ReductionMean, kIgnoreNone, 0.0);
  session.call(session.op.Fill, one, &seed);
  session.call(session.op.CrossEntropyLossBackward, loss.gradient, one, scores, labels, nullptr, ReductionMean,
               kIgnoreNone, 0.0);
  return loss;
}

diopiTensorHandle_t count_correct(Session& session, diopiTensorHandle_t scores, diopiTensorHandle_t labels) {
  const Shape batch = shape_of(labels);
  const diopiTensorHandle_t guesses = session.temporary(batch, diopi_dtype_int64);
  const diopiTensorHandle_t right = session.temporary(batch, diopi_dtype_bool);
  const diopiTensorHandle_t count = session.temporary({}, diopi_dtype_int64);
  const int64_t classes = 1;
  const Shape all{0};
  session.call(session.op.Argmax, guesses, scores, &classes, false);
  session.call(session.op.Eq, right, guesses, labels);
  session.call(session.op.Sum, count, right, sizes(all));
  return count;
}
