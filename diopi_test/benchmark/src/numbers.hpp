// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes elements of any dtype as double, to fill inputs and to compare results. The functions are not fast.
#ifndef DIOPI_TEST_BENCHMARK_SRC_NUMBERS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_NUMBERS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace diopi_bench {

double load_number(const char* address, diopiDtype_t dtype);
void store_number(char* address, diopiDtype_t dtype, double value);

// xorshift64*: makes the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_NUMBERS_HPP_
