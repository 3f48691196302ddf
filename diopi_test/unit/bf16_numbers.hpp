// SPDX-License-Identifier: BSD-3-Clause
// bfloat16 numbers of the tests of products.
#ifndef DIOPI_TEST_UNIT_BF16_NUMBERS_HPP_
#define DIOPI_TEST_UNIT_BF16_NUMBERS_HPP_

#include <cstdint>
#include <cstring>
#include <random>

namespace bf16_test {

inline float value_of(uint32_t bits) {
  const uint32_t word = bits << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// Fills an array with random numbers of +-[0.5, 2), and another one with pairs of them.
template <size_t kCount, size_t kPairs>
void fill(uint16_t (&numbers)[kCount], uint32_t (&pairs)[kPairs]) {
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<uint16_t>(0x3F00 | (random() & 0x80FF)); };
  for (uint16_t& x : numbers) x = number();
  for (uint32_t& x : pairs) x = number() | static_cast<uint32_t>(number()) << 16;
}

}  // namespace bf16_test

#endif  // DIOPI_TEST_UNIT_BF16_NUMBERS_HPP_
