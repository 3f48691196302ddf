// SPDX-License-Identifier: BSD-3-Clause
// The runtime's interface: memory, copies, streams, events, errors.
#include <signal.h>

#include <cmath>
#include <cstring>

#include "diopi_test/unit/emulation_fixture.hpp"
#include "diopi_test/unit/emulation_kernels/functions.hpp"
#include "diopi_test/unit/emulation_kernels/kernels.hpp"

namespace {

TEST(EmulationMemory, AttributesOfAddresses) {
  const DeviceArray<float> array(10);
  float on_stack = 0;
  float* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 40), cudaSuccess);
  cudaPointerAttributes attributes;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, array.data() + 3), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, array.data() + 3);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &on_stack), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned + 1), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
}

TEST(EmulationMemory, FreshMemoryIsNan) {
  const DeviceArray<float> array(100);
  for (const float x : array.values()) ASSERT_TRUE(std::isnan(x));
}

TEST(EmulationMemory, AddressesAreAligned) {
  for (const size_t bytes : {1, 4, 17, 4096, 5000}) {
    const DeviceArray<char> array(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 16, 0u) << bytes;
  }
}

TEST(EmulationMemory, Limit) {
  const Setting limit("DIOPI_CUDA_MEMORY", "1000000");
  char *a = nullptr, *b = nullptr;
  size_t free = 0, total = 0;
  ASSERT_EQ(cudaMalloc(&a, 600000), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, 400000u);
  EXPECT_EQ(total, 1000000u);
  EXPECT_EQ(cudaMalloc(&b, 600000), cudaErrorMemoryAllocation);
  EXPECT_EQ(b, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&b, 600000), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

TEST(EmulationMemory, NothingAndNull) {
  void* address = &address;
  EXPECT_EQ(cudaMalloc(&address, 0), cudaSuccess);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&address), cudaErrorInvalidValue);
}

TEST(EmulationMemoryDeathTest, HostReadsDeviceMemory) {
  const DeviceArray<float> array(std::vector<float>(10, 1));
  EXPECT_DEATH(std::exit(*static_cast<volatile float*>(array.data()) > 0 ? 1 : 2),
               "The host accesses memory of the device");
}

TEST(EmulationMemoryDeathTest, HostReadsDeviceMemoryAfterTheDevice) {
  const DeviceArray<float> array(std::vector<float>(10, 1));
  EXPECT_EQ(array.values()[0], 1);
  EXPECT_DEATH(std::exit(*static_cast<volatile float*>(array.data()) > 0 ? 1 : 2),
               "The host accesses memory of the device");
}

TEST(EmulationMemoryDeathTest, FunctionOfTheHostReadsDeviceMemory) {
  const DeviceArray<float> array(std::vector<float>(10, 1));
  const auto read = [](void* data) { std::exit(*static_cast<volatile float*>(data) > 0 ? 1 : 2); };
  ASSERT_EQ(cudaMemsetAsync(array.data(), 0, 40), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, read, array.data()), cudaSuccess);
  EXPECT_DEATH(cudaDeviceSynchronize(), "The host accesses memory of the device");
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
}

// The device needs its handler of faults, also if the program installs one later. That one still handles other faults.
TEST(EmulationMemoryDeathTest, ProgramInstallsAHandlerLater) {
  const DeviceArray<float> array(std::vector<float>(10, 1));
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { std::_Exit(7); };
  ASSERT_EQ(sigaction(SIGSEGV, &action, &before), 0);
  EXPECT_EQ(array.values(), std::vector<float>(10, 1));
  EXPECT_EXIT(std::exit(*static_cast<volatile float*>(array.data()) > 0 ? 1 : 2), testing::ExitedWithCode(7),
              "The host accesses memory of the device");
  ASSERT_EQ(sigaction(SIGSEGV, &before, nullptr), 0);
}

TEST(EmulationMemoryDeathTest, KernelGetsAddressesOfTheHost) {
  const DeviceArray<float> array(std::vector<float>(10, 1));
  std::vector<float> host(10);
  EXPECT_DEATH(run_add_scaled(array.data(), host.data(), array.data(), 1, 10, nullptr),
               "address that the device cannot access");
}

TEST(EmulationMemoryDeathTest, ArgumentContainsAnAddressOfTheHost) {
  const DeviceArray<float> array(std::vector<float>(10, 1));
  const float on_stack = 0;
  const float* const good[] = {array.data(), array.data() + 5};
  const float* const bad[] = {array.data(), &on_stack};
  ASSERT_EQ(run_with_list(good, 2), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_DEATH(run_with_list(bad, 2), "an argument of 40 bytes has at byte 8 an address of the host");
}

TEST(EmulationCopy, ChecksBoundsAndDirection) {
  std::vector<char> host(100);
  const DeviceArray<char> array(100);
  EXPECT_EQ(cudaMemcpy(array.data(), host.data(), 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(array.data() + 60, host.data(), 41, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(array.data(), host.data(), 100, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(array.data(), host.data(), 100, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(nullptr, host.data(), 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(array.data(), host.data(), 100, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemset(array.data(), 1, 101), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST(EmulationCopy, PageableMemoryIsStaged) {
  std::vector<int> host(10, 5);
  const DeviceArray<int> array(10);
  ASSERT_EQ(cudaMemcpyAsync(array.data(), host.data(), 40, cudaMemcpyHostToDevice), cudaSuccess);
  host.assign(10, 6);
  EXPECT_EQ(array.values(), std::vector<int>(10, 5));
}

TEST(EmulationCopy, PinnedMemoryIsNotStaged) {
  int* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 40), cudaSuccess);
  std::fill_n(pinned, 10, 5);
  const DeviceArray<int> array(10);
  ASSERT_EQ(cudaMemcpyAsync(array.data(), pinned, 40, cudaMemcpyHostToDevice), cudaSuccess);
  std::fill_n(pinned, 10, 6);
  EXPECT_EQ(array.values(), std::vector<int>(10, 6));
  ASSERT_EQ(cudaMemsetAsync(array.data(), 0, 40), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned, array.data(), 40, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(pinned[0], 6);  // not before the host waits
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(pinned[0], 0);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(EmulationStream, WorkIsQueued) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const DeviceArray<char> array(16);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(array.data(), 3, 16, stream), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemsetAsync(array.data(), 3, 16, stream), cudaErrorInvalidResourceHandle);
}

using EmulationStreamOrder = EmulationOrder;

// The default stream waits for the others, and they wait for it; a non-blocking stream does not.
TEST_P(EmulationStreamOrder, DefaultStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const DeviceArray<char> array(1);
  for (int i = 1; i <= 5; ++i)
    ASSERT_EQ(cudaMemsetAsync(array.data(), i, 1, i % 2 == 0 ? nullptr : stream), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(array.values()[0], 5);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_P(EmulationStreamOrder, Events) {
  cudaStream_t a = nullptr, b = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&a), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&b), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(b, event), cudaSuccess);  // never recorded: nothing to wait for
  const DeviceArray<char> array(1);
  ASSERT_EQ(cudaMemsetAsync(array.data(), 1, 1, a), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamWaitEvent(b, event), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(array.data(), 2, 1, b), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_EQ(array.values()[0], 2);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, event), cudaSuccess);
  EXPECT_EQ(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(a), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(b), cudaSuccess);
}

TEST_P(EmulationStreamOrder, FunctionOfTheHost) {
  struct Record {
    int calls = 0;
    cudaError_t error = cudaSuccess;
  } record;
  const auto note = [](void* data) {
    auto* const of = static_cast<Record*>(data);
    ++of->calls;
    of->error = cudaDeviceSynchronize();
  };
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, note, &record), cudaSuccess);
  EXPECT_EQ(record.calls, 0);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(record.calls, 1);
  EXPECT_EQ(record.error, cudaErrorNotPermitted);
  cudaGetLastError();
}

IN_ALL_ORDERS(EmulationStreamOrder);

TEST(EmulationDevice, NoDriver) {
  const Setting setting("DIOPI_CUDA_DRIVER", "0");
  int count = 7, version = 7;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 0);
  void* address = nullptr;
  EXPECT_EQ(cudaMalloc(&address, 4), cudaErrorInsufficientDriver);
  cudaGetLastError();
}

TEST(EmulationDevice, OldDriver) {
  const Setting setting("DIOPI_CUDA_DRIVER", "12040");
  int count = 7;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInsufficientDriver),
               "CUDA driver version is insufficient for CUDA runtime version");
  cudaGetLastError();
}

TEST(EmulationDevice, NoDevice) {
  const Setting setting("DIOPI_CUDA_DEVICES", "0");
  int count = 7;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoDevice);
}

TEST(EmulationDevice, Properties) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  int value = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(value, properties.multiProcessorCount);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, -1), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST(EmulationError, OrderedFailureOfACall) {
  const Setting setting("DIOPI_CUDA_FAIL", "cudaMalloc:2:2");
  char *a = nullptr, *b = nullptr;
  EXPECT_EQ(cudaMalloc(&a, 4), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&b, 4), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&b, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
  cudaGetLastError();
}

// The error of a kernel shows when the host waits, and in every later call.
TEST(EmulationError, ErrorOfAKernelStays) {
  const DeviceArray<float> in(std::vector<float>(64, 1)), out(64);
  {
    const Setting setting("DIOPI_CUDA_FAIL", "kernel:2:700");
    ASSERT_EQ(run_copy_vectors(out.data(), in.data(), 64, nullptr), cudaSuccess);
    ASSERT_EQ(run_copy_vectors(out.data(), in.data(), 64, nullptr), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  }
  float value = 0;
  EXPECT_EQ(cudaMemcpy(&value, out.data(), 4, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(run_copy_vectors(out.data(), in.data(), 64, nullptr), cudaErrorIllegalAddress);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(out.values(), std::vector<float>(64, 1));
}

TEST(EmulationError, Trap) {
  ASSERT_EQ(run_trap(3, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  ASSERT_EQ(run_trap(-1, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(EmulationError, DynamicSharedMemoryNeedsLeave) {
  EXPECT_EQ(run_dynamic_shared(48 << 10, nullptr), cudaSuccess);
  EXPECT_EQ(run_dynamic_shared(49 << 10, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(allow_dynamic_shared(227 << 10), cudaSuccess);
  EXPECT_EQ(run_dynamic_shared(227 << 10, nullptr), cudaSuccess);
  EXPECT_EQ(allow_dynamic_shared(228 << 10), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaGetLastError();
}

TEST(EmulationErrorDeathTest, OrderThatIsNone) {
  const Setting setting("DIOPI_CUDA_ORDER", "backward");
  EXPECT_DEATH(
      {
        run_trap(-1, nullptr);
        cudaDeviceSynchronize();
      },
      "DIOPI_CUDA_ORDER is 'backward'; expected forward, reverse, or a number");
}

}  // namespace
