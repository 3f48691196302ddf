// SPDX-License-Identifier: BSD-3-Clause
// The geometry of windows: how many there are, and which parameters are refused.
#include "impl/common/plan/windows.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace {

using diopi::Dims;
using diopi::Window;
using diopi::WindowLists;
using diopi::Windows;

diopi::TensorView tensor(std::initializer_list<int64_t> shape) {
  diopi::TensorView view;
  view.name = "input";
  for (int64_t n : shape) view.shape.push_back(n);
  return view;
}

// A list that stays alive while the test runs.
struct List {
  List(std::initializer_list<int64_t> given) : n(static_cast<int64_t>(given.size())) {
    std::copy(given.begin(), given.end(), values);
  }
  diopiSize_t size() const { return {values, n}; }
  int64_t values[3] = {};
  int64_t n;
};

WindowLists lists(int spatial, const List& kernel, const List& stride, const List& padding, const List& dilation,
                  bool ceil_mode) {
  return {spatial,
          {"kernel_size", kernel.size()},
          {"stride", stride.size()},
          {"padding", padding.size()},
          {"dilation", dilation.size()},
          ceil_mode};
}

// The number of windows by PyTorch's definition, counted one by one.
int64_t counted(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode) {
  const int64_t reach = dilation * (kernel - 1) + 1, end = in + 2 * padding;
  int64_t count = 0;
  for (int64_t start = 0;; start += stride, ++count) {
    const bool inside = start + reach <= end;
    const bool partly = ceil_mode && start + reach < end + stride && (start == 0 || start < in + padding);
    if (!inside && !partly) return count;
  }
}

TEST(Windows, are_counted_as_by_definition) {
  for (int64_t in = 1; in <= 9; ++in) {
    for (int64_t kernel = 1; kernel <= 4; ++kernel) {
      for (int64_t stride = 1; stride <= 5; ++stride) {
        for (int64_t dilation = 1; dilation <= 3; ++dilation) {
          for (int64_t padding = 0; padding <= (dilation * (kernel - 1) + 1) / 2; ++padding) {
            for (const bool ceil_mode : {false, true}) {
              const List k{kernel}, s{stride}, p{padding}, d{dilation};
              Windows windows;
              const bool fits = diopi::fit_windows(tensor({1, in}), lists(1, k, s, p, d, ceil_mode), &windows).ok();
              const int64_t expected = counted(in, kernel, stride, padding, dilation, ceil_mode);
              EXPECT_EQ(windows.at(0).out, expected)
                  << in << " " << kernel << " " << stride << " " << padding << " " << dilation << " " << ceil_mode;
              EXPECT_EQ(fits, expected > 0);
            }
          }
        }
      }
    }
  }
}

TEST(Windows, one_entry_holds_for_all_dimensions_and_an_empty_stride_is_the_kernel) {
  const List kernel{2, 3}, none{}, one{1};
  Windows windows;
  ASSERT_TRUE(diopi::fit_windows(tensor({5, 6, 8, 9}), lists(2, kernel, none, one, one, false), &windows).ok());
  EXPECT_EQ(windows.spatial, 2);
  EXPECT_EQ(windows.dim[0].in, 1) << "the dimension that the tensor lacks has one window of one element";
  EXPECT_EQ(windows.dim[0].out, 1);
  EXPECT_EQ(windows.at(0).stride, 2);
  EXPECT_EQ(windows.at(1).stride, 3);
  EXPECT_EQ(windows.at(0).padding, 1);
  EXPECT_EQ(windows.at(1).padding, 1);
  Dims expected;
  for (int64_t n : {5, 7, 5, 3}) expected.push_back(n);
  EXPECT_EQ(diopi::windowed_shape(tensor({5, 6, 8, 9}), 7, windows), expected);
}

TEST(Windows, numbers_beyond_64_bits_are_refused) {
  const diopi::OperatorScope scope("diopiConvolution2d");
  const List three{3}, one{1}, huge{INT64_MAX}, none{0};
  Windows windows;
  EXPECT_FALSE(diopi::fit_windows(tensor({1, 1, 8}), lists(1, three, one, huge, one, false), &windows).ok());
  EXPECT_EQ(std::string(diopi::last_error()),
            "diopiConvolution2d: padding = [9223372036854775807] is too large for dimension 2 of input of shape "
            "[1, 1, 8]");
  EXPECT_FALSE(diopi::fit_windows(tensor({1, 1, 8}), lists(1, three, one, none, huge, false), &windows).ok());
  EXPECT_EQ(std::string(diopi::last_error()),
            "diopiConvolution2d: dilation = [9223372036854775807] is too large for the kernel, kernel_size = [3]");
  EXPECT_TRUE(diopi::fit_windows(tensor({1, 1, 8}), lists(1, three, huge, none, one, true), &windows).ok());
  EXPECT_EQ(windows.at(0).out, 1) << "the second window would begin behind the input";
}

TEST(Windows, padding_is_at_most_half_of_the_dilated_kernel) {
  const List two{2}, one{1}, three{3};
  Windows windows;
  ASSERT_TRUE(diopi::fit_windows(tensor({1, 1, 8}), lists(1, two, one, two, three, false), &windows).ok());
  EXPECT_TRUE(diopi::require_padding_below_half(windows, {"padding", two.size()}, {"kernel_size", two.size()}).ok());
  ASSERT_TRUE(diopi::fit_windows(tensor({1, 1, 8}), lists(1, two, one, three, three, false), &windows).ok());
  EXPECT_FALSE(diopi::require_padding_below_half(windows, {"padding", three.size()}, {"kernel_size", two.size()}).ok());
}

}  // namespace
