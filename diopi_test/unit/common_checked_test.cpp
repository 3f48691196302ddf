// SPDX-License-Identifier: BSD-3-Clause
// Sizes that do not fit 64 bits, and dtypes that no tensor can have, are refused when a tensor is read, for any values
// that a runtime returns.
#include "impl/common/checked.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "impl/common/channels_last.hpp"
#include "impl/common/shape.hpp"

namespace {

// The values that the runtime returns for its one tensor.
struct {
  std::vector<int64_t> shape, stride;
  int dtype = diopi_dtype_float32;
} told;
char memory[16];

}  // namespace

// The definitions in this program replace those of libdiopirt.so.
extern "C" {
diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t, diopiDtype_t* dtype) {
  *dtype = static_cast<diopiDtype_t>(told.dtype);
  return diopiSuccess;
}
diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t, diopiSize_t* size) {
  *size = {told.shape.data(), static_cast<int64_t>(told.shape.size())};
  return diopiSuccess;
}
diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t, diopiSize_t* stride) {
  *stride = {told.stride.data(), static_cast<int64_t>(told.stride.size())};
  return diopiSuccess;
}
diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t, const void** data) {
  *data = memory;
  return diopiSuccess;
}
}

namespace {

using diopi::Dims;
using diopi::TensorView;

constexpr int64_t kMost = INT64_MAX, kHalf = int64_t{1} << 62;

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t value : values) result.push_back(value);
  return result;
}

diopiError_t read_view(const std::vector<int64_t>& shape, const std::vector<int64_t>& stride, int dtype,
                       TensorView* view) {
  told = {shape, stride, dtype};
  return diopi::read_tensor(reinterpret_cast<diopiConstTensorHandle_t>(memory), "input", view);
}

diopiError_t read_view(const std::vector<int64_t>& shape, const std::vector<int64_t>& stride,
                       int dtype = diopi_dtype_uint8) {
  TensorView view;
  return read_view(shape, stride, dtype, &view);
}

class Checked : public ::testing::Test {
 protected:
  const diopi::OperatorScope scope_{"diopiSoftmax"};
  static std::string message() { return diopi::last_error(); }
};

TEST_F(Checked, windows_and_borders_are_computed_up_to_64_bits) {
  int64_t result = 0;
  EXPECT_TRUE(diopi::window_reach(3, 2, &result));
  EXPECT_EQ(result, 5);
  EXPECT_TRUE(diopi::window_reach(2, kMost - 1, &result));
  EXPECT_EQ(result, kMost);
  EXPECT_FALSE(diopi::window_reach(2, kMost, &result));
  EXPECT_FALSE(diopi::window_reach(3, kHalf, &result));
  EXPECT_TRUE(diopi::padded_extent(1, kHalf - 1, &result));
  EXPECT_EQ(result, kMost);
  EXPECT_FALSE(diopi::padded_extent(2, kHalf - 1, &result));
  EXPECT_FALSE(diopi::padded_extent(0, kMost, &result));
}

TEST_F(Checked, products_of_extents_count_beside_an_extent_of_0) {
  int64_t numel = -1;
  EXPECT_TRUE(diopi::count_elements(dims({}), &numel));
  EXPECT_EQ(numel, 1);
  EXPECT_TRUE(diopi::count_elements(dims({2, 0, 3}), &numel));
  EXPECT_EQ(numel, 0);
  EXPECT_TRUE(diopi::count_elements(dims({kHalf / 16, 1}), &numel));
  EXPECT_EQ(numel, kHalf / 16);
  EXPECT_FALSE(diopi::count_elements(dims({kHalf, 0, 4}), &numel));
  EXPECT_FALSE(diopi::count_elements(dims({0, kHalf, kHalf}), &numel));
  EXPECT_EQ(dims({kHalf, 4}).product(), kMost);
  EXPECT_EQ(dims({kHalf, 4, 0}).product(), 0);
}

TEST_F(Checked, strides_of_a_shape_that_no_tensor_can_have_are_large_but_defined) {
  constexpr int64_t kLargest = kMost / 16;
  EXPECT_EQ(diopi::contiguous_strides(dims({2, 0, 3})), dims({3, 3, 1}));
  EXPECT_EQ(diopi::contiguous_strides(dims({7, 3, kHalf + 1, 0})), dims({kLargest, kHalf + 1, 1, 1}));
  EXPECT_EQ(diopi::contiguous_strides(dims({kMost, kMost, 4, 1})), dims({kLargest, 4, 1, 1}));
  EXPECT_EQ(diopi::channels_last_strides(dims({2, 8, kHalf, 3})), dims({kLargest, 1, 24, 8}));
}

TEST_F(Checked, a_broadcast_that_no_tensor_can_have_is_refused) {
  TensorView a, b;
  a.name = "input";
  a.shape = dims({kHalf / 32, 1});
  b.name = "other";
  b.shape = dims({1, 2});
  Dims shape;
  EXPECT_EQ(diopi::broadcast_shapes(a, b, &shape), diopiSuccess);
  b.shape = dims({1, 64});
  EXPECT_EQ(diopi::broadcast_shapes(a, b, &shape), diopiErrorOccurred);
  EXPECT_NE(message().find("input of shape [144115188075855872, 1] and other of shape [1, 64]"), std::string::npos);
}

TEST_F(Checked, a_tensor_of_more_than_64_bits_of_bytes_is_refused) {
  EXPECT_EQ(read_view({kHalf, 1}, {0, 0}), diopiSuccess);
  EXPECT_EQ(read_view({kHalf, 2}, {0, 0}), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiSoftmax: input has shape [4611686018427387904, 2], which is more than 2^63 bytes");
  EXPECT_EQ(read_view({kHalf}, {0}, diopi_dtype_float16), diopiErrorOccurred);
  EXPECT_EQ(read_view({0, kHalf, 4}, {1, 1, 1}), diopiErrorOccurred);
  EXPECT_EQ(read_view({2, -3}, {1, 1}), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiSoftmax: input has the negative extent -3 in dimension 1");
}

TEST_F(Checked, strides_that_span_more_than_64_bits_are_refused) {
  EXPECT_EQ(read_view({2, 2}, {kHalf - 1, 1}), diopiSuccess);
  EXPECT_EQ(read_view({3, 2}, {kHalf, 1}), diopiErrorOccurred);
  EXPECT_NE(message().find("strides [4611686018427387904, 1], which span more than 2^63 bytes"), std::string::npos);
  EXPECT_EQ(read_view({2, 2}, {kHalf, kHalf}), diopiErrorOccurred);
  EXPECT_EQ(read_view({2}, {kHalf}, diopi_dtype_float32), diopiErrorOccurred);
}

TEST_F(Checked, strides_that_no_step_uses_may_have_any_value) {
  TensorView view;
  EXPECT_EQ(read_view({1, 2}, {kMost, 1}, diopi_dtype_float64, &view), diopiSuccess);
  EXPECT_EQ(view.stride, dims({1, 1}));
  EXPECT_EQ(read_view({1, 2}, {1000, 1}, diopi_dtype_float64, &view), diopiSuccess);
  EXPECT_EQ(view.stride, dims({1000, 1}));
  EXPECT_EQ(read_view({0, 5}, {1, kMost}, diopi_dtype_float64, &view), diopiSuccess);
  EXPECT_EQ(view.stride, dims({5, 1}));
  EXPECT_EQ(view.numel, 0);
}

TEST_F(Checked, a_dtype_that_no_tensor_can_have_is_not_supported) {
  for (const int dtype : {13, 14, 17, 255, -1}) {
    EXPECT_EQ(read_view({2}, {1}, dtype), diopiDtypeNotSupported) << dtype;
    EXPECT_NE(message().find("diopiSoftmax: input has dtype "), std::string::npos);
    EXPECT_NE(message().find("(" + std::to_string(dtype) + "), which no tensor can have"), std::string::npos);
  }
}

TEST_F(Checked, repeated_elements_are_scanned_once) {
  TensorView view;
  ASSERT_EQ(read_view({kHalf, 3}, {0, 1}, diopi_dtype_uint8, &view), diopiErrorOccurred);
  ASSERT_EQ(read_view({kHalf / 4, 3}, {0, 1}, diopi_dtype_uint8, &view), diopiSuccess);
  EXPECT_EQ(diopi::without_repeats(view).shape, dims({1, 3}));
  EXPECT_EQ(diopi::without_repeats(view).numel, 3);
  ASSERT_EQ(read_view({0, 3}, {0, 1}, diopi_dtype_uint8, &view), diopiSuccess);
  EXPECT_EQ(diopi::without_repeats(view).numel, 0);
}

TEST_F(Checked, positions_must_fit_their_dtype) {
  TensorView indices, input;
  indices.name = "indices";
  input.name = "input";
  indices.dtype = diopi_dtype_int32;
  EXPECT_EQ(diopi::require_numbered(indices, int64_t{1} << 31, input), diopiSuccess);
  EXPECT_EQ(diopi::require_numbered(indices, (int64_t{1} << 31) + 1, input), diopiErrorOccurred);
  indices.dtype = diopi_dtype_int64;
  EXPECT_EQ(diopi::require_numbered(indices, kMost, input), diopiSuccess);
}

}  // namespace
