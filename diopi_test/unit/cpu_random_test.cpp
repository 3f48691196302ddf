// SPDX-License-Identifier: BSD-3-Clause
// Random words and values: known answers, and the same bits on every target and for every number of threads.
#include <diopirt_host.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "impl/common/generator.hpp"
#include "impl/common/openmp.hpp"
#include "impl/cpu/random/random.hpp"
#include "impl/cpu/random/random_simd.hpp"

namespace impl::cpu {
namespace {

using diopi::TensorView;

// Philox 4x32-10 as in its paper, one block at a time.
void reference_block(uint64_t seed, uint64_t block, uint32_t* c) {
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  c[0] = static_cast<uint32_t>(block);
  c[1] = static_cast<uint32_t>(block >> 32);
  c[2] = c[3] = 0;
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
                              static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    std::copy_n(next, 4, c);
  }
}

// Runs `f` on every vector target of this processor.
template <typename F>
void on_every_target(F&& f) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
}

template <typename T>
TensorView packed_view(std::vector<T>& memory) {
  TensorView view;
  view.data = reinterpret_cast<char*>(memory.data());
  view.dtype = diopi::dtype_of<T>;
  view.numel = static_cast<int64_t>(memory.size());
  view.shape.push_back(view.numel);
  view.stride.push_back(1);
  return view;
}

TEST(CpuRandom, words_of_seed_zero_are_the_published_ones) {
  uint32_t words[4];
  philox_words({0, 0}, 0, 1, words);
  EXPECT_EQ(words[0], 0x6627E8D5u);
  EXPECT_EQ(words[1], 0xE169C58Du);
  EXPECT_EQ(words[2], 0xBC57AC4Cu);
  EXPECT_EQ(words[3], 0x9B00DBD8u);
}

TEST(CpuRandom, words_agree_with_the_definition_on_every_target_and_across_2_to_the_32) {
  const RandomStream streams[] = {{0xFEDCBA9876543210, 0xFFFFFFFA}, {1, UINT64_MAX - 5}, {UINT64_MAX, 0}};
  on_every_target([&] {
    for (const RandomStream& stream : streams) {
      for (int64_t count : {1, 7, 16, 37}) {
        std::vector<uint32_t> words(4 * count);
        philox_words(stream, 3, count, words.data());
        for (int64_t i = 0; i < count; ++i) {
          uint32_t expected[4];
          reference_block(stream.seed, stream.block + 3 + static_cast<uint64_t>(i), expected);
          ASSERT_EQ(std::memcmp(&words[4 * i], expected, sizeof(expected)), 0) << "block " << i << " of " << count;
        }
      }
    }
  });
}

TEST(CpuRandom, values_have_the_same_bits_on_every_target) {
  constexpr int64_t kCount = 1 << 14;
  std::vector<uint32_t> words(2 * kCount);
  philox_words({12345, 0}, 0, kCount / 2, words.data());
  // Both ends of the interval: where the radius is largest and where it is zero.
  std::fill_n(words.begin(), 4, 0u);
  std::fill_n(words.begin() + 4, 4, 0xFFFFFFFFu);
  const NormalParams normal{0.25, 1.75};
  const UniformParams uniform{-1.3, 2.1, 2.1, 24};
  const auto make = [&] {
    std::vector<float> f(2 * kCount);
    std::vector<double> d(2 * kCount);
    random_normal_float(words.data(), kCount, normal, f.data());
    random_uniform_float(words.data(), kCount, uniform, f.data() + kCount);
    random_normal_double(words.data(), kCount, normal, d.data());
    random_uniform_double(words.data(), kCount, uniform, d.data() + kCount);
    return std::make_pair(f, d);
  };
  const auto expected = make();
  for (float x : expected.first) ASSERT_TRUE(x == x);
  on_every_target([&] {
    const auto got = make();
    EXPECT_EQ(std::memcmp(got.first.data(), expected.first.data(), got.first.size() * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(got.second.data(), expected.second.data(), got.second.size() * sizeof(double)), 0);
  });
}

TEST(CpuRandom, values_do_not_depend_on_the_number_of_threads_or_on_strides) {
  constexpr int64_t kCount = 100003;
  const NormalParams params{0, 1};
  const RandomKernel kernel = random_normal(diopi_dtype_float32, &params);
  std::vector<float> expected(kCount);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  fill_random({7, 9}, kernel, packed_view(expected));
  for (int count : {2, 3, 5}) {
    omp_set_num_threads(count);
    std::vector<float> got(kCount), spaced(3 * kCount);
    fill_random({7, 9}, kernel, packed_view(got));
    TensorView view = packed_view(spaced);
    view.numel = view.shape[0] = kCount;
    view.stride[0] = 3;
    fill_random({7, 9}, kernel, view);
    EXPECT_EQ(got, expected) << count << " threads";
    for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(spaced[3 * i], expected[i]) << i;
  }
  omp_set_num_threads(threads);
}

// With 256 numbers, the upper halves of two keys are equal for one of some 500 seeds.
TEST(CpuRandom, a_short_permutation_is_in_the_order_of_whole_keys) {
  for (int64_t n : {0, 1, 2, 31, 32, 33, 100, 255, 256}) {
    for (uint64_t seed = 0; seed < 3000; ++seed) {
      std::vector<uint64_t> numbers(permutation_memory(n));
      std::vector<int32_t> of_short(n);
      random_permutation({seed, 3}, n, numbers.data());
      random_short_permutation({seed, 3}, n, of_short.data());
      ASSERT_TRUE(std::equal(of_short.begin(), of_short.end(), numbers.begin())) << n << " numbers, seed " << seed;
    }
  }
}

// The positions of the pairs of words, whose low bits are replaced by the positions, in increasing order.
std::vector<uint64_t> positions_in_order(RandomStream stream, int64_t n, int low_bits) {
  const int64_t blocks = (2 * n + kPhiloxLanes - 1) / kPhiloxLanes;
  const uint64_t low = (uint64_t{1} << low_bits) - 1;
  std::vector<uint32_t> words(blocks * kPhiloxLanes);
  philox_words(stream, 0, blocks, words.data());
  std::vector<uint64_t> keys(n);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t pair = words[2 * i] | static_cast<uint64_t>(words[2 * i + 1]) << 32;
    keys[i] = (pair & ~low) | static_cast<uint64_t>(i);
  }
  std::sort(keys.begin(), keys.end());
  for (uint64_t& key : keys) key &= low;
  return keys;
}

TEST(CpuRandom, a_large_permutation_is_in_the_order_of_its_keys) {
  const int threads = omp_get_max_threads();
  const std::pair<int64_t, int> sizes[] = {{257, 9}, {1025, 11}, {100003, 17}, {131072, 17}, {1300001, 21}};
  for (const auto& [n, low_bits] : sizes) {
    const auto expected = positions_in_order({11, 5}, n, low_bits);
    for (int count : {1, 3}) {
      omp_set_num_threads(count);
      std::vector<uint64_t> numbers(permutation_memory(n));
      random_permutation({11, 5}, n, numbers.data());
      numbers.resize(n);
      EXPECT_TRUE(numbers == expected) << n << " numbers, " << count << " threads";
    }
  }
  omp_set_num_threads(threads);
}

TEST(CpuRandom, certain_probabilities_are_certain) {
  std::vector<uint32_t> words(64, 0xFFFFFFFFu);
  std::vector<uint8_t> out(64, 9);
  random_bernoulli_bytes(words.data(), 64, BernoulliParams(1.0), out.data());
  EXPECT_EQ(out, std::vector<uint8_t>(64, 1));
  std::fill(words.begin(), words.end(), 0u);
  random_bernoulli_bytes(words.data(), 64, BernoulliParams(0.0), out.data());
  EXPECT_EQ(out, std::vector<uint8_t>(64, 0));
}

class CpuGenerator : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(diopirtCreateGenerator(42, &generator_), diopiSuccess); }
  void TearDown() override { EXPECT_EQ(diopirtDestroyGenerator(generator_), diopiSuccess); }
  uint64_t offset() {
    uint64_t seed = 0, offset = 0;
    EXPECT_EQ(diopiGeneratorGetSeedAndOffset(generator_, &seed, &offset), diopiSuccess);
    EXPECT_EQ(seed, 42u);
    return offset;
  }

  diopiGeneratorHandle_t generator_ = nullptr;
};

TEST_F(CpuGenerator, reservations_are_whole_blocks_that_follow_each_other) {
  RandomStream stream;
  ASSERT_EQ(diopi::reserve_random(nullptr, generator_, 5, &stream), diopiSuccess);
  EXPECT_EQ(stream.seed, 42u);
  EXPECT_EQ(stream.block, 0u);
  EXPECT_EQ(offset(), 8u);
  ASSERT_EQ(diopi::reserve_random(nullptr, generator_, 4, &stream), diopiSuccess);
  EXPECT_EQ(stream.block, 2u);
  EXPECT_EQ(offset(), 12u);
  ASSERT_EQ(diopiGeneratorSetSeedAndOffset(generator_, 42, 13), diopiSuccess);
  ASSERT_EQ(diopi::reserve_random(nullptr, generator_, 0, &stream), diopiSuccess);
  EXPECT_EQ(stream.block, 4u);
  EXPECT_EQ(offset(), 16u);
}

TEST_F(CpuGenerator, state_serves_where_seed_and_offset_cannot_be_asked_for) {
  diopiContextHandle_t ctx = nullptr;
  ASSERT_EQ(diopirtCreateContext(nullptr, &ctx), diopiSuccess) << diopirtGetLastErrorString();
  ASSERT_EQ(diopiGeneratorSetSeedAndOffset(generator_, 42, 20), diopiSuccess);
  RandomStream stream;
  ASSERT_EQ(diopi::detail::reserve_through_state(ctx, generator_, 6, &stream), diopiSuccess);
  EXPECT_EQ(stream.seed, 42u);
  EXPECT_EQ(stream.block, 5u);
  EXPECT_EQ(offset(), 28u);
  EXPECT_EQ(diopirtDestroyContext(ctx), diopiSuccess);
}

TEST_F(CpuGenerator, missing_generator_is_named) {
  RandomStream stream;
  EXPECT_EQ(diopi::reserve_random(nullptr, nullptr, 1, &stream), diopiErrorOccurred);
  EXPECT_NE(std::string(diopi::last_error()).find("generator"), std::string::npos);
}

}  // namespace
}  // namespace impl::cpu
