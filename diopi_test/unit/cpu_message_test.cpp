// SPDX-License-Identifier: BSD-3-Clause
// The exact messages of the CPU vendor for wrong calls. The judge checks only the facts in the messages of a vendor.
#include <gtest/gtest.h>

#include <initializer_list>

#include "impl/common/error.hpp"
#include "impl/common/rules/dtypes.hpp"
#include "impl/common/rules/shapes.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/unsupported.hpp"

namespace {

using diopi::Dims;
using diopi::TensorView;

TensorView view_of(const char* name, std::initializer_list<int64_t> sizes, diopiDtype_t dtype = diopi_dtype_float32) {
  TensorView view;
  view.name = name;
  view.dtype = dtype;
  view.numel = 1;
  for (const int64_t size : sizes) {
    view.shape.push_back(size);
    view.numel *= size;
  }
  view.stride = diopi::contiguous_strides(view.shape);
  return view;
}

class Message : public ::testing::Test {
 protected:
  const diopi::OperatorScope scope_{"diopiSoftmax"};
};

TEST_F(Message, of_a_dimension_says_the_range_and_the_shape) {
  int axis = 0;
  EXPECT_EQ(diopi::wrap_dim(3, view_of("input", {4, 5}), "dim", &axis), diopiErrorOccurred);
  EXPECT_STREQ(diopi::last_error(), "diopiSoftmax: dim = 3 is out of range [-2, 1] for input of shape [4, 5]");
}

TEST_F(Message, of_a_shape_says_both_shapes_and_where_the_right_one_comes_from) {
  EXPECT_EQ(diopi::require_same_shape(view_of("out", {4, 3}), view_of("input", {3, 4})), diopiErrorOccurred);
  EXPECT_STREQ(diopi::last_error(), "diopiSoftmax: out has shape [4, 3], expected [3, 4], the shape of input");
}

TEST_F(Message, of_a_broadcast_says_the_sizes_that_clash) {
  Dims shape;
  EXPECT_EQ(diopi::broadcast_shapes(view_of("input", {3, 4}), view_of("other", {3, 5}), &shape), diopiErrorOccurred);
  EXPECT_STREQ(diopi::last_error(),
               "diopiSoftmax: input of shape [3, 4] and other of shape [3, 5] do not broadcast: 4 against 5");
}

TEST_F(Message, of_a_multiple_says_a_number_once) {
  EXPECT_EQ(diopi::require_divisible("input[1]", 6, "4", 4), diopiErrorOccurred);
  EXPECT_STREQ(diopi::last_error(), "diopiSoftmax: input[1] is 6, expected a multiple of 4");
  EXPECT_EQ(diopi::require_divisible("input[1]", 6, "groups", 4), diopiErrorOccurred);
  EXPECT_STREQ(diopi::last_error(), "diopiSoftmax: input[1] is 6, expected a multiple of groups = 4");
  EXPECT_EQ(diopi::require_divisible("input[1]", 0, "4", 4, diopi::kPositive), diopiErrorOccurred);
  EXPECT_STREQ(diopi::last_error(), "diopiSoftmax: input[1] is 0, expected a positive multiple of 4");
}

TEST_F(Message, of_a_dtype_says_what_was_expected) {
  const diopi::DtypeSet floating{1u << diopi_dtype_float32};
  EXPECT_EQ(diopi::require_dtype_in(view_of("input", {3}, diopi_dtype_int32), floating, "floating point"),
            diopiDtypeNotSupported);
  EXPECT_STREQ(diopi::last_error(), "diopiSoftmax: input has dtype int32, expected floating point");
}

TEST_F(Message, of_a_missing_kernel_names_every_operand) {
  const TensorView a = view_of("input", {3}, diopi_dtype_bool), b = view_of("other", {3}, diopi_dtype_int8);
  EXPECT_EQ(diopi::unsupported_dtype(diopi_dtype_int8, {&a, nullptr, &b}), diopiDtypeNotSupported);
  EXPECT_STREQ(diopi::last_error(),
               "diopiSoftmax: input has dtype bool, other has dtype int8: this is not defined where operands are "
               "computed in int8");
}

}  // namespace
