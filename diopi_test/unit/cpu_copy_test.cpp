// SPDX-License-Identifier: BSD-3-Clause
// Compares the strided copy with the definition of a copy, for random layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace {

using impl::cpu::CopyDim;

struct Layout {
  std::vector<CopyDim> dims;
  int64_t dst_room = 1, src_room = 1;  // number of elements
  int64_t src_start = 0;
};

// Makes loops in a random order on each side, with gaps; the source also has broadcasts and reversed loops.
Layout random_layout(std::mt19937* random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*random);
  };
  Layout layout;
  const int n = static_cast<int>(pick(0, 5));
  for (int i = 0; i < n; ++i) layout.dims.push_back({pick(0, 20) == 0 ? 0 : pick(1, n > 3 ? 7 : 40), 0, 0});
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (const bool is_dst : {true, false}) {
    std::shuffle(order.begin(), order.end(), *random);
    int64_t step = pick(0, 3) == 0 ? 2 : 1;
    for (const int i : order) {
      CopyDim& d = layout.dims[i];
      if (is_dst) {
        d.stride[0] = step;
      } else if (pick(0, 5) == 0) {
        continue;  // a broadcast
      } else {
        d.stride[1] = step;
      }
      step *= std::max<int64_t>(d.extent, 1);
      if (pick(0, 4) == 0) step += pick(1, 3);
    }
    (is_dst ? layout.dst_room : layout.src_room) = step + 1;
  }
  for (CopyDim& d : layout.dims) {
    if (pick(0, 4) != 0 || d.extent == 0) continue;
    layout.src_start += (d.extent - 1) * d.stride[1];
    d.stride[1] = -d.stride[1];
  }
  return layout;
}

void expect_random_layouts() {
  const diopiDtype_t dtypes[] = {diopi_dtype_int8,      diopi_dtype_bfloat16,  diopi_dtype_float32, diopi_dtype_float64,
                                 diopi_dtype_int64,     diopi_dtype_bool,      diopi_dtype_float16, diopi_dtype_uint32,
                                 diopi_dtype_complex64, diopi_dtype_complex128};
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Layout layout = random_layout(&random);
    const diopiDtype_t from = dtypes[random() % 10], to = round % 2 == 0 ? from : dtypes[random() % 10];
    const int64_t in = diopi::dtype_size(from), out = diopi::dtype_size(to);
    // Small whole numbers that every dtype holds.
    std::vector<int64_t> numbers(layout.src_room);
    for (int64_t& x : numbers) x = from == diopi_dtype_bool || to == diopi_dtype_bool ? random() % 2 : random() % 100;
    std::vector<char> src(layout.src_room * in), dst(layout.dst_room * out, 0x55), want;
    impl::cpu::cast_function(diopi_dtype_int64, from)(src.data(), numbers.data(), layout.src_room);
    want = dst;
    const char* start = src.data() + layout.src_start * in;
    int64_t count = 1;
    for (const CopyDim& d : layout.dims) count *= d.extent;
    for (int64_t k = 0; k < count; ++k) {
      int64_t rest = k, a = 0, b = 0;
      for (const CopyDim& d : layout.dims) {
        a += rest % d.extent * d.stride[0];
        b += rest % d.extent * d.stride[1];
        rest /= d.extent;
      }
      impl::cpu::cast_function(from, to)(want.data() + a * out, start + b * in, 1);
    }
    impl::cpu::copy_strided(dst.data(), to, start, from, layout.dims.data(), static_cast<int>(layout.dims.size()));
    ASSERT_EQ(dst, want) << "round " << round << " from " << diopi::dtype_name(from) << " to " << diopi::dtype_name(to);
  }
}

TEST(CpuCopy, any_layout_and_dtype_is_copied_as_loops_would) { test::on_every_target(expect_random_layouts); }

// Compares copy_strided() with a loop over all elements.
void expect_copied(const std::vector<CopyDim>& dims, diopiDtype_t from, diopiDtype_t to, int64_t dst_start) {
  const int64_t in = diopi::dtype_size(from), out = diopi::dtype_size(to);
  int64_t dst_room = 1, src_room = 1, src_start = 0, count = 1;
  for (const CopyDim& d : dims) {
    dst_room += (d.extent - 1) * d.stride[0];
    src_room += (d.extent - 1) * std::abs(d.stride[1]);
    src_start -= (d.extent - 1) * std::min<int64_t>(d.stride[1], 0);
    count *= d.extent;
  }
  std::vector<int64_t> numbers(src_room);
  for (int64_t i = 0; i < src_room; ++i) numbers[i] = i * 37 % 101;
  std::vector<char> src(src_room * in), dst((dst_start + dst_room + 64) * out, 0x55), want = dst;
  impl::cpu::cast_function(diopi_dtype_int64, from)(src.data(), numbers.data(), src_room);
  const impl::cpu::CastFn cast = impl::cpu::cast_function(from, to);
  std::vector<char> converted(src_room * out);
  cast(converted.data(), src.data(), src_room);
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k, a = dst_start, b = src_start;
    for (const CopyDim& d : dims) {
      a += rest % d.extent * d.stride[0];
      b += rest % d.extent * d.stride[1];
      rest /= d.extent;
    }
    std::copy_n(&converted[b * out], out, &want[a * out]);
  }
  impl::cpu::copy_strided(&dst[dst_start * out], to, &src[src_start * in], from, dims.data(),
                          static_cast<int>(dims.size()));
  EXPECT_TRUE(dst == want) << "from " << diopi::dtype_name(from) << " to " << diopi::dtype_name(to) << ", start "
                           << dst_start;
}

// Results of a few MiB: in rows, reversed, transposed, converted, repeated.
TEST(CpuCopy, large_results_are_stored_past_the_caches) {
  test::on_every_target([] {
    for (const int64_t start : {0, 1, 5}) {
      for (const diopiDtype_t dtype :
           {diopi_dtype_int8, diopi_dtype_bfloat16, diopi_dtype_float32, diopi_dtype_int64}) {
        const int64_t size = std::max<int64_t>(1, diopi::dtype_size(dtype)), n = (int64_t{3} << 20) / size,
                      rows = n / 1024;
        expect_copied({{n, 1, 1}}, dtype, dtype, start);
        expect_copied({{n, 1, 2}}, dtype, dtype, start);
        expect_copied({{1024, 1, 1}, {rows, 1030, 1024}}, dtype, dtype, start);
        expect_copied({{1024, 1, 1}, {rows, 1024, 0}}, dtype, dtype, start);
        expect_copied({{1024, 1, rows}, {rows, 1024, 1}}, dtype, dtype, start);
        expect_copied({{rows + 3, 1, 1024}, {1001, rows + 5, 1}}, dtype, dtype, start);
      }
      for (const diopiDtype_t dtype :
           {diopi_dtype_int8, diopi_dtype_float16, diopi_dtype_float32, diopi_dtype_float64, diopi_dtype_complex128}) {
        const int64_t size = std::max<int64_t>(1, diopi::dtype_size(dtype)), n = (int64_t{3} << 20) / size,
                      rows = n / 1000;
        expect_copied({{n, 1, -1}}, dtype, dtype, start);
        expect_copied({{1000, 1, -1}, {rows, 1000, 1000}}, dtype, dtype, start);
        expect_copied({{1000, 1, -1}, {rows, 1003, -1001}}, dtype, dtype, start);
      }
      expect_copied({{1 << 20, 1, 1}}, diopi_dtype_int64, diopi_dtype_float32, start);
      expect_copied({{1000, 1, 1}, {1001, 1003, 1000}}, diopi_dtype_bfloat16, diopi_dtype_float32, start);
      expect_copied({{1000, 1, 1001}, {1001, 1003, 1}}, diopi_dtype_float32, diopi_dtype_bfloat16, start);
    }
  });
}

// Rows with and without gaps between them on either side: the same, one row repeated, one element repeated, reversed.
void expect_short_rows(diopiDtype_t dtype, int64_t n) {
  constexpr int64_t kRows = 23;
  for (const int64_t gap : {0, 3}) {
    expect_copied({{n, 1, 1}, {kRows, n + gap, n}}, dtype, dtype, 1);
    expect_copied({{n, 1, 1}, {kRows, n, n + gap}}, dtype, dtype, 1);
    expect_copied({{n, 1, 1}, {kRows, n + gap, 0}}, dtype, dtype, 1);
    expect_copied({{n, 1, 0}, {kRows, n + gap, 1}}, dtype, dtype, 1);
    expect_copied({{n, 1, -1}, {kRows, n + gap, n}}, dtype, dtype, 1);
    expect_copied({{n, 1, -1}, {kRows, n, n + gap}}, dtype, dtype, 1);
  }
}

TEST(CpuCopy, short_rows_of_every_length_are_copied) {
  test::on_every_target([] {
    for (int64_t n = 1; n < 140; ++n) expect_short_rows(diopi_dtype_int8, n);
    for (const diopiDtype_t dtype : {diopi_dtype_int16, diopi_dtype_int32, diopi_dtype_int64, diopi_dtype_complex128}) {
      for (int64_t n = 1; n < 40; ++n) expect_short_rows(dtype, n);
    }
  });
}

}  // namespace
