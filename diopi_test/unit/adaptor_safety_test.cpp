// SPDX-License-Identifier: BSD-3-Clause
// A failed call leaves the caller's tensors unchanged; integers keep their value or are refused; refusals name the
// reason.
#include <thread>

#include "diopi_test/unit/vendor_fixture.hpp"

namespace vendor_test {

namespace {

class AdaptorSkeleton : public VendorTest {
 protected:
  AdaptorSkeleton() : VendorTest(SKELETON_LIBRARY) {}
};

class AdaptorProbe : public VendorTest {
 protected:
  AdaptorProbe() : VendorTest(PROBE_LIBRARY) {}
  void SetUp() override {
    VendorTest::SetUp();
    log();  // clears the log of earlier tests
  }
  // Returns the actions of the adaptor and the calls of the vendor since the last call of log().
  std::string log() const { return CALL(diopiGetImplVersion)(); }
};

TEST_F(AdaptorProbe, failure_leaves_converted_outputs_untouched) {
  const auto x = tensor<double>({2}, {1, 2}), out = tensor<double>({2}, {3, 4});
  EXPECT_EQ(CALL(diopiSin)(ctx_, out, x), diopiErrorOccurred);
  EXPECT_EQ(message(),
            "diopiSin: deliberate (input was converted from float64 to float32, "
            "out was converted from float64 to float32)");
  EXPECT_EQ(values<double>(out), std::vector<double>({3, 4}));
  EXPECT_EQ(CALL(diopiSinInp)(ctx_, x), diopiErrorOccurred);
  EXPECT_EQ(values<double>(x), std::vector<double>({1, 2}));
  EXPECT_EQ(log(), "cast float64 float32; cast float64 float32") << "nothing was written back";
}

TEST_F(AdaptorProbe, failure_leaves_an_allocated_output_untouched) {
  const auto x = tensor<double>({2}, {1, 2});
  diopiTensorHandle_t out = x;
  EXPECT_EQ(CALL(diopiNonzero)(ctx_, &out, x), diopiErrorOccurred);
  EXPECT_EQ(out, x);
}

TEST_F(AdaptorProbe, a_tensor_passed_twice_is_converted_once_and_stays_aliased) {
  const auto x = tensor<double>({2}, {1, 2});
  const diopiScalar_t one = scalar(1);
  ASSERT_EQ(CALL(diopiAdd)(ctx_, x, x, x, &one), diopiSuccess) << message();
  EXPECT_EQ(log(), "cast float64 float32; add input=other out=input; cast float32 float64");
  EXPECT_EQ(values<double>(x), std::vector<double>({1, 2}));
}

TEST_F(AdaptorProbe, two_handles_of_the_same_elements_stay_aliased) {
  const auto x = tensor<double>({2}, {1, 2});
  const Shape two = {2};
  diopiTensorHandle_t same = nullptr;
  ASSERT_EQ(diopirtCreateView(x, size_of(two), nullptr, 0, &same), diopiSuccess);
  tensors_.push_back(same);
  const diopiScalar_t one = scalar(1);
  ASSERT_EQ(CALL(diopiAdd)(ctx_, same, x, x, &one), diopiSuccess) << message();
  EXPECT_EQ(log(), "cast float64 float32; add input=other out=input; cast float32 float64");
}

TEST_F(AdaptorProbe, null_elements_of_a_list_stay_null) {
  const auto x = tensor<double>({2}, {1, 2});
  const auto index = tensor<int64_t>({2}, {0, 1});
  diopiConstTensorHandle_t indices[] = {nullptr, index};
  diopiTensorHandle_t out = nullptr;
  ASSERT_EQ(CALL(diopiIndex)(ctx_, &out, x, indices, 2), diopiSuccess) << message();
  EXPECT_EQ(log(), "cast float64 float32; cast int64 int32; index float32[1] null int32[1]; cast float32 float64");
  EXPECT_EQ(values<double>(out), std::vector<double>({1, 2}));
}

TEST_F(AdaptorProbe, an_allocated_output_of_an_unconverted_input_is_handed_over_as_it_is) {
  const auto x = tensor<int32_t>({2}, {1, 2});
  const auto index = tensor<int64_t>({2}, {0, 1});
  diopiConstTensorHandle_t indices[] = {index};
  diopiTensorHandle_t out = nullptr;
  ASSERT_EQ(CALL(diopiIndex)(ctx_, &out, x, indices, 1), diopiSuccess) << message();
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>({1, 2}));
}

TEST_F(AdaptorProbe, lists_of_outputs_are_written_back) {
  const auto x = tensor<float>({3}, {1, 2, 3});
  const auto a = tensor<double>({1}, {0}), c = tensor<double>({1}, {0});
  const auto b = tensor<float>({1}, {0});
  diopiTensorHandle_t outs[] = {a, b, c};
  const Shape sizes = {1, 1, 1};
  ASSERT_EQ(CALL(diopiSplitWithSizes)(ctx_, outs, 3, x, size_of(sizes), 0), diopiSuccess) << message();
  EXPECT_EQ(log(), "split float32[1] float32[1] float32[1]; cast float32 float64; cast float32 float64");
  EXPECT_EQ(values<double>(a), std::vector<double>({10}));
  EXPECT_EQ(values<float>(b), std::vector<float>({11}));
  EXPECT_EQ(values<double>(c), std::vector<double>({12}));
}

TEST_F(AdaptorProbe, an_output_that_a_call_does_not_write_keeps_every_bit) {
  const double third = 1.0 / 3;  // float32 cannot hold this number
  const auto x = tensor<double>({1, 2}, {1, 2}), out = tensor<double>({1, 2}, {0, 0});
  const auto mean = tensor<double>({2}, {third, -third}), invstd = tensor<double>({2}, {third, third});
  const auto norm = [&](bool training) {
    return CALL(diopiBatchNorm)(ctx_, out, mean, invstd, x, nullptr, nullptr, nullptr, nullptr, training, 0.1, 1e-5);
  };
  ASSERT_EQ(norm(false), diopiSuccess) << message();
  EXPECT_EQ(log(), "cast float64 float32; norm float32[1] float32[1]; cast float32 float64") << "only out comes back";
  EXPECT_EQ(values<double>(mean), std::vector<double>({third, -third}));
  EXPECT_EQ(values<double>(invstd), std::vector<double>({third, third}));
  EXPECT_EQ(values<double>(out), std::vector<double>({7, 7}));
  ASSERT_EQ(norm(true), diopiSuccess) << message();
  EXPECT_EQ(values<double>(mean), std::vector<double>({7, 7}));
  EXPECT_EQ(values<double>(invstd), std::vector<double>({7, 7}));
}

TEST_F(AdaptorProbe, later_levels_win) {
  const auto x = tensor<double>({2}, {1, 2}), out = tensor<double>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(log(), "relu float64[1] float64[1]") << "the operator takes float64 although common_config converts it";
  const auto y = tensor<int64_t>({2}, {1, 2}), result = tensor<int64_t>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiRelu)(ctx_, result, y), diopiSuccess) << message();
  EXPECT_EQ(log(), "cast int64 int32; relu int32[1] int32[1]; cast int32 int64") << "the other rule still holds";
}

TEST_F(AdaptorProbe, layouts_of_one_parameter_and_of_the_rest) {
  const Shape channels_last = {8, 1, 4, 2};
  const auto x = tensor<float>({1, 2, 2, 2}, std::vector<float>(8, 1));
  const auto y = tensor<float>({1, 2, 2, 2}, std::vector<float>(8, 1), &channels_last);
  const auto out = tensor<float>({1, 2, 2, 2}, std::vector<float>(8));
  ASSERT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiSuccess) << message();
  EXPECT_EQ(log(), "contiguous 1; mul float32[8, 1, 4, 2] float32[8, 1, 4, 2] float32[8, 4, 2, 1]; copy");
  EXPECT_EQ(values<float>(out), std::vector<float>(8, 7));
  ASSERT_EQ(CALL(diopiMul)(ctx_, y, y, y), diopiSuccess) << message();
  EXPECT_EQ(log(), "mul float32[8, 1, 4, 2] float32[8, 1, 4, 2] float32[8, 1, 4, 2]");
  const Shape column_major = {1, 2};
  const auto matrix = tensor<float>({2, 2}, {1, 2, 3, 4}, &column_major), plain = tensor<float>({2, 2}, {0, 0, 0, 0});
  ASSERT_EQ(CALL(diopiMul)(ctx_, plain, matrix, plain), diopiSuccess) << message();
  EXPECT_EQ(log(), "contiguous 0; mul float32[2, 1] float32[2, 1] float32[2, 1]") << "a matrix has no channels";
}

TEST_F(AdaptorSkeleton, an_integer_that_does_not_fit_is_refused_by_value_and_place) {
  std::vector<int64_t> numbers(6, 1);
  numbers[4] = int64_t{1} << 31;
  numbers[5] = int64_t{1} << 40;
  const auto x = tensor<int64_t>({2, 3}, numbers), out = tensor<int64_t>({2, 3}, std::vector<int64_t>(6, 5));
  EXPECT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopiRelu: input[1, 1] = 2147483648 does not fit int32, in which this vendor computes int64");
  EXPECT_EQ(values<int64_t>(out), std::vector<int64_t>(6, 5));
  numbers[4] = INT32_MAX;
  numbers[5] = INT32_MIN;
  const auto y = tensor<int64_t>({2, 3}, numbers);
  EXPECT_EQ(CALL(diopiRelu)(ctx_, out, y), diopiSuccess) << message();
}

TEST_F(AdaptorSkeleton, narrowing_is_checked_in_strided_and_long_tensors_and_in_lists) {
  std::vector<int64_t> numbers(5000, 1);
  numbers[4999] = -3000000000;
  const Shape column_major = {1, 2};
  const auto x = tensor<int64_t>({2, 2500}, numbers, &column_major);
  EXPECT_EQ(CALL(diopiReluInp)(ctx_, x), diopiDtypeNotSupported);
  EXPECT_EQ(message(),
            "diopiReluInp: input[1, 2499] = -3000000000 does not fit int32, in which this vendor computes int64");
  const auto small = tensor<int32_t>({1}, {1});
  const auto large = tensor<uint64_t>({1}, {UINT64_MAX});
  const auto out = tensor<int32_t>({2}, {0, 0});
  diopiConstTensorHandle_t parts[] = {small, large};
  EXPECT_EQ(CALL(diopiCat)(ctx_, out, parts, 2, 0), diopiDtypeNotSupported);
  EXPECT_EQ(message(),
            "diopiCat: tensors[1][0] = 18446744073709551615 does not fit int32, in which this vendor computes uint64");
  const auto number = tensor<uint32_t>({}, {4000000000u});
  EXPECT_EQ(CALL(diopiReluInp)(ctx_, number), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopiReluInp: input = 4000000000 does not fit int32, in which this vendor computes uint32");
}

TEST_F(AdaptorProbe, a_vendor_can_vouch_for_its_integers) {
  const auto x = tensor<int64_t>({1}, {int64_t{1} << 40}), out = tensor<int64_t>({1}, {0});
  EXPECT_EQ(CALL(diopiNeg)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(values<int64_t>(out), std::vector<int64_t>({7}));
}

TEST_F(AdaptorProbe, a_declared_dtype_is_refused_with_argument_and_reason) {
  const std::vector<uint8_t> truth = {1};
  const auto x = tensor<uint8_t>({1}, truth, nullptr, diopi_dtype_bool);
  EXPECT_EQ(CALL(diopiNeg)(ctx_, x, x), diopiDtypeNotSupported);
  EXPECT_EQ(message(),
            "diopiNeg: input has dtype bool, which this vendor does not support: a truth has no opposite number");
}

TEST_F(AdaptorSkeleton, two_threads_with_a_context_each) {
  const auto relu = CALL(diopiReluInp);
  const auto work = [&](double start, int* wrong) {
    diopiContextHandle_t ctx = nullptr;
    if (diopirtCreateContext(library_, &ctx) != diopiSuccess) {
      *wrong = -1;
      return;
    }
    const Shape shape = {257};
    diopiTensorHandle_t x = nullptr;
    diopirtCreateTensor(ctx, size_of(shape), nullptr, diopi_dtype_float64, diopi_device, &x);
    for (int round = 0; round < 200; ++round) {
      std::vector<double> numbers(257), result(257);
      for (int i = 0; i < 257; ++i) numbers[i] = i % 2 == 0 ? start + i : -start - i;
      diopirtCopyFromHost(ctx, x, numbers.data(), numbers.size() * sizeof(double));
      *wrong += relu(ctx, x) != diopiSuccess;
      diopirtCopyToHost(ctx, x, result.data(), result.size() * sizeof(double));
      for (int i = 0; i < 257; ++i) *wrong += result[i] != (i % 2 == 0 ? start + i : 0);
      diopirtClearTemporaries(ctx);
    }
    diopirtReleaseTensor(x);
    diopirtDestroyContext(ctx);
  };
  int wrong[2] = {0, 0};
  std::thread first(work, 1.0, &wrong[0]), second(work, 1000.0, &wrong[1]);
  first.join();
  second.join();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
}

}  // namespace

}  // namespace vendor_test
