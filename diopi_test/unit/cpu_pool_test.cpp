// SPDX-License-Identifier: BSD-3-Clause
// Compares the pooling kernels with loops over windows. Elements are whole numbers, so that all results are exact.
#include "impl/cpu/pool/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "diopi_test/unit/strided_tensor.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using diopi::bfloat16;
using engine_test::Shape;
using engine_test::StridedTensor;

// Orders of the dimensions [batch, channel, 3 spatial], the innermost first.
const std::vector<int> kChannelsFirst = {4, 3, 2, 1, 0}, kChannelsLast = {1, 4, 3, 2, 0}, kReversed = {0, 1, 2, 3, 4};

struct Case {
  int64_t batch, channels;
  PoolDim dim[3];
  int64_t divisor = 0;

  Shape in() const { return {batch, channels, dim[0].in, dim[1].in, dim[2].in}; }
  Shape out() const { return {batch, channels, dim[0].out, dim[1].out, dim[2].out}; }
};

struct Layout {
  std::vector<int> order;
  int64_t step, gap;
};
const Layout kLayouts[] = {
    {kChannelsFirst, 1, 0}, {kChannelsLast, 1, 0}, {kChannelsFirst, 2, 0}, {kReversed, 1, 3}, {kChannelsFirst, 1, 5}};

PoolDim window(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool count_padding = true,
               bool ceil = false) {
  PoolDim d;
  d.in = in;
  d.kernel = kernel;
  d.stride = stride;
  d.padding = padding;
  d.dilation = dilation;
  d.out = (in + 2 * padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (d.out - 1) * stride >= in + padding) --d.out;
  d.count_padding = count_padding;
  return d;
}

PoolDim adaptive(int64_t in, int64_t out) {
  PoolDim d;
  d.in = in;
  d.out = out;
  d.kernel = 0;
  return d;
}

const PoolDim kOne{};
// Windows of one to three dimensions, around the lengths of vectors and lines (1024); adaptive ones; small planes.
const Case kCases[] = {
    {1, 1, {kOne, kOne, kOne}},
    {2, 3, {kOne, kOne, window(37, 3, 1, 1, 1)}},
    {1, 2, {kOne, kOne, window(2500, 3, 2, 1, 1, false)}},
    {1, 2, {kOne, kOne, window(3000, 2000, 600, 100, 1)}, 16},
    {1, 2, {kOne, kOne, window(2100, 4, 1, 2, 1)}},
    {1, 2, {kOne, kOne, window(2400, 3, 3, 0, 1)}},
    {2, 1, {kOne, window(5, 2, 2, 1, 1), window(3110, 3, 3, 1, 1, false, true)}},
    {1, 1, {kOne, kOne, window(3001, 2, 4, 0, 1)}},
    {2, 70, {kOne, window(9, 3, 2, 1, 1), window(11, 3, 2, 1, 1)}},
    {1, 17, {kOne, window(10, 2, 2, 0, 1), window(34, 2, 2, 0, 1)}},
    {2, 5, {kOne, window(12, 3, 2, 1, 2, false), window(15, 2, 3, 1, 3)}},
    {1, 4, {window(6, 2, 2, 1, 1), window(7, 3, 1, 0, 1), window(8, 3, 3, 1, 1)}, 12},
    {2, 3, {kOne, window(8, 3, 2, 0, 1, true, true), window(10, 3, 2, 1, 1, true, true)}, -3},
    {2, 33, {kOne, kOne, window(40, 4, 4, 0, 1)}},
    {1, 2, {kOne, kOne, window(2100, 7, 3, 3, 1)}},
    {1, 2, {kOne, kOne, window(2300, 6, 4, 3, 1, false, true)}},
    {1, 3, {kOne, kOne, window(65, 9, 2, 4, 1)}},
    {1, 2, {kOne, kOne, window(1100, 3, 5, 1, 1)}},
    {1, 3, {adaptive(4, 3), adaptive(7, 5), adaptive(16, 4)}},
    {2, 66, {kOne, adaptive(6, 1), adaptive(5, 1)}},
    {3, 23, {kOne, window(7, 3, 1, 1, 1), window(7, 3, 2, 1, 1, false)}},
    {2, 20, {window(3, 2, 1, 0, 1), window(5, 2, 2, 1, 1), window(4, 2, 1, 0, 2)}, 5},
    {5, 13, {kOne, adaptive(7, 3), adaptive(9, 4)}},
};

PoolStrides pool_strides(const Shape& stride) {
  PoolStrides s;
  s.batch = stride[0];
  s.channel = stride[1];
  for (int i = 0; i < 3; ++i) s.spatial[i] = stride[2 + i];
  return s;
}

// The operands of one call: the larger side, the smaller side, and indices.
template <typename T, typename I = int64_t>
struct Operands {
  Operands(const Case& c, const Layout& of_x, const Layout& of_y)
      : x_stride(engine_test::strides_of(c.in(), of_x.order, of_x.step, of_x.gap)),
        y_stride(engine_test::strides_of(c.out(), of_y.order, of_y.step, of_y.gap)),
        x(c.in(), x_stride),
        y(c.out(), y_stride),
        index(c.out(), y_stride) {}
  PoolArgs args(const Case& c, bool over_channels, bool indices = false) {
    PoolArgs a;
    a.x = x.view().data;
    a.y = y.view().data;
    if (indices) a.index = index.view().data;
    a.narrow_index = sizeof(I) == 4;
    a.batch = c.batch;
    a.channels = c.channels;
    std::copy_n(c.dim, 3, a.dim);
    a.xs = pool_strides(x_stride);
    a.ys = a.is = pool_strides(y_stride);
    a.divisor = c.divisor;
    a.over_channels = over_channels;
    return a;
  }

  Shape x_stride, y_stride;
  StridedTensor<T> x, y;
  StridedTensor<I> index;
};

// The input positions of output position `o` in one dimension; `size` counts padding if the divisor does.
struct Positions {
  Positions(const PoolDim& d, int64_t o) {
    for (int64_t x = 0; x < d.in && d.kernel == 0; ++x) {  // the parts overlap if `out` does not divide `in`
      if ((x + 1) * d.out > o * d.in && x * d.out < (o + 1) * d.in) at.push_back(x);
    }
    for (int64_t k = 0; k < d.kernel; ++k) {
      const int64_t x = o * d.stride - d.padding + k * d.dilation;
      if (x >= 0 && x < d.in) at.push_back(x);
      if (d.count_padding && x < d.in + d.padding) ++size;
    }
    if (d.kernel == 0 || !d.count_padding) size = static_cast<int64_t>(at.size());
  }
  std::vector<int64_t> at;
  int64_t size = 0;
};

// Calls f(y, x, divisor, position): the numbers of an output and of an input of its window, the divisor of the window,
// and the input's position in its plane. The inputs of a window come in row-major order.
template <typename F>
void for_each_pair(const Case& c, const F& f) {
  const int64_t outs = c.dim[0].out * c.dim[1].out * c.dim[2].out, plane = c.dim[0].in * c.dim[1].in * c.dim[2].in;
  for (int64_t y = 0; y < c.batch * c.channels * outs; ++y) {
    const int64_t o[] = {y / c.dim[2].out / c.dim[1].out % c.dim[0].out, y / c.dim[2].out % c.dim[1].out,
                         y % c.dim[2].out};
    const Positions s[] = {{c.dim[0], o[0]}, {c.dim[1], o[1]}, {c.dim[2], o[2]}};
    const int64_t divisor = c.divisor != 0 ? c.divisor : s[0].size * s[1].size * s[2].size;
    for (const int64_t i : s[0].at) {
      for (const int64_t j : s[1].at) {
        for (const int64_t k : s[2].at) {
          const int64_t position = (i * c.dim[1].in + j) * c.dim[2].in + k;
          f(y, y / outs * plane + position, divisor, position);
        }
      }
    }
  }
}

// Calls `f(case, layout of x, layout of y, over_channels)` for all cases, each with some of the layouts.
template <typename F>
void for_each_layout(const F& f) {
  size_t round = 0;
  for (const Case& c : kCases) {
    for (const Layout& of_x : kLayouts) {
      const Layout& of_y = round % 2 == 0 ? of_x : kLayouts[round % std::size(kLayouts)];
      SCOPED_TRACE(::testing::Message() << "case " << &c - kCases << ", layouts " << &of_x - kLayouts << " and "
                                        << &of_y - kLayouts);
      f(c, of_x, of_y, &of_x == kLayouts + 1 || round % 7 == 3);
      if (::testing::Test::HasFatalFailure()) return;
      ++round;
    }
  }
}

class CpuPool : public engine_test::EngineTest {};

template <typename T, typename I>
void expect_maxima(const Case& c, const Layout& of_x, const Layout& of_y, bool over_channels) {
  std::mt19937 random(3);
  Operands<T, I> o(c, of_x, of_y);
  o.x.fill(&random, 20);
  if constexpr (!std::is_integral_v<T>) {
    for (int64_t i = 0; i < o.x.size(); ++i) {
      if (i / 12 % 5 == 0) o.x.set(i, T(-std::numeric_limits<float>::infinity()));  // of whole windows
      if (random() % 40 == 0) o.x.set(i, T(std::numeric_limits<float>::quiet_NaN()));
    }
  }
  std::vector<int64_t> first(static_cast<size_t>(o.y.size()), -1), position(first.size());
  for_each_pair(c, [&](int64_t y, int64_t x, int64_t, int64_t at) {
    const auto value = engine_test::widened(o.x.get(x));
    if (first[y] >= 0 && !(value > engine_test::widened(o.x.get(first[y]))) && !(value != value)) return;
    first[y] = x;
    position[y] = at;
  });
  ASSERT_TRUE(max_pool_forward(diopi::dtype_of<T>, o.args(c, over_channels, true)));
  for (int64_t i = 0; i < o.y.size(); ++i) {
    const auto got = engine_test::widened(o.y.get(i)), want = engine_test::widened(o.x.get(first[i]));
    ASSERT_TRUE(got == want || (got != got && want != want)) << "output " << i;
  }
  EXPECT_TRUE(o.y.gaps_are_untouched());
  engine_test::expect_elements(o.index, position, "the index");
  const std::vector<char> with_index = o.y.bytes();
  o.y.fill(&random, 5);
  ASSERT_TRUE(max_pool_forward(diopi::dtype_of<T>, o.args(c, over_channels)));
  EXPECT_TRUE(o.y.bytes() == with_index) << "without indices";
}

TEST_F(CpuPool, a_maximum_has_the_first_position_and_a_nan_has_the_last) {
  test::on_every_target([] { for_each_layout(expect_maxima<float, int64_t>); });
  for_each_layout(expect_maxima<double, int32_t>);
  for_each_layout(expect_maxima<bfloat16, int64_t>);
  for_each_layout(expect_maxima<int8_t, int64_t>);
  for_each_layout(expect_maxima<uint16_t, int32_t>);
  for_each_layout(expect_maxima<int64_t, int64_t>);
}

template <typename T, typename I>
void expect_max_gradient(const Case& c, const Layout& of_x, const Layout& of_y, bool over_channels) {
  if (of_x.gap != 0 || of_x.order == kReversed) return;  // the planes of x must be packed
  std::mt19937 random(4);
  Operands<T, I> o(c, of_x, of_y);
  o.y.fill(&random, 50);
  o.x.fill(&random, 9);
  const int64_t plane = c.dim[0].in * c.dim[1].in * c.dim[2].in, outs = o.y.size() / c.batch / c.channels;
  std::vector<engine_test::Wide<T>> want(static_cast<size_t>(o.x.size()));
  for (int64_t i = 0; i < o.y.size(); ++i) {
    const auto at = static_cast<int64_t>(random() % static_cast<uint64_t>(plane));
    o.index.set(i, static_cast<I>(at));
    want[i / outs * plane + at] += engine_test::widened(o.y.get(i));
  }
  constexpr bool kHalf = std::is_same_v<T, bfloat16>;  // computed for packed planes only
  const auto run = kHalf ? max_pool_backward_planes : max_pool_backward;
  const bool computed = run(diopi::dtype_of<T>, o.args(c, over_channels, true));
  ASSERT_TRUE(computed || kHalf);
  if (computed) engine_test::expect_elements(o.x, want, "the gradient");
}

TEST_F(CpuPool, the_gradient_of_maxima_is_added_at_their_indices) {
  for_each_layout(expect_max_gradient<float, int64_t>);
  for_each_layout(expect_max_gradient<double, int32_t>);
  test::on_every_target([] { for_each_layout(expect_max_gradient<bfloat16, int64_t>); });
}

// Has all divisors of kCases except the 2000 elements of the longest window, for which that case has its own divisor.
constexpr int64_t kMultiple = 15120;

bool has_dilation(const Case& c) {
  return std::any_of(c.dim, c.dim + 3, [](const PoolDim& d) { return d.dilation != 1; });
}

template <typename T>
void expect_averages(const Case& c, const Layout& of_x, const Layout& of_y, bool over_channels) {
  if (has_dilation(c)) return;
  std::mt19937 random(6);
  Operands<T> o(c, of_x, of_y);
  o.x.fill(&random, 30);
  std::vector<engine_test::Wide<T>> want(static_cast<size_t>(o.y.size()));
  std::vector<int64_t> divisor(want.size(), 1);
  for_each_pair(c, [&](int64_t y, int64_t x, int64_t by, int64_t) {
    want[y] += engine_test::widened(o.x.get(x));
    divisor[y] = by;
  });
  using Sum = std::conditional_t<std::is_same_v<T, bfloat16>, float, T>;
  for (size_t i = 0; i < want.size(); ++i) {
    want[i] = static_cast<engine_test::Wide<T>>(static_cast<Sum>(want[i]) / static_cast<Sum>(divisor[i]));
  }
  ASSERT_TRUE(avg_pool_forward(diopi::dtype_of<T>, o.args(c, over_channels)));
  engine_test::expect_elements(o.y, want, "the average");
}

TEST_F(CpuPool, an_average_is_the_sum_divided_by_the_window_or_the_divisor) {
  test::on_every_target([] { for_each_layout(expect_averages<float>); });
  for_each_layout(expect_averages<double>);
  for_each_layout(expect_averages<bfloat16>);
  for_each_layout(expect_averages<int64_t>);
}

template <typename T>
void expect_average_gradient(const Case& c, const Layout& of_x, const Layout& of_y, bool over_channels) {
  if (has_dilation(c)) return;
  std::mt19937 random(7);
  Operands<T> o(c, of_x, of_y);
  o.x.fill(&random, 9);
  for (int64_t i = 0; i < o.y.size(); ++i) {
    o.y.set(i, static_cast<T>(kMultiple * (static_cast<int64_t>(random() % 7) - 3)));
  }
  std::vector<engine_test::Wide<T>> want(static_cast<size_t>(o.x.size()));
  for_each_pair(c, [&](int64_t y, int64_t x, int64_t divisor, int64_t) {
    want[x] += engine_test::widened(o.y.get(y)) / static_cast<engine_test::Wide<T>>(divisor);
  });
  ASSERT_TRUE(avg_pool_backward(diopi::dtype_of<T>, o.args(c, over_channels)));
  engine_test::expect_elements(o.x, want, "the gradient");
}

TEST_F(CpuPool, the_gradient_of_an_average_is_divided_among_its_window) {
  test::on_every_target([] { for_each_layout(expect_average_gradient<float>); });
  for_each_layout(expect_average_gradient<double>);
  for_each_layout(expect_average_gradient<int64_t>);
}

TEST_F(CpuPool, gradients_of_a_few_mib_have_the_same_elements) {
  const Case cases[] = {
      {4, 301, {kOne, window(29, 2, 2, 0, 1), window(31, 2, 2, 0, 1)}},     // some planes at a time
      {5, 41, {kOne, window(60, 12, 12, 0, 1), window(56, 14, 14, 0, 1)}},  // one plane at a time
      {61, 501, {kOne, window(6, 6, 6, 0, 1), window(6, 6, 6, 0, 1)}},      // one window
      {1, 3, {kOne, window(600, 2, 2, 0, 1), window(700, 2, 2, 0, 1)}},     // larger planes
      {3, 100, {window(4, 2, 2, 0, 1), adaptive(30, 7), adaptive(31, 7)}},  // windows of any size
  };
  for (const Case& c : cases) {
    for (const Layout& of_x : {kLayouts[0], kLayouts[4]}) {
      test::on_every_target([&] { expect_max_gradient<float, int64_t>(c, of_x, kLayouts[0], false); });
      expect_max_gradient<double, int32_t>(c, of_x, kLayouts[4], false);
      if (c.dim[0].in == 1) expect_average_gradient<float>(c, of_x, kLayouts[0], false);
    }
  }
}

void expect_bits_of_any_threads(const Case& c) {
  std::normal_distribution<float> normal;
  for (const Layout& layout : {kLayouts[0], kLayouts[1]}) {
    const bool over_channels = layout.order == kChannelsLast;
    std::mt19937 random(8);
    Operands<float> o(c, layout, layout);
    for (int64_t i = 0; i < o.x.size(); ++i) o.x.set(i, normal(random));
    engine_test::expect_same_bits("avg_pool_forward", [&] {
      EXPECT_TRUE(avg_pool_forward(diopi_dtype_float32, o.args(c, over_channels)));
      return o.y.bytes();
    });
    engine_test::expect_same_bits("max_pool_forward", [&] {
      EXPECT_TRUE(max_pool_forward(diopi_dtype_float32, o.args(c, over_channels, true)));
      return o.index.bytes();
    });
    engine_test::expect_same_bits("max_pool_backward", [&] {
      EXPECT_TRUE(max_pool_backward(diopi_dtype_float32, o.args(c, over_channels, true)));
      return o.x.bytes();
    });
    engine_test::expect_same_bits("avg_pool_backward", [&] {
      EXPECT_TRUE(avg_pool_backward(diopi_dtype_float32, o.args(c, over_channels)));
      return o.x.bytes();
    });
  }
}

TEST_F(CpuPool, the_bits_of_a_result_do_not_depend_on_the_number_of_threads) {
  expect_bits_of_any_threads({3, 20, {kOne, window(45, 3, 1, 1, 1), window(52, 3, 1, 1, 1)}});
  expect_bits_of_any_threads({8, 100, {kOne, window(28, 4, 4, 0, 1), window(30, 4, 4, 0, 1)}});  // past the caches
}

TEST_F(CpuPool, other_dtypes_are_refused_and_nothing_is_written) {
  const Case& c = kCases[4];
  Operands<double> o(c, kLayouts[0], kLayouts[0]);
  const std::vector<char> x = o.x.bytes(), y = o.y.bytes();
  const PoolArgs args = o.args(c, false, true);
  for (const diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_bool, diopi_dtype_complex64}) {
    EXPECT_FALSE(max_pool_forward(dtype, args));
    EXPECT_FALSE(max_pool_backward(dtype, args));
    EXPECT_FALSE(avg_pool_forward(dtype, args));
    EXPECT_FALSE(avg_pool_backward(dtype, args));
    EXPECT_FALSE(small_plane_means(dtype, args.x, args.y, 1, 4));
  }
  for (const auto run : {max_pool_backward, avg_pool_backward}) EXPECT_FALSE(run(diopi_dtype_bfloat16, args));
  EXPECT_FALSE(avg_pool_forward(diopi_dtype_int32, args));
  EXPECT_FALSE(small_plane_means(diopi_dtype_float64, args.x, args.y, 1, 100000));
  EXPECT_TRUE(o.x.bytes() == x && o.y.bytes() == y);
}

template <typename I>
void expect_first_bad_index(const Case& c, const Layout& layout) {
  Operands<float, I> o(c, layout, layout);
  const PoolArgs args = o.args(c, false, true);
  for (int64_t i = 0; i < o.index.size(); ++i) o.index.set(i, static_cast<I>(i % args.plane()));
  int64_t value = 77;
  ASSERT_EQ(find_bad_index(args, &value), -1);
  const int64_t last = o.index.size() - 1;
  for (const auto& [bad, at] : {std::pair<int64_t, int64_t>{args.plane(), last}, {-1, last / 2}}) {
    o.index.set(at, static_cast<I>(bad));
    ASSERT_EQ(find_bad_index(args, &value), at);
    ASSERT_EQ(value, bad);
  }
}

TEST_F(CpuPool, the_first_index_outside_of_its_plane_is_found) {
  for (const Layout& layout : kLayouts) {
    for (const int i : {1, 2, 4, 7}) {
      expect_first_bad_index<int32_t>(kCases[i], layout);
      expect_first_bad_index<int64_t>(kCases[i], layout);
    }
  }
}

}  // namespace
