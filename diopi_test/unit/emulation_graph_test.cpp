// SPDX-License-Identifier: BSD-3-Clause
// Streams that are captured, and the graphs of these captures.
#include <functional>
#include <vector>

#include "diopi_test/unit/emulation_fixture.hpp"
#include "diopi_test/unit/emulation_kernels/kernels.hpp"

namespace {

class EmulationGraph : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess); }
  void TearDown() override { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }

  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
  }
  cudaStreamCaptureStatus status() {
    cudaStreamCaptureStatus result = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(stream_, &result), cudaSuccess);
    return result;
  }
  void expect_that_the_capture_fails() {
    EXPECT_EQ(status(), cudaStreamCaptureStatusInvalidated);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  }
  // Ends the capture, and makes an executable of it.
  cudaGraphExec_t end() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    return executable;
  }

  cudaStream_t stream_ = nullptr;
};

TEST_F(EmulationGraph, WorkRunsAtEachLaunchAndNotBefore) {
  const DeviceArray<float> sum({0, 0, 0}), step({1, 2, 3});
  begin();
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive);
  ASSERT_EQ(run_add_scaled(sum.data(), sum.data(), step.data(), 2, 3, stream_), cudaSuccess);
  const cudaGraphExec_t executable = end();
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(sum.values(), (std::vector<float>{0, 0, 0}));
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);  // any stream
  ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaErrorInvalidValue);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sum.values(), (std::vector<float>{4, 8, 12}));
}

TEST_F(EmulationGraph, PageableMemoryIsReadWhenTheGraphRuns) {
  const DeviceArray<float> array({0, 0});
  std::vector<float> source = {1, 2}, result(2);
  begin();
  ASSERT_EQ(cudaMemcpyAsync(array.data(), source.data(), 8, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(result.data(), array.data(), 8, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  const cudaGraphExec_t executable = end();
  source = {3, 4};
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(result, source);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(EmulationGraph, CallsThatWaitFailTheCapture) {
  const DeviceArray<float> array(2);
  void* address = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  const std::vector<std::function<cudaError_t()>> calls = {
      [&] { return cudaStreamSynchronize(stream_); },  [&] { return cudaStreamQuery(stream_); },
      [&] { return cudaDeviceSynchronize(); },         [&] { return cudaMalloc(&address, 4); },
      [&] { return cudaFree(array.data()); },          [&] { return cudaHostAlloc(&address, 4, 0); },
      [&] { return cudaEventRecord(event, stream_); }, [&] { return cudaStreamWaitEvent(stream_, event, 0); },
  };
  for (const auto& call : calls) {
    begin();
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
    expect_that_the_capture_fails();
  }
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(EmulationGraph, ARelaxedCaptureAllowsAllocation) {
  void* address = nullptr;
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&address, 4), cudaSuccess);
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaGraphExecDestroy(end()), cudaSuccess);
  EXPECT_EQ(cudaFree(address), cudaSuccess);
}

TEST_F(EmulationGraph, OtherStreamsWork) {
  const DeviceArray<float> sum(std::vector<float>{0}), one(std::vector<float>{1});
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  begin();
  ASSERT_EQ(run_add_scaled(sum.data(), one.data(), one.data(), 1, 1, other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(end()), cudaSuccess);
  EXPECT_EQ(sum.values(), (std::vector<float>{2}));
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
}

TEST_F(EmulationGraph, WrongCalls) {
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamIsCapturing(nullptr, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_EQ(cudaGraphExecDestroy(end()), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

}  // namespace
