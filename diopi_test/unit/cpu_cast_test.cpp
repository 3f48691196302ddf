// SPDX-License-Identifier: BSD-3-Clause
// Conversions between dtypes, bit for bit, on each vector target of this machine.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <hwy/targets.h>
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/simd/bfloat16_rounding.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using diopi::bfloat16;
using diopi::float16;

// The parameter is a target of Highway, or 0 for the baseline of the kernels.
class CpuCast : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::GetChosenTarget().Update(GetParam()); }
  void TearDown() override { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }
};

std::vector<int64_t> targets() {
  std::vector<int64_t> result{0};
#if HWY_ARCH_X86
  for (const int64_t target : {int64_t{HWY_SSE4}, int64_t{HWY_AVX2}, int64_t{HWY_AVX3}}) {
    if ((hwy::SupportedTargets() & target) != 0) result.push_back(target);
  }
#endif
  return result;
}

uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

std::vector<uint16_t> all_patterns() {
  std::vector<uint16_t> result(65536);
  for (int i = 0; i < 65536; ++i) result[i] = static_cast<uint16_t>(i);
  return result;
}

// Random bits. Many of the numbers are near the limits of float16, or are ties of the rounding to float16 or bfloat16.
std::vector<float> hard_floats() {
  std::mt19937 random(1);
  std::vector<float> result(1 << 20);
  for (size_t i = 0; i < result.size(); ++i) {
    uint32_t bits = static_cast<uint32_t>(random());
    if (i % 2 == 0) bits = (bits & 0x80000000) | (0x32000000 + (bits & 0x7FFFFFFF) % 0x16000000);
    if (i % 3 == 0) bits = (bits & ~0x1FFFu) | 0x1000 | (i % 2);
    if (i % 7 == 0) bits = (bits & ~0xFFFFu) | 0x8000;
    result[i] = float_of(bits);
  }
  return result;
}

// The nearest float16 by its definition: scaled integers, ties to even.
uint16_t nearest_float16(float x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double a = std::fabs(static_cast<double>(x));
  if (std::isnan(x)) return 0x7E00;
  if (a >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
  const int exponent = a < 0x1p-14 ? -14 : std::ilogb(a);
  const double steps = std::nearbyint(std::ldexp(a, 10 - exponent));  // ties to even
  return static_cast<uint16_t>(sign | static_cast<int>(steps + (exponent + 14) * 1024.0));
}

TEST_P(CpuCast, every_float16_becomes_the_float_that_it_means) {
  const std::vector<uint16_t> in = all_patterns();
  std::vector<float> out(in.size());
  cast_float16_to_float32(out.data(), in.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) {
    const uint32_t exponent = i >> 10 & 31, fraction = i & 1023;
    const float sign = i >> 15 != 0 ? -1.0f : 1.0f;
    if (exponent == 31 && fraction != 0) {
      EXPECT_TRUE(std::isnan(out[i])) << i;
      EXPECT_NE(bits_of(out[i]) & 0x00400000, 0u) << "a quiet NaN " << i;
    } else if (exponent == 31) {
      EXPECT_EQ(out[i], sign * INFINITY) << i;
    } else {
      const float value = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25);
      EXPECT_EQ(bits_of(out[i]), bits_of(sign * value)) << i;
    }
  }
}

TEST_P(CpuCast, every_float16_and_bfloat16_survives_the_way_to_float_and_back) {
  const std::vector<uint16_t> in = all_patterns();
  std::vector<float> wide(in.size());
  std::vector<uint16_t> back(in.size());
  cast_float16_to_float32(wide.data(), in.data(), 65536);
  cast_float32_to_float16(back.data(), wide.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) EXPECT_EQ(back[i], (i & 0x7FFF) > 0x7C00 ? i | 0x200 : i);
  cast_bfloat16_to_float32(wide.data(), in.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) EXPECT_EQ(bits_of(wide[i]), i << 16);
  cast_float32_to_bfloat16(back.data(), wide.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) EXPECT_EQ(back[i], (i & 0x7FFF) > 0x7F80 ? i | 0x40 : i);
}

TEST_P(CpuCast, floats_round_to_the_nearest_float16_and_bfloat16) {
  const std::vector<float> in = hard_floats();
  std::vector<uint16_t> half(in.size()), brain(in.size());
  cast_float32_to_float16(half.data(), in.data(), static_cast<int64_t>(in.size()));
  cast_float32_to_bfloat16(brain.data(), in.data(), static_cast<int64_t>(in.size()));
  int wrong = 0;
  for (size_t i = 0; i < in.size() && wrong < 10; ++i) {
    const uint32_t bits = bits_of(in[i]);
    if (std::isnan(in[i])) {
      wrong += (half[i] & 0x7FFF) <= 0x7C00 || (brain[i] & 0x7FFF) <= 0x7F80 ? 1 : 0;
    } else {
      const uint32_t even = bits + 0x7FFF + (bits >> 16 & 1);
      wrong += half[i] != nearest_float16(in[i]) || brain[i] != even >> 16 ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0) << std::hex << bits << " became " << half[i] << " and " << brain[i];
  }
}

TEST_P(CpuCast, vector_and_scalar_conversions_agree) {
  const std::vector<float> in = hard_floats();
  std::vector<uint16_t> half(in.size()), brain(in.size());
  cast_float32_to_float16(half.data(), in.data(), static_cast<int64_t>(in.size()));
  cast_float32_to_bfloat16(brain.data(), in.data(), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(half[i], float16(in[i]).bits) << std::hex << bits_of(in[i]);
    ASSERT_EQ(brain[i], bfloat16(in[i]).bits) << std::hex << bits_of(in[i]);
  }
}

TEST_P(CpuCast, bfloat16_has_the_same_bits_without_the_processors_instruction) {
  const std::vector<float> in = hard_floats();
  std::vector<uint16_t> with(in.size()), without(in.size());
  cast_float32_to_bfloat16(with.data(), in.data(), static_cast<int64_t>(in.size()));
  const bool before = impl::cpu::internal::rounds_to_bfloat16;
  impl::cpu::internal::rounds_to_bfloat16 = false;
  cast_float32_to_bfloat16(without.data(), in.data(), static_cast<int64_t>(in.size()));
  impl::cpu::internal::rounds_to_bfloat16 = before;
  EXPECT_EQ(with, without);
}

TEST_P(CpuCast, tails_of_any_length_are_converted_and_nothing_behind_them) {
  const std::vector<float> in = hard_floats();
  for (int64_t n = 0; n < 100; ++n) {
    std::vector<uint16_t> out(static_cast<size_t>(n) + 1, 0xABCD);
    cast_float32_to_float16(out.data(), in.data() + 1, n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], float16(in[i + 1]).bits);
    ASSERT_EQ(out[n], 0xABCD);
  }
}

TEST_P(CpuCast, what_no_int32_holds_becomes_the_least_one) {
  const std::vector<float> in = {2147483648.0f,  -2147483904.0f, NAN,   INFINITY, -INFINITY, 3e9f,
                                 -2147483648.0f, 2147483520.0f,  -1.9f, 1.9f,     -0.0f};
  const std::vector<int32_t> want = {INT_MIN, INT_MIN,    INT_MIN, INT_MIN, INT_MIN, INT_MIN,
                                     INT_MIN, 2147483520, -1,      1,       0};
  std::vector<int32_t> out(in.size());
  cast_float32_to_int32(out.data(), in.data(), static_cast<int64_t>(in.size()));
  EXPECT_EQ(out, want);
}

TEST_P(CpuCast, doubles_and_floats_of_any_size_truncate_to_int64) {
  std::mt19937_64 random(9);
  std::vector<double> in = {
      0x1p63, -0x1p63, -0x1.0000000000001p63, 0x1.fffffffffffffp62, NAN,    INFINITY,  -INFINITY, -0.0,
      0.99,   -0.99,   4503599627370497.0,    -4503599627370496.5,  0x1p52, 0x1p53 + 2};
  for (int i = 0; i < 20000; ++i) {
    in.push_back(std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -static_cast<int>(random() % 70)));
  }
  const auto want = [](double x) { return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : INT64_MIN; };
  const std::vector<float> narrow(in.begin(), in.end());
  std::vector<int64_t> out(in.size()), from_narrow(in.size());
  cast_float64_to_int64(out.data(), in.data(), static_cast<int64_t>(in.size()));
  cast_float32_to_int64(from_narrow.data(), narrow.data(), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], want(in[i])) << in[i];
    ASSERT_EQ(from_narrow[i], want(narrow[i])) << narrow[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, CpuCast, testing::ValuesIn(targets()), [](const auto& info) {
  return info.param == 0 ? std::string("baseline") : std::string(hwy::TargetName(info.param));
});

TEST(CpuCastTable, has_a_function_for_every_pair_of_storage_dtypes_and_no_other) {
  for (int from = 0; from < 20; ++from) {
    for (int to = 0; to < 20; ++to) {
      const auto f = static_cast<diopiDtype_t>(from), t = static_cast<diopiDtype_t>(to);
      EXPECT_EQ(cast_function(f, t) != nullptr, diopi::dtype_size(f) > 0 && diopi::dtype_size(t) > 0) << from << to;
    }
  }
}

TEST(CpuCastTable, longer_than_a_block_goes_through_hubs_without_a_seam) {
  constexpr int64_t kCount = 1500;
  std::vector<float> real(2 * kCount);
  std::vector<uint16_t> out(kCount + 1, 0xABCD);
  for (int64_t i = 0; i < kCount; ++i) real[2 * i] = static_cast<float>(i);
  cast_function(diopi_dtype_complex64, diopi_dtype_bfloat16)(out.data(), real.data(), kCount);
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], bfloat16(static_cast<float>(i)).bits);
  EXPECT_EQ(out[kCount], 0xABCD);
}

TEST(CpuCastTable, truth_is_being_different_from_zero_in_either_part) {
  const float parts[] = {0, 0, 0, 2, -3, 0, NAN, 0, -0.0f, 0};
  bool out[5];
  cast_function(diopi_dtype_complex64, diopi_dtype_bool)(out, parts, 5);
  EXPECT_FALSE(out[0]);
  EXPECT_TRUE(out[1] && out[2] && out[3]);
  EXPECT_FALSE(out[4]);
}

}  // namespace
