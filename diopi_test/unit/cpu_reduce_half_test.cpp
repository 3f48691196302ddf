// SPDX-License-Identifier: BSD-3-Clause
// The largest and smallest of any bits of 16-bit floating point numbers, which the kernels compare as integers.
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "diopi_test/unit/engine_fixture.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace

class CpuReduceHalf : public engine_test::EngineTest {};

template <typename S>
float number(uint16_t bits) {
  S value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(value));
  return static_cast<float>(value);
}

TensorView matrix(void* data, diopiDtype_t dtype, int64_t rows, int64_t columns) {
  TensorView view;
  view.data = static_cast<char*>(data);
  view.dtype = dtype;
  view.shape.push_back(rows);
  view.shape.push_back(columns);
  view.stride = diopi::contiguous_strides(view.shape);
  view.numel = rows * columns;
  return view;
}

// Any bits, of which NaNs are few: a tenth of the results should have one.
template <typename S>
std::vector<uint16_t> random_bits(int64_t count, double nan, std::mt19937* random) {
  std::vector<uint16_t> bits(static_cast<size_t>(count));
  std::bernoulli_distribution keeps(nan);
  for (uint16_t& b : bits) {
    do {
      b = static_cast<uint16_t>((*random)());
    } while (std::isnan(number<S>(b)) && !keeps(*random));
  }
  return bits;
}

// The extremum of `count` numbers that are `step` apart, from number `first` on.
template <typename S>
float extremum(const std::vector<uint16_t>& bits, int64_t first, int64_t step, int64_t count, bool largest) {
  float result = number<S>(bits[first]);
  for (int64_t i = 0; i < count; ++i) {
    const float x = number<S>(bits[first + i * step]);
    if (std::isnan(x)) return x;
    if (largest ? x > result : x < result) result = x;
  }
  return result;
}

template <typename S>
void expect_extremes(diopiContextHandle_t ctx, int64_t rows, int64_t columns, std::mt19937* random) {
  const diopiDtype_t dtype = diopi::dtype_of<S>;
  std::vector<uint16_t> bits = random_bits<S>(rows * columns, 1.0 / static_cast<double>(rows), random);
  const TensorView input = matrix(bits.data(), dtype, rows, columns);
  for (const bool largest : {true, false}) {
    for (const uint32_t mask : {1u, 2u}) {
      const int64_t results = mask == 1 ? columns : rows, terms = mask == 1 ? rows : columns;
      std::vector<float> got(static_cast<size_t>(results), 7);
      const TensorView out = matrix(got.data(), diopi_dtype_float32, mask == 1 ? 1 : rows, mask == 1 ? columns : 1);
      ASSERT_EQ(run_reduce(ctx, *half_extremum_kernel(largest, dtype), &out, input, mask), diopiSuccess);
      for (int64_t i = 0; i < results; ++i) {
        const int64_t step = mask == 1 ? columns : 1;
        const float expected = extremum<S>(bits, mask == 1 ? i : i * columns, step, terms, largest);
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(got[i]) : got[i] == expected)
            << "result " << i << " of " << rows << " x " << columns << ", mask " << mask << ": " << got[i]
            << ", expected " << expected;
      }
    }
  }
}

TEST_F(CpuReduceHalf, extremes_of_any_bits) {
  test::on_every_target([&] {
    std::mt19937 random(3);
    for (const int64_t rows : {1, 3, 40, 300}) {
      for (const int64_t columns : {1, 2, 7, 31, 32, 33, 65, 130, 1000}) {
        expect_extremes<diopi::float16>(ctx_, rows, columns, &random);
        expect_extremes<diopi::bfloat16>(ctx_, rows, columns, &random);
      }
    }
  });
}

}  // namespace
