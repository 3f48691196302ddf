// SPDX-License-Identifier: BSD-3-Clause
// The data: images and labels on the device, divided into a training part and a held-out part.
#ifndef EXAMPLES_TRAIN_DIGITS_DIGITS_HPP_
#define EXAMPLES_TRAIN_DIGITS_DIGITS_HPP_

#include "session.hpp"

struct DataSet {
  Tensor images;  // [count, 1, 8, 8] float32, 0 to 1
  Tensor labels;  // [count] int64
  int64_t count = 0;
};

struct Split {
  DataSet train, held_out;
};

// Reads lines of 64 pixels and a label. A fifth of the lines is held out; the program chooses it with a fixed seed.
Split load_digits(Session& session, const std::string& path);

#endif  // EXAMPLES_TRAIN_DIGITS_DIGITS_HPP_
