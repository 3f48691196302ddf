// SPDX-License-Identifier: BSD-3-Clause
// Calls that an entry refuses before the vendor is called, and failures of the vendor that it catches.
#include <cstring>

#include "diopi_test/unit/vendor_fixture.hpp"

namespace vendor_test {

namespace {

class EntrySkeleton : public VendorTest {
 protected:
  EntrySkeleton() : VendorTest(SKELETON_LIBRARY) {}
};

class EntryProbe : public VendorTest {
 protected:
  EntryProbe() : VendorTest(PROBE_LIBRARY) {}
};

TEST_F(EntrySkeleton, names_the_argument_that_is_null) {
  const auto x = tensor<float>({2}, {1, 2});
  const diopiScalar_t one = scalar(1);
  const auto add = CALL(diopiAdd);
  EXPECT_EQ(add(nullptr, x, x, x, &one), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiAdd: ctx is null");
  EXPECT_EQ(add(ctx_, nullptr, x, x, &one), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiAdd: out is null");
  EXPECT_EQ(add(ctx_, x, x, nullptr, &one), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiAdd: other is null");
}

TEST_F(EntrySkeleton, takes_null_where_the_contract_allows_it) {
  const auto x = tensor<float>({1, 2}, {1, 2}), weight = tensor<float>({1, 2}, {3, 4});
  const auto out = tensor<float>({1, 1}, {0});
  EXPECT_EQ(CALL(diopiAdd)(ctx_, x, x, x, nullptr), diopiSuccess) << message();
  EXPECT_EQ(CALL(diopiLinear)(ctx_, out, x, weight, nullptr), diopiSuccess) << message();
  EXPECT_EQ(values<float>(out), std::vector<float>({22}));
}

TEST_F(EntrySkeleton, refuses_broken_lists_and_sizes) {
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({4}, {0, 0, 0, 0});
  diopiConstTensorHandle_t list[] = {x, nullptr};
  EXPECT_EQ(CALL(diopiCat)(ctx_, out, list, 2, 0), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiCat: tensors[1] is null");
  EXPECT_EQ(CALL(diopiCat)(ctx_, out, nullptr, 2, 0), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiCat: tensors is null");
  EXPECT_EQ(CALL(diopiCat)(ctx_, out, list, -1, 0), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiCat: tensors has the negative length -1");
  EXPECT_EQ(CALL(diopiSum)(ctx_, out, x, {nullptr, 1}), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiSum: dim.data is null although its length is 1");
}

TEST_F(EntrySkeleton, refuses_scalars_that_are_no_numbers) {
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({2}, {7, 7});
  const auto add = CALL(diopiAdd);
  for (const int stype : {13, 14, 15, 16, 17, 31, 32, 255, 1 << 20, -1}) {
    diopiScalar_t alpha = scalar(1);
    std::memcpy(&alpha.stype, &stype, sizeof(stype));  // not an enumerator
    EXPECT_EQ(add(ctx_, out, x, x, &alpha), diopiDtypeNotSupported) << stype;
    EXPECT_EQ(message(), "diopiAdd: alpha has stype " + std::to_string(stype) +
                             ", expected that of bool, an integer or a floating point dtype");
  }
  EXPECT_EQ(values<float>(out), std::vector<float>({7, 7}));
  for (int stype = diopi_dtype_int8; stype <= diopi_dtype_bfloat16; ++stype) {
    diopiScalar_t alpha = scalar(1);
    alpha.stype = static_cast<diopiDtype_t>(stype);
    if (diopi::is_floating(alpha.stype)) {
      alpha.fval = 1;
    } else {
      alpha.ival = 1;
    }
    EXPECT_EQ(add(ctx_, out, x, x, &alpha), diopiSuccess) << message();
    EXPECT_EQ(values<float>(out), std::vector<float>({2, 4})) << stype;
  }
}

TEST_F(EntryProbe, turns_exceptions_into_statuses) {
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({2}, {0, 0});
  EXPECT_EQ(CALL(diopiSigmoid)(ctx_, out, x), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiSigmoid: deliberate");
  EXPECT_EQ(CALL(diopiTanh)(ctx_, out, x), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiTanh: out of memory");
  EXPECT_EQ(CALL(diopiSilu)(ctx_, out, x), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiSilu: an exception of unknown type was thrown");
  EXPECT_EQ(CALL(diopiGetVendorName)(), nullptr);
}

TEST_F(EntryProbe, an_error_without_a_message_gets_one_and_not_that_of_an_earlier_call) {
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({2}, {0, 0});
  EXPECT_EQ(CALL(diopiSigmoid)(ctx_, out, x), diopiErrorOccurred);
  EXPECT_EQ(CALL(diopiCos)(ctx_, out, x), diopiNoImplement);
  EXPECT_EQ(message(), "diopiCos: failed with code 13 and without a message");
}

TEST_F(EntryProbe, brackets_each_call_with_a_record) {
  std::string seen;
  const auto start = [](const char* name, void* log) -> void* {
    *static_cast<std::string*>(log) += std::string("<") + name;
    return log;
  };
  const auto end = [](void* log, void*) { *static_cast<std::string*>(log) += ">"; };
  ASSERT_EQ(diopirtSetRecordHook(start, end, &seen), diopiSuccess);
  const auto x = tensor<float>({2}, {1, 2}), out = tensor<float>({2}, {0, 0});
  EXPECT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess);
  EXPECT_EQ(CALL(diopiSigmoid)(ctx_, out, x), diopiErrorOccurred);
  EXPECT_EQ(CALL(diopiRelu)(ctx_, nullptr, x), diopiErrorOccurred);
  ASSERT_EQ(diopirtSetRecordHook(nullptr, nullptr, nullptr), diopiSuccess);
  EXPECT_EQ(seen, "<diopiRelu><diopiSigmoid><diopiRelu>");
}

TEST_F(EntryProbe, an_absent_operator_is_an_absent_symbol) {
  diopirtFunction_t function = nullptr;
  EXPECT_EQ(diopirtGetFunction(library_, "diopiSub", &function), diopiNoImplement);
  EXPECT_EQ(diopirtGetFunction(library_, "diopiAdd", &function), diopiSuccess);
}

}  // namespace

}  // namespace vendor_test
