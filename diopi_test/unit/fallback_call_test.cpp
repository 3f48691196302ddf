// SPDX-License-Identifier: BSD-3-Clause
// Calls of a vendor that leaves a part of its operators to the host: the reason of each, what is copied, and failures.
#include <diopi_fallback.h>

#include <cstring>

#include "diopi_test/unit/vendor_fixture.hpp"

namespace vendor_test {

namespace {

class FallbackCall : public VendorTest {
 protected:
  FallbackCall() : VendorTest(PARTIAL_LIBRARY) {}
  void SetUp() override {
    VendorTest::SetUp();
    log();
  }
  // The vendor's copies since the last call of log().
  std::string log() const { return CALL(diopiGetImplVersion)(); }

  // The ledger's row of an operator; zeros if there is none.
  diopiFallbackRow_t row(const char* name) const {
    const auto get = CALL(diopiGetFallbacks);
    std::vector<diopiFallbackRow_t> rows(get(nullptr, 0));
    get(rows.data(), static_cast<int64_t>(rows.size()));
    for (const diopiFallbackRow_t& row : rows) {
      if (std::strcmp(row.name, name) == 0) return row;
    }
    return {name, 0, 0, 0, 0, 0, 0};
  }

  // Lets the copy or synchronisation with this number fail, counted from now on.
  void let_fail(int number) {
    const diopiScalar_t count = scalar(number);
    ASSERT_EQ(CALL(diopiFill)(ctx_, tensor<float>({1}, {0}), &count), diopiSuccess);
    log();
  }

  diopiSupport_t support(const char* function, diopiDtype_t dtype) const {
    return CALL(diopiSupports)(function, nullptr, dtype);
  }
};

TEST_F(FallbackCall, an_absent_operator) {
  const auto x = tensor<float>({3}, {3, 1, 2}), values_of = tensor<float>({3}, {0, 0, 0});
  const auto indices = tensor<int64_t>({3}, {9, 9, 9});
  const diopiFallbackRow_t before = row("diopiSort");
  log();
  ASSERT_EQ(CALL(diopiSort)(ctx_, values_of, indices, x, 0, false, nullptr), diopiSuccess) << message();
  EXPECT_EQ(log(), "out 12; wait; in 12; in 24; wait") << "only the input is read, and only the outputs are written";
  EXPECT_EQ(values<float>(values_of), std::vector<float>({1, 2, 3}));
  EXPECT_EQ(values<int64_t>(indices), std::vector<int64_t>({1, 2, 0}));
  const diopiFallbackRow_t after = row("diopiSort");
  EXPECT_EQ(after.absent, before.absent + 1);
  EXPECT_EQ(after.bytes, before.bytes + 48);
  EXPECT_GT(after.nanoseconds, before.nanoseconds);
  EXPECT_EQ(after.unsupported + after.configured + after.asked, 0);
  EXPECT_EQ(support("diopiSort", diopi_dtype_float32), diopiSupportFallback);
}

TEST_F(FallbackCall, a_dtype_that_the_vendor_refuses) {
  const auto x = tensor<int32_t>({2}, {1, -2}), out = tensor<int32_t>({2}, {0, 0});
  const auto y = tensor<float>({2}, {1, -2}), result = tensor<float>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiNeg)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>({-1, 2}));
  const diopiFallbackRow_t after = row("diopiNeg");
  EXPECT_EQ(after.unsupported, 1);
  ASSERT_EQ(CALL(diopiNeg)(ctx_, result, y), diopiSuccess) << message();
  EXPECT_EQ(values<float>(result), std::vector<float>({100, 100})) << "the vendor computes this dtype itself";
  EXPECT_EQ(row("diopiNeg").unsupported, 1);
  EXPECT_EQ(support("diopiNeg", diopi_dtype_int32), diopiSupportFallback);
  EXPECT_EQ(support("diopiNeg", diopi_dtype_float32), diopiSupportNative);
}

TEST_F(FallbackCall, a_refused_dtype_without_fallback_stays_refused) {
  const auto x = tensor<int32_t>({2}, {1, -2}), out = tensor<int32_t>({2}, {5, 5});
  EXPECT_EQ(CALL(diopiAbs)(ctx_, out, x), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopiAbs: input has dtype int32, which this vendor does not support: no host helps here");
  EXPECT_EQ(support("diopiAbs", diopi_dtype_int32), diopiSupportNone);
  EXPECT_EQ(support("diopiAbs", diopi_dtype_float32), diopiSupportNative);
}

TEST_F(FallbackCall, a_dtype_that_the_configuration_gives_to_the_host) {
  const diopiScalar_t one = scalar(1);
  const auto x = tensor<double>({2}, {1, 2}), out = tensor<double>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiAdd)(ctx_, out, x, x, &one), diopiSuccess) << message();
  EXPECT_EQ(values<double>(out), std::vector<double>({2, 4}));
  EXPECT_EQ(row("diopiAdd").unsupported, 1);
  EXPECT_EQ(support("diopiAdd", diopi_dtype_float64), diopiSupportFallback);
  const auto y = tensor<float>({2}, {1, 2}), result = tensor<float>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiAdd)(ctx_, result, y, y, &one), diopiSuccess) << message();
  EXPECT_EQ(values<float>(result), std::vector<float>({100, 100}));
  EXPECT_EQ(row("diopiAdd").unsupported, 1);
}

TEST_F(FallbackCall, one_tensor_of_several_sends_the_call_to_the_host) {
  const diopiScalar_t one = scalar(1);
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({2}, {0, 0});
  const auto other = tensor<int32_t>({2}, {10, 20});
  ASSERT_EQ(CALL(diopiAdd)(ctx_, out, x, other, &one), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({11, 22}));
}

TEST_F(FallbackCall, an_operator_that_the_configuration_gives_to_the_host) {
  const auto x = tensor<float>({2}, {3, 4}), out = tensor<float>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({9, 16}));
  EXPECT_EQ(row("diopiMul").configured, 1);
  EXPECT_EQ(row("diopiMul").absent, 0);
  ASSERT_EQ(CALL(diopiMulInp)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(row("diopiMulInp").absent, 1) << "the vendor does not have this operator at all";
  EXPECT_EQ(support("diopiMul", diopi_dtype_float32), diopiSupportFallback);
}

TEST_F(FallbackCall, a_function_asks_for_the_host) {
  const auto x = tensor<float>({3}, {-1, 2, -3}), out = tensor<float>({3}, {0, 0, 0});
  const auto two = tensor<float>({2}, {-1, 2}), result = tensor<float>({2}, {0, 0});
  ASSERT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({0, 2, 0}));
  EXPECT_EQ(row("diopiRelu").asked, 1);
  ASSERT_EQ(CALL(diopiRelu)(ctx_, result, two), diopiSuccess) << message();
  EXPECT_EQ(values<float>(result), std::vector<float>({100, 100}));
  EXPECT_EQ(row("diopiRelu").asked, 1);
}

TEST_F(FallbackCall, a_function_that_asks_after_a_conversion_gets_the_callers_tensors_to_the_host) {
  const double third = 1.0 / 3;  // float32 cannot hold this number
  const auto x = tensor<double>({3}, {-1, third, -3}), out = tensor<double>({3}, {0, 0, 0});
  const int64_t asked = row("diopiRelu").asked;
  ASSERT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(values<double>(out), std::vector<double>({0, third, 0}));
  EXPECT_EQ(row("diopiRelu").asked, asked + 1);
  EXPECT_EQ(support("diopiRelu", diopi_dtype_float64), diopiSupportConverted);
  EXPECT_EQ(support("diopiRelu", diopi_dtype_float32), diopiSupportNative);
}

TEST_F(FallbackCall, a_function_that_asks_without_permission_fails) {
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({2}, {5, 5});
  EXPECT_EQ(CALL(diopiTanh)(ctx_, out, x), diopiForceFallbackToCPU);
  EXPECT_EQ(message(),
            "diopiTanh: failed with code " + std::to_string(diopiForceFallbackToCPU) + " and without a message");
}

TEST_F(FallbackCall, answers_about_what_the_library_lacks) {
  EXPECT_EQ(support("diopiSub", diopi_dtype_float32), diopiSupportNone) << "neither the vendor nor the host";
  EXPECT_EQ(CALL(diopiSupports)("diopiSort", "no such parameter", diopi_dtype_float32), diopiSupportNone);
  EXPECT_EQ(CALL(diopiSupports)("diopiSort", "indices", diopi_dtype_float32), diopiSupportNone);
  EXPECT_EQ(CALL(diopiSupports)("diopiSort", "indices", diopi_dtype_int64), diopiSupportFallback);
}

TEST_F(FallbackCall, small_gaps_are_read_but_not_written) {
  const Shape gaps = {4, 1};
  const auto x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}, &gaps);
  const auto out = tensor<float>({2, 3}, std::vector<float>(6), &gaps);
  log();
  ASSERT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiSuccess) << message();
  EXPECT_EQ(log(), "out 28; out 28; wait; in 12; in 12; wait");
  EXPECT_EQ(values<float>(out), std::vector<float>({1, 4, 9, 16, 25, 36}));
}

TEST_F(FallbackCall, wide_gaps_are_not_read) {
  const Shape gaps = {2000, 1};
  const auto x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}, &gaps);
  const auto out = tensor<float>({2, 3}, std::vector<float>(6));
  log();
  ASSERT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiSuccess) << message();
  EXPECT_EQ(log(), "out 12; out 12; out 12; out 12; wait; in 24; wait");
  EXPECT_EQ(values<float>(out), std::vector<float>({1, 4, 9, 16, 25, 36}));
}

TEST_F(FallbackCall, views_that_share_memory_share_it_on_the_host) {
  const auto base = tensor<float>({5}, {1, 2, 3, 4, 5});
  const Shape four = {4};
  diopiTensorHandle_t first = nullptr, last = nullptr;
  ASSERT_EQ(diopirtCreateView(base, size_of(four), nullptr, 0, &first), diopiSuccess);
  ASSERT_EQ(diopirtCreateView(base, size_of(four), nullptr, 1, &last), diopiSuccess);
  tensors_.insert(tensors_.end(), {first, last});
  ASSERT_EQ(CALL(diopiMulInp)(ctx_, first, last), diopiSuccess) << message();
  EXPECT_EQ(values<float>(base), std::vector<float>({2, 6, 12, 20, 5})) << "the operator sees that they overlap";
}

TEST_F(FallbackCall, tensors_on_the_host_are_used_where_they_are) {
  const auto x = tensor<float>({2}, {3, 4});
  const Shape two = {2};
  diopiTensorHandle_t out = nullptr;
  ASSERT_EQ(diopirtCreateTensor(ctx_, size_of(two), nullptr, diopi_dtype_float32, diopi_host, &out), diopiSuccess);
  tensors_.push_back(out);
  log();
  ASSERT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiSuccess) << message();
  EXPECT_EQ(log(), "out 8; out 8; wait; wait");
  EXPECT_EQ(values<float>(out), std::vector<float>({9, 16}));
}

TEST_F(FallbackCall, empty_tensors_and_null_elements_of_lists) {
  const auto x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto index = tensor<int64_t>({2}, {2, 0});
  diopiConstTensorHandle_t indices[] = {nullptr, index};
  diopiTensorHandle_t out = nullptr;
  ASSERT_EQ(CALL(diopiIndex)(ctx_, &out, x, indices, 2), diopiSuccess) << message();
  EXPECT_EQ(shape(out), Shape({2, 2}));
  EXPECT_EQ(values<float>(out), std::vector<float>({3, 1, 6, 4}));
  const auto none = tensor<float>({0}, {});
  log();
  ASSERT_EQ(CALL(diopiMulInp)(ctx_, none, none), diopiSuccess) << message();
  EXPECT_EQ(log(), "wait; wait");
}

TEST_F(FallbackCall, results_that_the_operator_creates) {
  const auto x = tensor<float>({3}, {1, 2, 3});
  const auto mask = tensor<uint8_t>({3}, {1, 0, 1}, nullptr, diopi_dtype_bool);
  diopiTensorHandle_t out = nullptr;
  ASSERT_EQ(CALL(diopiMaskedSelect)(ctx_, &out, x, mask), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({1, 3}));
  diopiTensorHandle_t other = x;
  EXPECT_NE(CALL(diopiMaskedSelect)(ctx_, &other, x, x), diopiSuccess) << "the mask is not bool";
  EXPECT_EQ(other, x) << "a failed call does not write the handle";
}

TEST_F(FallbackCall, an_operator_that_fails_writes_nothing_and_keeps_its_message) {
  const auto x = tensor<float>({3}, {3, 1, 2}), out = tensor<float>({3}, {5, 5, 5});
  const auto indices = tensor<int64_t>({3}, {9, 9, 9});
  const int64_t calls = row("diopiSort").absent;
  log();
  EXPECT_EQ(CALL(diopiSort)(ctx_, out, indices, x, 4, false, nullptr), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiSort: dim = 4 is out of range [-1, 0] for input of shape [3]");
  EXPECT_EQ(log(), "out 12; wait");
  EXPECT_EQ(row("diopiSort").absent, calls) << "the ledger counts calls that succeeded";
}

TEST_F(FallbackCall, a_copy_from_the_device_that_fails_leaves_the_outputs) {
  const auto x = tensor<float>({2}, {3, 4}), out = tensor<float>({2}, {5, 5});
  let_fail(2);
  EXPECT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiMul: the vendor's copy of 8 bytes from the device failed with code 7");
  EXPECT_EQ(log(), "out 8; out 8");
  EXPECT_EQ(values<float>(out), std::vector<float>({5, 5}));
}

TEST_F(FallbackCall, a_synchronisation_that_fails_leaves_the_outputs) {
  const auto x = tensor<float>({2}, {3, 4}), out = tensor<float>({2}, {5, 5});
  let_fail(3);
  EXPECT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiMul: waiting for the stream failed with code 7: the device is lost");
  EXPECT_EQ(values<float>(out), std::vector<float>({5, 5}));
}

TEST_F(FallbackCall, a_copy_to_the_device_that_fails_is_an_error) {
  const auto x = tensor<float>({2}, {3, 4}), out = tensor<float>({2}, {5, 5});
  const int64_t calls = row("diopiMul").configured;
  let_fail(4);
  EXPECT_EQ(CALL(diopiMul)(ctx_, out, x, x), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiMul: the vendor's copy of 8 bytes to the device failed with code 7");
  EXPECT_EQ(row("diopiMul").configured, calls);
}

TEST_F(FallbackCall, a_generator_advances_as_on_the_host_and_only_on_success) {
  diopiGeneratorHandle_t generator = nullptr;
  ASSERT_EQ(diopirtCreateGenerator(42, &generator), diopiSuccess);
  ASSERT_EQ(diopiGeneratorSetSeedAndOffset(generator, 42, 8), diopiSuccess);
  const auto x = tensor<float>({3}, {0, 0, 0}), y = tensor<float>({3}, {0, 0, 0});
  uint64_t seed = 0, first = 0, second = 0;
  ASSERT_EQ(CALL(diopiUniformInp)(ctx_, x, 0, 1, generator), diopiSuccess) << message();
  ASSERT_EQ(diopiGeneratorGetSeedAndOffset(generator, &seed, &first), diopiSuccess);
  EXPECT_EQ(seed, 42u);
  EXPECT_GT(first, 8u);
  EXPECT_NE(CALL(diopiUniformInp)(ctx_, x, 1, 0, generator), diopiSuccess) << "the interval is empty";
  ASSERT_EQ(diopiGeneratorGetSeedAndOffset(generator, &seed, &second), diopiSuccess);
  EXPECT_EQ(second, first);
  ASSERT_EQ(diopiGeneratorSetSeedAndOffset(generator, 42, 8), diopiSuccess);
  ASSERT_EQ(CALL(diopiUniformInp)(ctx_, y, 0, 1, generator), diopiSuccess) << message();
  EXPECT_EQ(values<float>(x), values<float>(y));
  EXPECT_EQ(diopirtDestroyGenerator(generator), diopiSuccess);
}

}  // namespace

}  // namespace vendor_test
