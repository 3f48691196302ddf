// SPDX-License-Identifier: BSD-3-Clause
// Divisions that round and remainders, compared bit by bit with the functions of the C library and with 128-bit
// integers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/common/dtype.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/cpu/pointwise/binary.hpp"

namespace {

using diopi::BinaryOp;

template <typename T>
T divide_float(BinaryOp op, T a, T b) {
  if (op == BinaryOp::kDivTrunc) return std::trunc(a / b);
  if (op == BinaryOp::kDivFloor && b == 0) return a / b;
  const T rest = std::fmod(a, b);
  const bool other_sign = rest != 0 && (rest < 0) != (b < 0);
  if (op == BinaryOp::kRemainder) return other_sign ? rest + b : rest;
  const T quotient = (a - rest) / b - static_cast<T>(other_sign);
  if (quotient == 0) return std::copysign(T{0}, a / b);
  const T floor = std::floor(quotient);
  return quotient - floor > T{0.5} ? floor + 1 : floor;
}

template <typename T>
T divide_integer(BinaryOp op, T a, T b) {
  const auto x = static_cast<__int128>(a), y = static_cast<__int128>(b);
  const __int128 quotient = x / y, rest = x % y;
  const bool below = rest != 0 && (rest < 0) != (y < 0);
  if (op == BinaryOp::kDivTrunc) return static_cast<T>(quotient);
  return static_cast<T>(op == BinaryOp::kDivFloor ? quotient - static_cast<int>(below) : below ? rest + y : rest);
}

template <typename T>
T divide(BinaryOp op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return divide_integer(op, a, b);
  } else {
    return divide_float(op, a, b);
  }
}

template <typename T>
T any_bits(std::mt19937_64* random) {
  const uint64_t bits = (*random)();
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

// Pairs with small, large, nearly whole and undefined quotients.
template <typename T>
void fill(std::vector<T>* a, std::vector<T>* b, std::mt19937_64* random) {
  for (size_t i = 0; i < a->size(); ++i) {
    T x = any_bits<T>(random), y = any_bits<T>(random);
    const auto kind = (*random)() % 8;
    if constexpr (std::is_integral_v<T>) {
      if (kind < 4) y = static_cast<T>(static_cast<int>((*random)() % 40) - 20);
      if (kind == 1) x = static_cast<T>(y * static_cast<T>((*random)() % 100));
      if (kind == 2) x = static_cast<T>((*random)() % 1000);
      if (kind == 3) x = i % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
      if (y == 0) y = std::numeric_limits<T>::max();
    } else {
      std::normal_distribution<T> normal;
      if (kind < 5) x = normal(*random) * T{100}, y = normal(*random);
      if (kind == 1) x = y * static_cast<T>(static_cast<int>((*random)() % 2000) - 1000);
      if (kind == 2) x = std::nextafter(y * static_cast<T>((*random)() % 2000), i % 2 == 0 ? T{0} : T{1000});
      if (kind == 3) x *= std::ldexp(T{1}, static_cast<int>((*random)() % 60));
      if (kind == 5) y = std::numeric_limits<T>::infinity();
      if (i % 64 == 7) x = T{-0.0};
      if (i % 64 == 9) y = T{0};
    }
    (*a)[i] = x;
    (*b)[i] = y;
  }
}

template <typename T>
bool same(T got, T want) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(want)) return std::isnan(got);
  }
  if constexpr (std::is_floating_point_v<T>) {  // zeros differ by their signs
    return got == want && std::signbit(got) == std::signbit(want);
  } else {
    return got == want;
  }
}

template <typename T>
void expect_quotients() {
  std::mt19937_64 random(29);
  const size_t n = 40003;
  std::vector<T> a(n), b(n), out(n);
  fill(&a, &b, &random);
  for (const BinaryOp op : {BinaryOp::kDivTrunc, BinaryOp::kDivFloor, BinaryOp::kRemainder}) {
    void* const outputs[] = {out.data()};
    const void* const inputs[] = {a.data(), b.data()};
    impl::cpu::division_kernel(op, diopi::dtype_of<T>)(outputs, inputs, static_cast<int64_t>(n), nullptr);
    for (size_t i = 0; i < n; ++i) {
      const T want = divide(op, a[i], b[i]);
      ASSERT_TRUE(same(out[i], want)) << diopi::dtype_name(diopi::dtype_of<T>) << ", operation " << static_cast<int>(op)
                                      << " of " << +a[i] << " and " << +b[i] << ": expected " << +want << ", got "
                                      << +out[i];
    }
  }
}

TEST(CpuDivision, quotients_and_remainders_are_exact_on_every_vector_target) {
  test::on_every_target([] {
    expect_quotients<float>();
    expect_quotients<double>();
    expect_quotients<int8_t>();
    expect_quotients<uint8_t>();
    expect_quotients<int16_t>();
    expect_quotients<uint16_t>();
    expect_quotients<int32_t>();
    expect_quotients<uint32_t>();
    expect_quotients<int64_t>();
    expect_quotients<uint64_t>();
  });
}

// Rows of `width` elements, `step` elements apart, in memory whose other elements are zero.
template <typename T>
void expect_zeros_are_found(int64_t rows, int64_t width, int64_t step) {
  const int64_t pitch = width * step + 3;
  std::vector<T> memory(rows * pitch);
  diopi::TensorView view;
  view.data = reinterpret_cast<char*>(memory.data());
  view.dtype = diopi::dtype_of<T>;
  view.numel = rows * width;
  for (const auto& [extent, stride] : {std::pair{rows, pitch}, std::pair{width, step}}) {
    view.shape.push_back(extent);
    view.stride.push_back(stride);
  }
  for (int64_t i = 0; i < view.numel; ++i) memory[i / width * pitch + i % width * step] = T{1};
  bool found = true;
  ASSERT_EQ(impl::cpu::any_zero(nullptr, view, &found), diopiSuccess);
  EXPECT_FALSE(found) << "a zero between the elements counts";
  for (const int64_t i : {int64_t{0}, view.numel / 2, view.numel - 1}) {
    T& element = memory[i / width * pitch + i % width * step];
    element = T{0};
    ASSERT_EQ(impl::cpu::any_zero(nullptr, view, &found), diopiSuccess);
    EXPECT_TRUE(found) << "element " << i << " of " << view.numel;
    element = T{1};
  }
}

TEST(CpuDivision, zero_divisors_are_found_in_any_layout) {
  for (const int64_t rows : {1, 3, 700}) {
    for (const int64_t step : {1, 2}) {
      expect_zeros_are_found<int8_t>(rows, 301, step);
      expect_zeros_are_found<int16_t>(rows, 17, step);
      expect_zeros_are_found<int32_t>(rows, 1, step);
      expect_zeros_are_found<int64_t>(rows, 301, step);
    }
  }
}

}  // namespace
