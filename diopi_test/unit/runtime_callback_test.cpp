// SPDX-License-Identifier: BSD-3-Clause
// If the vendor has not registered a callback, the functions that need it return the callback's own error code.
#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeMissingCallback : public RuntimeTest {
 protected:
  diopiError_t create_on_device() {
    diopiTensorHandle_t tensor = nullptr;
    const diopiError_t code = diopirtCreateTensor(ctx_, dims({2}), nullptr, diopi_dtype_float32, diopi_device, &tensor);
    diopirtReleaseTensor(tensor);
    return code;
  }
  diopiError_t require_on_device() {
    diopiTensorHandle_t tensor = nullptr;
    const std::vector<int64_t> shape{2};
    const diopiSize_t size = dims(shape);
    return diopiRequireTensor(ctx_, &tensor, &size, nullptr, diopi_dtype_float32, diopi_device);
  }
  diopiError_t buffer(diopiDevice_t device) {
    diopiTensorHandle_t tensor = nullptr;
    return diopiRequireBuffer(ctx_, &tensor, 8, device);
  }
};

TEST_F(RuntimeMissingCallback, stream_create) {
  diopiRegisterStreamCreateFunc(nullptr);
  diopiStreamHandle_t stream = nullptr;
  EXPECT_EQ(diopiGetStream(ctx_, &stream), diopiNoRegisteredStreamCreateFunction);
  EXPECT_EQ(message(), "diopiGetStream: no function to create a stream is registered");
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(diopirtSynchronize(ctx_), diopiNoRegisteredStreamCreateFunction);
}

TEST_F(RuntimeMissingCallback, stream_destroy) {
  diopiContextHandle_t other = nullptr;
  diopiStreamHandle_t stream = nullptr;
  ASSERT_EQ(diopirtCreateContext(nullptr, &other), diopiSuccess);
  ASSERT_EQ(diopiGetStream(other, &stream), diopiSuccess);
  diopiRegisterStreamDestroyFunc(nullptr);
  EXPECT_EQ(diopirtDestroyContext(other), diopiNoRegisteredStreamDestoryFunction);
  EXPECT_EQ(message(), "diopirtDestroyContext: no function to destroy a stream is registered");
  destroy_left_over_stream(stream);
}

TEST_F(RuntimeMissingCallback, stream_synchronize) {
  const diopiTensorHandle_t tensor = create({2});
  const float values[2] = {1, 2};
  diopiRegisterSynchronizeStreamFunc(nullptr);
  EXPECT_EQ(diopirtSynchronize(ctx_), diopiNoRegisteredStreamSyncFunction);
  EXPECT_EQ(diopirtCopyFromHost(ctx_, tensor, values, sizeof(values)), diopiNoRegisteredStreamSyncFunction);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeMissingCallback, device_malloc) {
  diopiRegisterDeviceMallocFunc(nullptr);
  EXPECT_EQ(create_on_device(), diopiNoRegisteredDeviceMemoryMallocFunction);
  EXPECT_EQ(require_on_device(), diopiNoRegisteredDeviceMemoryMallocFunction);
  EXPECT_EQ(buffer(diopi_device), diopiNoRegisteredDeviceMemoryMallocFunction);
  EXPECT_EQ(message(), "diopiRequireBuffer: no function to allocate device memory is registered");
  EXPECT_EQ(buffer(diopi_host), diopiSuccess);
}

TEST_F(RuntimeMissingCallback, device_free) {
  diopiRegisterDevMemFreeFunc(nullptr);
  const int allocations = device_counts().allocations;
  EXPECT_EQ(create_on_device(), diopiNoRegisteredDeviceMemoryFreeFunction);
  EXPECT_EQ(require_on_device(), diopiNoRegisteredDeviceMemoryFreeFunction);
  EXPECT_EQ(buffer(diopi_device), diopiNoRegisteredDeviceMemoryFreeFunction);
  EXPECT_EQ(device_counts().allocations, allocations);  // memory that cannot be freed is not allocated
  EXPECT_EQ(buffer(diopi_host), diopiSuccess);
}

TEST_F(RuntimeMissingCallback, device_to_device_copy) {
  diopiRegisterMemcpyD2DAsyncFunc(nullptr);
  const diopiTensorHandle_t a = create({2}), b = create({2});
  EXPECT_EQ(diopirtCopyTensor(ctx_, a, b), diopiNoRegisteredDevice2DdeviceMemoryCopyFunction);
  diopirtReleaseTensor(a);
  diopirtReleaseTensor(b);
}

TEST_F(RuntimeMissingCallback, device_to_host_copy) {
  diopiRegisterMemcpyD2HAsyncFunc(nullptr);
  const diopiTensorHandle_t tensor = create({2});
  float values[2] = {};
  EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, values, sizeof(values)), diopiNoRegisteredDevice2HostMemoryCopyFunction);
  EXPECT_EQ(diopirtReadStorage(ctx_, tensor, 0, values, 4), diopiNoRegisteredDevice2HostMemoryCopyFunction);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeMissingCallback, host_to_device_copy) {
  diopiRegisterMemcpyH2DAsyncFunc(nullptr);
  const diopiTensorHandle_t tensor = create({2});
  const float values[2] = {};
  EXPECT_EQ(diopirtCopyFromHost(ctx_, tensor, values, sizeof(values)), diopiNoRegisteredHost2DeviceMemoryCopyFunction);
  EXPECT_EQ(diopirtWriteStorage(ctx_, tensor, 0, values, 4), diopiNoRegisteredHost2DeviceMemoryCopyFunction);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeMissingCallback, last_error) {
  diopiRegisterGetLastErrorFunc(nullptr);
  const char* text = "";
  EXPECT_EQ(diopirtGetVendorErrorString(nullptr, &text), diopiNoRegisteredGetLastErrorFunction);
  EXPECT_EQ(text, nullptr);
  set_device_limit(0);
  EXPECT_EQ(create_on_device(), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: the vendor has no 8 bytes of device memory");
}

TEST_F(RuntimeMissingCallback, host_work_needs_no_callback_at_all) {
  unregister_device();
  const diopiTensorHandle_t tensor = create({2}, diopi_dtype_float32, diopi_host);
  write(tensor, {1, 2});
  EXPECT_EQ(read(tensor), (std::vector<float>{1, 2}));
  EXPECT_EQ(buffer(diopi_host), diopiSuccess);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeMissingCallback, failing_callback_is_an_error_with_code_and_words) {
  const diopiTensorHandle_t tensor = create({2});
  float values[2] = {};
  set_device_failure(5);
  EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, values, sizeof(values)), diopiErrorOccurred);
  EXPECT_EQ(message(),
            "diopirtCopyToHost: the vendor could not copy from device to host (code 5): the fake device is on fire");
  EXPECT_EQ(diopirtSynchronize(ctx_), diopiErrorOccurred);
  EXPECT_EQ(message(),
            "diopirtSynchronize: the vendor could not wait for a stream (code 5): the fake device is on fire");
  set_device_failure(0);
  diopirtReleaseTensor(tensor);
}

}  // namespace
}  // namespace runtime_test
