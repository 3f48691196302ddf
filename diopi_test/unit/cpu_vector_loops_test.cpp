// SPDX-License-Identifier: BSD-3-Clause
// Compares the short vector loops of copies, conversions and indexing with plain loops, on each vector target.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "diopi_test/unit/every_prefetching.hpp"
#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/copy/transpose.hpp"
#include "impl/cpu/engine/index/index_simd.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace

constexpr char kUntouched = 0x55;

std::vector<char> random_bytes(int64_t n) {
  std::mt19937 random(static_cast<uint32_t>(n));
  std::vector<char> bytes(n);
  for (char& b : bytes) b = static_cast<char>(random());
  return bytes;
}

TEST(CpuVectorLoops, items_are_reversed_and_repeated) {
  test::on_every_target([] {
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      for (int64_t n = 0; n < 140; ++n) {
        const std::vector<char> src = random_bytes(n * size + size);
        std::vector<char> reversed(n * size + 1, kUntouched), want = reversed, repeated = reversed, same = reversed;
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(&want[i * size], &src[(n - 1 - i) * size], size);
          std::memcpy(&same[i * size], &src[0], size);
        }
        reverse_rows(reversed.data(), 0, src.data(), 0, size, n, 1);
        broadcast_element(repeated.data(), src.data(), size, n);
        ASSERT_EQ(reversed, want) << n << " items of " << size;
        ASSERT_EQ(repeated, same) << n << " items of " << size;
      }
    }
  });
}

TEST(CpuVectorLoops, rows_are_stored_past_the_caches) {
  test::on_every_target([] {
    for (const int64_t bytes : {0, 1, 63, 64, 65, 256, 1000, 16383, 16384, 40000}) {
      for (const int64_t start : {0, 1, 8, 63}) {
        const int64_t rows = bytes > 1000 ? 1 : 3, step = bytes + 5;
        const std::vector<char> src = random_bytes(rows * (bytes + 9));
        std::vector<char> dst(rows * step + 128, kUntouched), want = dst;
        for (int64_t r = 0; r < rows; ++r) std::memcpy(&want[start + r * step], &src[r * (bytes + 9)], bytes);
        stream_rows(&dst[start], step, src.data(), bytes + 9, bytes, rows);
        finish_stores();
        ASSERT_EQ(dst, want) << rows << " rows of " << bytes << " bytes from " << start;
      }
    }
  });
}

TEST(CpuVectorLoops, blocks_that_are_stored_past_the_caches_begin_at_lines) {
  alignas(64) static char memory[64];
  for (const int64_t size : {1, 2, 4, 8, 16}) {
    for (int64_t start = 0; start < 64; start += size) {
      for (const int64_t n : {0, 1, 63, 64, 127, 128, 129, 300, 1000}) {
        int64_t next = 0;
        for_stream_blocks(memory + start, size, n, [&](int64_t begin, int64_t count) {
          ASSERT_EQ(begin, next);
          ASSERT_TRUE(count >= 1 && count <= stream_block(size)) << count;
          const int64_t at = (start + begin * size) % 64;
          ASSERT_TRUE(begin == 0 || at == 0) << n << " items of " << size << " from " << start;
          next = begin + count;
        });
        ASSERT_EQ(next, n);
      }
    }
  }
}

TEST(CpuVectorLoops, tiles_are_turned_round) {
  test::on_every_target([] {
    for (const int64_t size : {1, 2, 4, 8}) {
      for (const int64_t n0 : {1, 3, 8, 15, 16, 17, 40, 64, 70}) {
        for (const int64_t n1 : {1, 4, 7, 16, 33, 64, 65}) {
          for (const bool stream : {false, true}) {
            const int64_t dst_step = (n0 * size + 63) / 64 * 64 + (stream ? 64 : size), src_step = n1 * size + 3 * size;
            const std::vector<char> src = random_bytes(n0 * src_step);
            std::vector<char> memory(n1 * dst_step + 64, kUntouched), want = memory;
            char* const dst = &memory[-reinterpret_cast<uintptr_t>(memory.data()) % 64];
            const int64_t start = dst - memory.data();
            for (int64_t j = 0; j < n1; ++j) {
              for (int64_t i = 0; i < n0; ++i) {
                std::memcpy(&want[start + j * dst_step + i * size], &src[i * src_step + j * size], size);
              }
            }
            transpose_function(size)(dst, dst_step, src.data(), src_step, n0, n1, stream);
            finish_stores();
            ASSERT_EQ(memory, want) << n0 << " x " << n1 << " items of " << size << ", stream " << stream;
          }
        }
      }
    }
  });
}

template <typename I>
void expect_range_check() {
  for (int64_t n = 0; n < 70; ++n) {
    std::vector<I> index(n);
    for (int64_t i = 0; i < n; ++i) index[i] = static_cast<I>(i % 7 - 2);
    EXPECT_TRUE(indices_within(index.data(), n, -2, 7));
    for (int64_t i = 0; i < n; ++i) {
      const I kept = index[i];
      for (const I outside :
           {static_cast<I>(-3), static_cast<I>(5), std::numeric_limits<I>::min(), std::numeric_limits<I>::max()}) {
        index[i] = outside;
        EXPECT_FALSE(indices_within(index.data(), n, -2, 7)) << outside << " at " << i << " of " << n;
      }
      index[i] = kept;
    }
  }
}

template <typename T, typename I>
void expect_gather() {
  const GatherItemsFn gather = gather_items_function(sizeof(T), sizeof(I) == 8);
  if (gather == nullptr) return;  // this target uses plain loops
  std::mt19937 random(3);
  std::vector<T> src(1000);
  for (T& x : src) x = static_cast<T>(random());
  for (int64_t n = 0; n < 100; ++n) {
    std::vector<I> index(n);
    for (I& i : index) i = static_cast<I>(random() % src.size());
    std::vector<T> dst(n + 1, T{7}), want = dst;
    for (int64_t i = 0; i < n; ++i) want[i] = src[index[i]];
    gather(dst.data(), src.data(), index.data(), n);
    EXPECT_EQ(dst, want) << n << " items of " << sizeof(T);
  }
}

TEST(CpuVectorLoops, long_lists_of_indices_are_checked_to_the_end) {
  test::with_and_without_prefetching([] {
    test::on_every_target([] {
      const int64_t n = 3 * 8 * 512 + 700;
      std::vector<int64_t> index(n, 5);
      EXPECT_TRUE(indices_within(index.data(), n, 0, 6));
      for (int64_t i = 0; i < n; i += i % 5 + 1) {
        index[i] = i % 2 == 0 ? 6 : -1;
        EXPECT_FALSE(indices_within(index.data(), n, 0, 6)) << i;
        index[i] = 5;
      }
    });
  });
}

TEST(CpuVectorLoops, offsets_are_made_of_indices) {
  test::on_every_target([] {
    for (const bool wrap : {false, true}) {
      for (const bool first : {false, true}) {
        for (const int64_t stride : {1, 3, -2}) {
          for (int64_t n = 0; n < 40; ++n) {
            std::vector<int64_t> index(n), table(n + 1, 100), want = table;
            for (int64_t i = 0; i < n; ++i) {
              index[i] = wrap && i % 2 == 0 ? i % 9 - 9 : i % 9;
              want[i] = (first ? 0 : 100) + (index[i] < 0 ? index[i] + 9 : index[i]) * stride;
            }
            EXPECT_TRUE(make_offsets(table.data(), index.data(), n, {9, stride, wrap, first}));
            EXPECT_EQ(table, want);
            for (int64_t i = 0; i < n; ++i) {
              const int64_t kept = index[i];
              for (const int64_t outside : {int64_t{9}, wrap ? int64_t{-10} : int64_t{-1}, INT64_MIN, INT64_MAX}) {
                index[i] = outside;
                EXPECT_FALSE(make_offsets(table.data(), index.data(), n, {9, stride, wrap, first})) << outside;
              }
              index[i] = kept;
            }
          }
        }
      }
    }
  });
}

TEST(CpuVectorLoops, indices_are_checked_and_followed) {
  test::with_and_without_prefetching([] {
    test::on_every_target([] {
      expect_range_check<int32_t>();
      expect_range_check<int64_t>();
      expect_gather<uint32_t, int32_t>();
      expect_gather<uint32_t, int64_t>();
      expect_gather<uint64_t, int32_t>();
      expect_gather<uint64_t, int64_t>();
    });
  });
}

// The rules of cast.hpp for one element. `kSpecial` are values that a conversion could get wrong.
template <typename T, typename F>
T converted(F x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<F> && std::is_integral_v<T>) {
    using Through = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    const double limit = std::ldexp(1.0, 8 * sizeof(Through) - 1);
    const double v = static_cast<double>(x);
    return static_cast<T>(v >= -limit && v < limit ? static_cast<Through>(v) : std::numeric_limits<Through>::min());
  } else {
    return static_cast<T>(x);
  }
}

template <typename F>
std::vector<F> special_values() {
  std::vector<F> values;
  if constexpr (std::is_same_v<F, bool>) {
    values = {false, true};
  } else if constexpr (std::is_floating_point_v<F>) {
    values = {F(0),
              F(-0.0),
              F(0.5),
              F(-0.9),
              F(1.5),
              F(127.9),
              F(-128.5),
              F(255.5),
              F(256),
              F(-32768.5),
              F(65536),
              F(2147483520.0),
              F(2147483648.0),
              F(-2147483648.0),
              F(-2147483904.0),
              F(4294967296.0),
              F(9.2e18),
              F(9223372036854775808.0),
              F(-9223372036854775808.0),
              F(1e30),
              F(-1e30),
              F(1e-40),
              std::numeric_limits<F>::infinity(),
              -std::numeric_limits<F>::infinity(),
              std::numeric_limits<F>::quiet_NaN()};
  } else {
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(F)); ++shift) {
      const uint64_t power = uint64_t{1} << shift;  // unsigned: the neighbours of the extremes wrap around
      for (const uint64_t value : {power - 1, power, power + 1, 0 - power}) values.push_back(static_cast<F>(value));
    }
  }
  return values;
}

template <typename T, typename F>
void expect_conversion_by(CastFn cast) {
  if constexpr (!std::is_same_v<T, F>) {
    ASSERT_NE(cast, nullptr);
    const std::vector<F> values = special_values<F>();
    for (int64_t n = 0; n < 80; ++n) {
      const std::unique_ptr<F[]> src(new F[n + 1]);
      const std::unique_ptr<T[]> dst(new T[n + 1]), want(new T[n + 1]);
      std::memset(dst.get(), 0, (n + 1) * sizeof(T));
      std::memset(want.get(), 0, (n + 1) * sizeof(T));
      for (int64_t i = 0; i < n; ++i) {
        src[i] = values[(n + i * 5) % values.size()];
        want[i] = converted<T>(src[i]);
      }
      cast(dst.get(), src.get(), n);
      if constexpr (std::is_floating_point_v<T>) {
        for (int64_t i = 0; i < n; ++i) {
          if (!std::isnan(want[i])) continue;
          EXPECT_TRUE(std::isnan(dst[i]));
          want[i] = dst[i];
        }
      }
      ASSERT_EQ(std::memcmp(dst.get(), want.get(), (n + 1) * sizeof(T)), 0)
          << n << " from " << diopi::dtype_name(diopi::dtype_of<F>) << " to " << diopi::dtype_name(diopi::dtype_of<T>);
    }
  }
}

// Checks the loop of the target and the entry in the table of all conversions.
template <typename T, typename F>
void expect_conversion() {
  expect_conversion_by<T, F>(cast_loop(diopi::dtype_of<F>, diopi::dtype_of<T>));
  expect_conversion_by<T, F>(cast_function(diopi::dtype_of<F>, diopi::dtype_of<T>));
}

template <typename F, typename... T>
void expect_conversions_from(diopi::TypeList<T...>) {
  (expect_conversion<T, F>(), ...);
}
template <typename... F>
void expect_all_conversions(diopi::TypeList<F...> types) {
  (expect_conversions_from<F>(types), ...);
}

TEST(CpuVectorLoops, conversions_follow_the_rules) {
  test::on_every_target([] {
    expect_all_conversions(diopi::TypeList<int8_t, uint8_t, int16_t, int32_t, int64_t, float, double, bool>{});
  });
}

TEST(CpuVectorLoops, halves_become_integers_as_their_floats_do) {
  test::on_every_target([] {
    std::vector<uint16_t> halves(1 << 16);
    std::iota(halves.begin(), halves.end(), uint16_t{0});
    for (const diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_bfloat16}) {
      std::vector<float> floats(halves.size());
      std::vector<int32_t> got(halves.size()), want(halves.size());
      cast_function(dtype, diopi_dtype_float32)(floats.data(), halves.data(), 1 << 16);
      for (size_t i = 0; i < want.size(); ++i) want[i] = converted<int32_t>(floats[i]);
      cast_function(dtype, diopi_dtype_int32)(got.data(), halves.data(), 1 << 16);
      EXPECT_EQ(got, want) << diopi::dtype_name(dtype);
    }
  });
}

}  // namespace
