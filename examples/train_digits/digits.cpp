// SPDX-License-Identifier: BSD-3-Clause
#include "digits.hpp"

#include <fstream>
#include <random>
#include <sstream>

namespace {

constexpr int kPixels = 64;
constexpr double kBlack = 16.0;
constexpr uint32_t kSplitSeed = 2024;

struct Digit {
  float pixels[kPixels];
  int64_t label;
};

Digit parse(const std::string& line, const std::string& where) {
  Digit digit{};
  std::istringstream fields(line);
  std::string field;
  for (int i = 0; i <= kPixels; ++i) {
    size_t used = 0;
    long value = -1;
    if (std::getline(fields, field, ',')) {
      try {
        value = std::stol(field, &used);
      } catch (const std::exception&) {
        used = 0;
      }
    }
    if (used == 0 || value < 0 || value > (i < kPixels ? 16 : 9)) {
      throw Failure(where + ": field " + std::to_string(i + 1) + " is not a pixel of 0 to 16 or a label of 0 to 9");
    }
    if (i < kPixels) {
      digit.pixels[i] = static_cast<float>(value);
    } else {
      digit.label = value;
    }
  }
  return digit;
}

std::vector<Digit> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Failure("cannot read " + path);
  std::vector<Digit> digits;
  for (std::string line; std::getline(file, line);) {
    digits.push_back(parse(line, path + ":" + std::to_string(digits.size() + 1)));
  }
  if (digits.size() < 5) throw Failure(path + " has fewer than 5 lines");
  return digits;
}

// std::shuffle is not used, because its order differs between standard libraries.
void shuffle(std::vector<Digit>* digits) {
  std::mt19937 random(kSplitSeed);
  for (size_t i = digits->size() - 1; i > 0; --i) std::swap((*digits)[i], (*digits)[random() % (i + 1)]);
}

DataSet upload(Session& session, const Digit* digits, int64_t count) {
  DataSet set;
  std::vector<float> pixels(kPixels * count);
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t pixel = 0; pixel < kPixels; ++pixel) pixels[pixel * count + i] = digits[i].pixels[pixel];
    labels.push_back(digits[i].label);
  }
  set.count = count;
  // A table with one row for each pixel; the images are a view of it, because operators take any strides.
  const Tensor table = session.tensor({kPixels, count});
  set.labels = session.tensor({count}, diopi_dtype_int64);
  session.upload(table, pixels.data(), pixels.size() * sizeof(float));
  session.upload(set.labels, labels.data(), labels.size() * sizeof(int64_t));
  const diopiScalar_t black = scalar(kBlack);
  session.call(session.op.DivInpScalar, table, &black, RoundModeNone);
  set.images = session.strided(table, {count, 1, 8, 8}, {1, kPixels * count, 8 * count, count});
  return set;
}

}  // namespace

Split load_digits(Session& session, const std::string& path) {
  std::vector<Digit> digits = read(path);
  shuffle(&digits);
  const auto total = static_cast<int64_t>(digits.size());
  const int64_t train = total - (total + 4) / 5;
  return {upload(session, digits.data(), train), upload(session, digits.data() + train, total - train)};
}
