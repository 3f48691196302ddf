// SPDX-License-Identifier: BSD-3-Clause
// The skeleton vendor computes in row-major float32 and int32. With its configuration it supports more dtypes and
// layouts.
#include "diopi_test/unit/vendor_fixture.hpp"

namespace vendor_test {

namespace {

class AdaptorValue : public VendorTest {
 protected:
  AdaptorValue() : VendorTest(SKELETON_LIBRARY) {}
};

template <typename T>
std::vector<T> list(std::initializer_list<int> numbers) {
  std::vector<T> result;
  for (const int number : numbers) result.push_back(static_cast<T>(number));
  return result;
}

template <typename T>
class AdaptorDtype : public VendorTest {
 protected:
  AdaptorDtype() : VendorTest(SKELETON_LIBRARY) {}
};
using Dtypes =
    ::testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(AdaptorDtype, Dtypes);

TYPED_TEST(AdaptorDtype, add_serves_every_real_dtype) {
  const auto x = this->template tensor<TypeParam>({2, 2}, list<TypeParam>({1, 2, 3, 4}));
  const auto y = this->template tensor<TypeParam>({2}, list<TypeParam>({10, 20}));
  const auto out = this->template tensor<TypeParam>({2, 2}, list<TypeParam>({0, 0, 0, 0}));
  const diopiScalar_t three = this->scalar(3);
  const auto add = this->call(static_cast<decltype(&diopiAdd)>(nullptr), "diopiAdd");
  ASSERT_EQ(add(this->ctx_, out, x, y, &three), diopiSuccess) << this->message();
  EXPECT_EQ(this->template values<TypeParam>(out), list<TypeParam>({31, 62, 33, 64}));
}

TEST_F(AdaptorValue, half_precision_passes_through_float32) {
  std::vector<diopi::float16> halves;
  for (const float value : {1.5f, -2.25f, 0.0f, 60000.0f}) halves.emplace_back(value);
  const auto x = tensor({4}, halves), out = tensor({4}, halves);
  ASSERT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess) << message();
  const auto result = values<diopi::float16>(out);
  const float expected[] = {1.5f, 0.0f, 0.0f, 59999.0f + 1.0f};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(static_cast<float>(result[i]), static_cast<float>(diopi::float16(expected[i])));
}

TEST_F(AdaptorValue, strided_tensors_of_a_computable_dtype) {
  const Shape column_major = {1, 2};
  const auto x = tensor<float>({2, 3}, {1, -2, 3, -4, 5, -6}, &column_major);
  const auto out = tensor<float>({2, 3}, std::vector<float>(6, 9), &column_major);
  ASSERT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({1, 0, 3, 0, 5, 0}));
}

TEST_F(AdaptorValue, a_strided_output_keeps_what_lies_between_its_elements) {
  const auto base = tensor<int64_t>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), x = tensor<int64_t>({2, 2}, {-1, 10, 20, -3});
  const Shape size = {2, 2}, stride = {4, 2};
  const diopiSize_t strides = size_of(stride);
  diopiTensorHandle_t view = nullptr;
  ASSERT_EQ(diopirtCreateView(base, size_of(size), &strides, 1, &view), diopiSuccess);
  tensors_.push_back(view);
  ASSERT_EQ(CALL(diopiRelu)(ctx_, view, x), diopiSuccess) << message();
  EXPECT_EQ(values<int64_t>(base), std::vector<int64_t>({1, 0, 3, 10, 5, 20, 7, 0}));
}

TEST_F(AdaptorValue, in_place_on_converted_and_strided_tensors) {
  const Shape column_major = {1, 2};
  const auto x = tensor<double>({2, 2}, {1, -2, -3, 4}, &column_major);
  ASSERT_EQ(CALL(diopiReluInp)(ctx_, x), diopiSuccess) << message();
  EXPECT_EQ(values<double>(x), std::vector<double>({1, 0, 0, 4}));
  const diopiScalar_t half = scalar(0.5);
  ASSERT_EQ(CALL(diopiAddInp)(ctx_, x, x, &half), diopiSuccess) << message();
  EXPECT_EQ(values<double>(x), std::vector<double>({1.5, 0, 0, 6}));
}

TEST_F(AdaptorValue, lists_convert_only_the_elements_that_need_it) {
  const auto a = tensor<int64_t>({1, 2}, {1, 2}), b = tensor<int32_t>({1, 2}, {3, 4});
  const auto out = tensor<int64_t>({3, 2}, std::vector<int64_t>(6));
  diopiConstTensorHandle_t parts[] = {a, b, a};
  const int64_t before = requests();
  ASSERT_EQ(CALL(diopiCat)(ctx_, out, parts, 3, 0), diopiSuccess) << message();
  EXPECT_EQ(values<int64_t>(out), std::vector<int64_t>({1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(requests(), before + 2) << "one for a, which is passed twice, and one for out";
  EXPECT_EQ(parts[0], a) << "the caller's list is the caller's";
}

TEST_F(AdaptorValue, indices_of_either_width) {
  const auto x = tensor<double>({3, 2}, {1, 2, 3, 4, 5, 6}), out = tensor<double>({2, 2}, {0, 0, 0, 0});
  const auto index = tensor<int64_t>({2}, {2, 0});
  ASSERT_EQ(CALL(diopiIndexSelect)(ctx_, out, x, 0, index), diopiSuccess) << message();
  EXPECT_EQ(values<double>(out), std::vector<double>({5, 6, 1, 2}));
}

TEST_F(AdaptorValue, channels_last_is_made_for_an_operator_that_wants_it) {
  const auto x = tensor<float>({1, 2, 2, 2}, {1, 2, 3, 4, 50, 60, 70, 80}), out = tensor<float>({1, 2, 1, 1}, {0, 0});
  const Shape two = {2, 2}, none = {}, zero = {0}, one = {1};
  const auto pool = CALL(diopiMaxPool2d);
  ASSERT_EQ(pool(ctx_, out, x, size_of(two), size_of(none), size_of(zero), size_of(one), false), diopiSuccess)
      << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({4, 80}));
  const Shape channels_last = {8, 1, 4, 2};
  const auto y = tensor<int64_t>({1, 2, 2, 2}, {1, 2, 3, 4, 50, 60, 70, 80}, &channels_last);
  const auto result = tensor<int64_t>({1, 2, 1, 1}, {0, 0});
  ASSERT_EQ(pool(ctx_, result, y, size_of(two), size_of(none), size_of(zero), size_of(one), false), diopiSuccess)
      << message();
  EXPECT_EQ(values<int64_t>(result), std::vector<int64_t>({4, 80}));
}

TEST_F(AdaptorValue, allocated_outputs_have_the_dtype_of_the_contract) {
  const auto x = tensor<double>({2, 2}, {0, 1.5, 2.5, 0});
  diopiTensorHandle_t out = nullptr;
  ASSERT_EQ(CALL(diopiNonzero)(ctx_, &out, x), diopiSuccess) << message();
  EXPECT_EQ(shape(out), Shape({2, 2}));
  EXPECT_EQ(values<int64_t>(out), std::vector<int64_t>({0, 1, 1, 0}));
  const std::vector<uint8_t> chosen = {0, 1, 1, 0};
  const auto mask = tensor<uint8_t>({2, 2}, chosen, nullptr, diopi_dtype_bool);
  out = nullptr;
  ASSERT_EQ(CALL(diopiMaskedSelect)(ctx_, &out, x, mask), diopiSuccess) << message();
  EXPECT_EQ(values<double>(out), std::vector<double>({1.5, 2.5}));
  const auto y = tensor<int32_t>({2, 2}, {1, 2, 3, 4});
  out = nullptr;
  ASSERT_EQ(CALL(diopiMaskedSelect)(ctx_, &out, y, mask), diopiSuccess) << message();
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>({2, 3})) << "int32 came in, so int32 goes out";
}

TEST_F(AdaptorValue, empty_and_zero_dimensional_tensors) {
  const auto empty = tensor<double>({0, 3}, {}), total = tensor<double>({}, {9});
  ASSERT_EQ(CALL(diopiSum)(ctx_, total, empty, {nullptr, 0}), diopiSuccess) << message();
  EXPECT_EQ(values<double>(total), std::vector<double>({0}));
  const auto number = tensor<double>({}, {-2});
  ASSERT_EQ(CALL(diopiReluInp)(ctx_, number), diopiSuccess) << message();
  EXPECT_EQ(values<double>(number), std::vector<double>({0}));
  ASSERT_EQ(CALL(diopiRelu)(ctx_, empty, empty), diopiSuccess) << message();
}

}  // namespace

}  // namespace vendor_test
