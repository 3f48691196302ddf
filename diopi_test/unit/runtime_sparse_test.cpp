// SPDX-License-Identifier: BSD-3-Clause
// Compressed-sparse-row tensors.
#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeSparse : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    crow_ = create({4}, diopi_dtype_int64);
    col_ = create({5}, diopi_dtype_int64);
    values_ = create({5});
  }
  void TearDown() override {
    for (const diopiTensorHandle_t part : {crow_, col_, values_}) diopirtReleaseTensor(part);
    RuntimeTest::TearDown();
  }
  diopiError_t build(const std::vector<int64_t>& shape, diopiTensorHandle_t* tensor) {
    return diopirtCreateSparseCsr(crow_, col_, values_, dims(shape), tensor);
  }

  diopiTensorHandle_t crow_ = nullptr, col_ = nullptr, values_ = nullptr;
};

TEST_F(RuntimeSparse, hands_out_its_parts) {
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(build({3, 7}, &tensor), diopiSuccess) << message();
  bool sparse = false;
  int64_t numel = 0;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiDevice_t device = diopi_host;
  diopiConstTensorHandle_t crow = nullptr, col = nullptr, values = nullptr;
  EXPECT_EQ(diopiIsTensorSparse(tensor, &sparse), diopiSuccess);
  EXPECT_TRUE(sparse);
  EXPECT_EQ(diopiGetTensorCrowIndices(tensor, &crow), diopiSuccess);
  EXPECT_EQ(diopiGetTensorColIndices(tensor, &col), diopiSuccess);
  EXPECT_EQ(diopiGetTensorValues(tensor, &values), diopiSuccess);
  EXPECT_EQ(crow, crow_);
  EXPECT_EQ(col, col_);
  EXPECT_EQ(values, values_);
  EXPECT_EQ(shape_of(tensor), (std::vector<int64_t>{3, 7}));
  EXPECT_EQ(diopiGetTensorNumel(tensor, &numel), diopiSuccess);
  EXPECT_EQ(numel, 21);
  EXPECT_EQ(diopiGetTensorDtype(tensor, &dtype), diopiSuccess);
  EXPECT_EQ(dtype, diopi_dtype_float32);
  EXPECT_EQ(diopiGetTensorDevice(tensor, &device), diopiSuccess);
  EXPECT_EQ(device, diopi_device);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeSparse, keeps_its_parts_alive) {
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(build({3, 7}, &tensor), diopiSuccess) << message();
  write(values_, {1, 2, 3, 4, 5});
  diopirtReleaseTensor(values_);
  diopiConstTensorHandle_t values = nullptr;
  EXPECT_EQ(diopiGetTensorValues(tensor, &values), diopiSuccess);
  EXPECT_EQ(read(values), (std::vector<float>{1, 2, 3, 4, 5}));
  const int frees = device_counts().frees;
  diopirtReleaseTensor(tensor);
  EXPECT_EQ(device_counts().frees, frees + 1);
  values_ = nullptr;
}

TEST_F(RuntimeSparse, has_no_memory_of_its_own) {
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(build({3, 7}, &tensor), diopiSuccess) << message();
  void* data = nullptr;
  diopiSize_t stride{nullptr, 0};
  float value = 0;
  diopiTensorHandle_t unused = nullptr;
  EXPECT_EQ(diopiGetTensorData(tensor, &data), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGetTensorData: the tensor is sparse: use its parts");
  EXPECT_EQ(diopiGetTensorStride(tensor, &stride), diopiErrorOccurred);
  EXPECT_EQ(diopiGetTensorStoragePtr(tensor, &data), diopiErrorOccurred);
  EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, &value, sizeof(value)), diopiErrorOccurred);
  EXPECT_EQ(diopirtCreateView(tensor, dims({1}), nullptr, 0, &unused), diopiErrorOccurred);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeSparse, dense_tensor_has_no_parts) {
  diopiConstTensorHandle_t part = values_;
  EXPECT_EQ(diopiGetTensorCrowIndices(values_, &part), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGetTensorCrowIndices: the tensor is not sparse");
  EXPECT_EQ(part, nullptr);
  EXPECT_EQ(diopiGetTensorColIndices(values_, &part), diopiErrorOccurred);
  EXPECT_EQ(diopiGetTensorValues(values_, &part), diopiErrorOccurred);
}

TEST_F(RuntimeSparse, parts_that_do_not_fit_are_refused_by_name) {
  diopiTensorHandle_t tensor = nullptr;
  EXPECT_EQ(build({4, 7}, &tensor), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateSparseCsr: crow_indices has 4 entries for 4 rows");
  EXPECT_EQ(build({3}, &tensor), diopiErrorOccurred);
  EXPECT_EQ(message(),
            "diopirtCreateSparseCsr: 1, 1 and 1 dimensions of crow_indices, col_indices and values do not make 1");
  diopirtReleaseTensor(col_);
  col_ = create({6}, diopi_dtype_int64);
  EXPECT_EQ(build({3, 7}, &tensor), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateSparseCsr: 6 col_indices for 5 values");
  diopirtReleaseTensor(col_);
  col_ = create({5}, diopi_dtype_int32);
  EXPECT_EQ(build({3, 7}, &tensor), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopirtCreateSparseCsr: crow_indices is int64, col_indices is int32");
  diopirtReleaseTensor(col_);
  col_ = create({5}, diopi_dtype_float32);
  EXPECT_EQ(build({3, 7}, &tensor), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopirtCreateSparseCsr: col_indices has dtype float32, expected int32 or int64");
  diopirtReleaseTensor(col_);
  col_ = create({5}, diopi_dtype_int64, diopi_host);
  EXPECT_EQ(build({3, 7}, &tensor), diopiErrorOccurred);
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(RuntimeSparse, batches_and_dense_dimensions_are_accepted) {
  const diopiTensorHandle_t crow = create({2, 4}, diopi_dtype_int32), col = create({2, 5}, diopi_dtype_int32);
  const diopiTensorHandle_t values = create({2, 5, 3});
  diopiTensorHandle_t tensor = nullptr;
  EXPECT_EQ(diopirtCreateSparseCsr(crow, col, values, dims({2, 3, 7, 3}), &tensor), diopiSuccess) << message();
  diopirtReleaseTensor(tensor);
  EXPECT_EQ(diopirtCreateSparseCsr(crow, col, values, dims({2, 3, 7, 4}), &tensor), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateSparseCsr: values disagree with shape[3] = 4");
  EXPECT_EQ(diopirtCreateSparseCsr(crow, col, values, dims({1, 3, 7, 3}), &tensor), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateSparseCsr: the parts disagree with shape[0] = 1");
  for (const diopiTensorHandle_t part : {crow, col, values}) diopirtReleaseTensor(part);
}

}  // namespace
}  // namespace runtime_test
