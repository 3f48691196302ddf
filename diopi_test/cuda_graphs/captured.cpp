// SPDX-License-Identifier: BSD-3-Clause
#include "diopi_test/cuda_graphs/captured.hpp"

namespace {

class Library : public testing::Environment {
  void SetUp() override { ASSERT_EQ(initLibrary(), 0) << diopiGetLastErrorString(); }
  void TearDown() override { EXPECT_EQ(finalizeLibrary(), 0); }
};
const testing::Environment* const library = testing::AddGlobalTestEnvironment(new Library);

}  // namespace

void CapturedTest::SetUp() {
  ASSERT_EQ(diopirtCreateContext(nullptr, &ctx_), diopiSuccess) << diopirtGetLastErrorString();
  diopiStreamHandle_t stream = nullptr;
  ASSERT_EQ(diopiGetStream(ctx_, &stream), diopiSuccess);
  stream_ = static_cast<cudaStream_t>(stream);
}

void CapturedTest::TearDown() {
  for (const diopiTensorHandle_t tensor : tensors_) EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess);
}

diopiTensorHandle_t CapturedTest::make(const std::vector<int64_t>& shape, diopiDtype_t dtype) {
  diopiTensorHandle_t tensor = nullptr;
  const diopiSize_t sizes = {shape.data(), static_cast<int64_t>(shape.size())};
  EXPECT_EQ(diopirtCreateTensor(ctx_, sizes, nullptr, dtype, diopi_device, &tensor), diopiSuccess);
  tensors_.push_back(tensor);
  return tensor;
}

void CapturedTest::fill(diopiTensorHandle_t tensor, uint32_t seed) {
  int64_t count = 0;
  diopiDtype_t dtype = diopi_dtype_float32;
  ASSERT_EQ(diopiGetTensorNumel(tensor, &count), diopiSuccess);
  ASSERT_EQ(diopiGetTensorDtype(tensor, &dtype), diopiSuccess);
  const auto next = [&seed] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
  if (dtype == diopi_dtype_int64) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    for (int64_t& value : values) value = next() % 10;
    set(tensor, values);
  } else {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = static_cast<float>(next()) / (1 << 22) - 2;
    set(tensor, values);
  }
}

std::vector<char> CapturedTest::bytes_of(diopiTensorHandle_t tensor) {
  int64_t count = 0, size = 0;
  EXPECT_EQ(diopiGetTensorNumel(tensor, &count), diopiSuccess);
  EXPECT_EQ(diopiGetTensorElemSize(tensor, &size), diopiSuccess);
  std::vector<char> bytes(static_cast<size_t>(count * size));
  EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, bytes.data(), bytes.size()), diopiSuccess) << said();
  return bytes;
}

std::string CapturedTest::said() {
  const std::string vendor = diopiGetLastErrorString();
  return vendor + " " + diopirtGetLastErrorString();
}

cudaGraphExec_t CapturedTest::capture(const Call& call) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  const diopiError_t code = call();
  EXPECT_EQ(code, diopiSuccess) << said();
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  if (code != diopiSuccess || graph == nullptr) return nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  return executable;
}
