// SPDX-License-Identifier: BSD-3-Clause
// A context of the vendor cuda with tensors, and captures of its stream.
#ifndef DIOPI_TEST_CUDA_GRAPHS_CAPTURED_HPP_
#define DIOPI_TEST_CUDA_GRAPHS_CAPTURED_HPP_

#include <cuda_runtime_api.h>
#include <diopi/functions.h>
#include <diopirt_host.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

using Call = std::function<diopiError_t()>;

class CapturedTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A tensor of the device that the fixture releases.
  diopiTensorHandle_t make(const std::vector<int64_t>& shape, diopiDtype_t dtype = diopi_dtype_float32);
  template <typename T>
  void set(diopiTensorHandle_t tensor, const std::vector<T>& values) {
    ASSERT_EQ(diopirtCopyFromHost(ctx_, tensor, values.data(), values.size() * sizeof(T)), diopiSuccess);
  }
  // Fills it with numbers from -2 to 2, or integers from 0 to 9, that depend on the seed.
  void fill(diopiTensorHandle_t tensor, uint32_t seed);
  std::vector<char> bytes_of(diopiTensorHandle_t tensor);

  diopiError_t wait() { return diopirtSynchronize(ctx_); }
  // What the vendor and the runtime say of their last errors.
  static std::string said();
  // Captures a call; null if the call or the capture fails.
  cudaGraphExec_t capture(const Call& call);
  void launch(cudaGraphExec_t graph) { ASSERT_EQ(cudaGraphLaunch(graph, stream_), cudaSuccess); }

  diopiContextHandle_t ctx_ = nullptr;
  cudaStream_t stream_ = nullptr;

 private:
  std::vector<diopiTensorHandle_t> tensors_;
};

#endif  // DIOPI_TEST_CUDA_GRAPHS_CAPTURED_HPP_
