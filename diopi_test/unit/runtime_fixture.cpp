// SPDX-License-Identifier: BSD-3-Clause
#include "diopi_test/unit/runtime_fixture.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace runtime_test {
namespace {

struct {
  std::atomic<int> streams_created, streams_destroyed, synchronisations, allocations, frees, to_device, to_host,
      on_device;
  std::atomic<int64_t> limit{INT64_MAX};
  std::atomic<int32_t> failure;
} device;

std::mutex blocks_mutex;
std::map<const char*, uint64_t>& blocks() {
  static std::map<const char*, uint64_t> map;
  return map;
}

int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = new int(++device.streams_created);
  return 0;
}

int32_t destroy_stream(diopiStreamHandle_t stream) {
  ++device.streams_destroyed;
  delete static_cast<int*>(stream);
  return 0;
}

int32_t synchronize(diopiStreamHandle_t stream) {
  ++device.synchronisations;
  return stream != nullptr ? device.failure.load() : 1;
}

void* allocate(uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(blocks_mutex);
  uint64_t sum = bytes;
  for (const auto& block : blocks()) sum += block.second;
  if (sum > static_cast<uint64_t>(device.limit)) return nullptr;
  ++device.allocations;
  auto* memory = static_cast<char*>(std::malloc(bytes));
  std::memset(memory, 0xCD, bytes);
  blocks()[memory] = bytes;
  return memory;
}

void release(void* memory) {
  ++device.frees;
  {
    const std::lock_guard<std::mutex> lock(blocks_mutex);
    ASSERT_EQ(blocks().erase(static_cast<char*>(memory)), 1u) << "freed twice, or never allocated";
  }
  std::free(memory);
}

int32_t copy(std::atomic<int>* count, void* dst, const void* src, uint64_t bytes) {
  ++*count;
  if (device.failure != 0) return device.failure;
  std::memcpy(dst, src, bytes);
  return 0;
}

int32_t copy_to_device(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return is_device_memory(dst) && !is_device_memory(src) ? copy(&device.to_device, dst, src, bytes) : 77;
}

int32_t copy_to_host(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return !is_device_memory(dst) && is_device_memory(src) ? copy(&device.to_host, dst, src, bytes) : 77;
}

int32_t copy_on_device(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return is_device_memory(dst) && is_device_memory(src) ? copy(&device.on_device, dst, src, bytes) : 77;
}

const char* last_error() { return "the fake device is on fire"; }

}  // namespace

DeviceCounts device_counts() {
  return {device.streams_created, device.streams_destroyed, device.synchronisations, device.allocations,
          device.frees,           device.to_device,         device.to_host,          device.on_device};
}

void register_device() {
  diopiRegisterStreamCreateFunc(create_stream);
  diopiRegisterStreamDestroyFunc(destroy_stream);
  diopiRegisterSynchronizeStreamFunc(synchronize);
  diopiRegisterDeviceMallocFunc(allocate);
  diopiRegisterDevMemFreeFunc(release);
  diopiRegisterMemcpyH2DAsyncFunc(copy_to_device);
  diopiRegisterMemcpyD2HAsyncFunc(copy_to_host);
  diopiRegisterMemcpyD2DAsyncFunc(copy_on_device);
  diopiRegisterGetLastErrorFunc(last_error);
}

void unregister_device() {
  diopiRegisterStreamCreateFunc(nullptr);
  diopiRegisterStreamDestroyFunc(nullptr);
  diopiRegisterSynchronizeStreamFunc(nullptr);
  diopiRegisterDeviceMallocFunc(nullptr);
  diopiRegisterDevMemFreeFunc(nullptr);
  diopiRegisterMemcpyH2DAsyncFunc(nullptr);
  diopiRegisterMemcpyD2HAsyncFunc(nullptr);
  diopiRegisterMemcpyD2DAsyncFunc(nullptr);
  diopiRegisterGetLastErrorFunc(nullptr);
}

bool is_device_memory(const void* memory) {
  const char* address = static_cast<const char*>(memory);
  const std::lock_guard<std::mutex> lock(blocks_mutex);
  auto after = blocks().upper_bound(address);
  if (after == blocks().begin()) return false;
  --after;
  return address < after->first + after->second;
}

void destroy_left_over_stream(diopiStreamHandle_t stream) { destroy_stream(stream); }
void set_device_limit(int64_t bytes) { device.limit = bytes; }
void set_device_failure(int32_t code) { device.failure = code; }

void RuntimeTest::SetUp() {
  register_device();
  before_ = statistics();
  ASSERT_EQ(diopirtCreateContext(nullptr, &ctx_), diopiSuccess) << message();
}

void RuntimeTest::TearDown() {
  set_device_limit(INT64_MAX);
  set_device_failure(0);
  register_device();
  EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess) << message();
  const diopirtStatistics_t after = statistics();
  EXPECT_EQ(after.live_tensors, before_.live_tensors);
  EXPECT_EQ(after.live_contexts, before_.live_contexts);
  EXPECT_EQ(after.live_generators, before_.live_generators);
  EXPECT_EQ(after.live_bytes, before_.live_bytes);
  EXPECT_EQ(after.cached_bytes, before_.cached_bytes);
  const DeviceCounts counts = device_counts();
  EXPECT_EQ(counts.allocations, counts.frees);
  EXPECT_EQ(counts.streams_created, counts.streams_destroyed);
  unregister_device();
}

diopiTensorHandle_t RuntimeTest::create(const std::vector<int64_t>& shape, diopiDtype_t dtype, diopiDevice_t device) {
  diopiTensorHandle_t tensor = nullptr;
  EXPECT_EQ(diopirtCreateTensor(ctx_, dims(shape), nullptr, dtype, device, &tensor), diopiSuccess) << message();
  return tensor;
}

diopiTensorHandle_t RuntimeTest::create_strided(const std::vector<int64_t>& shape, const std::vector<int64_t>& stride,
                                                diopiDtype_t dtype, diopiDevice_t device) {
  diopiTensorHandle_t tensor = nullptr;
  const diopiSize_t steps = dims(stride);
  EXPECT_EQ(diopirtCreateTensor(ctx_, dims(shape), &steps, dtype, device, &tensor), diopiSuccess) << message();
  return tensor;
}

diopiTensorHandle_t RuntimeTest::view(diopiTensorHandle_t base, const std::vector<int64_t>& shape,
                                      const std::vector<int64_t>& stride, int64_t offset) {
  diopiTensorHandle_t result = nullptr;
  const diopiSize_t steps = dims(stride);
  EXPECT_EQ(diopirtCreateView(base, dims(shape), &steps, offset, &result), diopiSuccess) << message();
  return result;
}

void RuntimeTest::write(diopiTensorHandle_t tensor, const std::vector<float>& values) {
  ASSERT_EQ(diopirtCopyFromHost(ctx_, tensor, values.data(), values.size() * sizeof(float)), diopiSuccess) << message();
}

std::vector<float> RuntimeTest::read(diopiConstTensorHandle_t tensor) {
  int64_t numel = 0;
  EXPECT_EQ(diopiGetTensorNumel(tensor, &numel), diopiSuccess);
  std::vector<float> values(static_cast<size_t>(numel));
  EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, values.data(), values.size() * sizeof(float)), diopiSuccess) << message();
  return values;
}

diopirtStatistics_t statistics() {
  diopirtStatistics_t result{};
  EXPECT_EQ(diopirtGetStatistics(&result), diopiSuccess);
  return result;
}

diopirtContextStatistics_t statistics(diopiContextHandle_t ctx) {
  diopirtContextStatistics_t result{};
  EXPECT_EQ(diopirtGetContextStatistics(ctx, &result), diopiSuccess);
  return result;
}

std::vector<int64_t> shape_of(diopiConstTensorHandle_t tensor) {
  diopiSize_t size{nullptr, 0};
  EXPECT_EQ(diopiGetTensorShape(tensor, &size), diopiSuccess);
  return {size.data, size.data + size.len};
}

std::vector<int64_t> stride_of(diopiConstTensorHandle_t tensor) {
  diopiSize_t size{nullptr, 0};
  EXPECT_EQ(diopiGetTensorStride(tensor, &size), diopiSuccess);
  return {size.data, size.data + size.len};
}

void* data_of(diopiTensorHandle_t tensor) {
  void* data = nullptr;
  EXPECT_EQ(diopiGetTensorData(tensor, &data), diopiSuccess);
  return data;
}

}  // namespace runtime_test
