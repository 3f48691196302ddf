// SPDX-License-Identifier: BSD-3-Clause
// Contexts: temporaries and their reuse, streams.
#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeContext : public RuntimeTest {
 protected:
  diopiTensorHandle_t require(const std::vector<int64_t>& shape, diopiDtype_t dtype = diopi_dtype_float32,
                              diopiDevice_t device = diopi_device) {
    diopiTensorHandle_t tensor = nullptr;
    const diopiSize_t size = dims(shape);
    EXPECT_EQ(diopiRequireTensor(ctx_, &tensor, &size, nullptr, dtype, device), diopiSuccess) << message();
    return tensor;
  }
  diopiTensorHandle_t buffer(int64_t bytes, diopiDevice_t device = diopi_device) {
    diopiTensorHandle_t tensor = nullptr;
    EXPECT_EQ(diopiRequireBuffer(ctx_, &tensor, bytes, device), diopiSuccess) << message();
    return tensor;
  }
};

TEST_F(RuntimeContext, required_tensor_has_the_asked_geometry) {
  diopiTensorHandle_t tensor = nullptr;
  const std::vector<int64_t> shape{2, 3}, stride{1, 2};
  const diopiSize_t size = dims(shape), steps = dims(stride);
  ASSERT_EQ(diopiRequireTensor(ctx_, &tensor, &size, &steps, diopi_dtype_int16, diopi_device), diopiSuccess);
  diopiDtype_t dtype = diopi_dtype_unsupported;
  EXPECT_EQ(shape_of(tensor), shape);
  EXPECT_EQ(stride_of(tensor), stride);
  EXPECT_EQ(diopiGetTensorDtype(tensor, &dtype), diopiSuccess);
  EXPECT_EQ(dtype, diopi_dtype_int16);
  EXPECT_EQ(stride_of(require({4, 5})), (std::vector<int64_t>{5, 1}));
}

TEST_F(RuntimeContext, required_buffer_is_bytes_in_one_dimension) {
  const diopiTensorHandle_t tensor = buffer(100);
  diopiDtype_t dtype = diopi_dtype_unsupported;
  size_t bytes = 0;
  EXPECT_EQ(diopiGetTensorDtype(tensor, &dtype), diopiSuccess);
  EXPECT_EQ(dtype, diopi_dtype_uint8);
  EXPECT_EQ(shape_of(tensor), (std::vector<int64_t>{100}));
  EXPECT_EQ(diopiGetTensorStorageNbytes(tensor, &bytes), diopiSuccess);
  EXPECT_EQ(bytes, 100u);
  EXPECT_TRUE(is_device_memory(data_of(tensor)));
  EXPECT_FALSE(is_device_memory(data_of(buffer(100, diopi_host))));
  EXPECT_EQ(data_of(buffer(0)), nullptr);
}

TEST_F(RuntimeContext, temporaries_are_freed_with_the_context) {
  const int frees = device_counts().frees;
  diopiContextHandle_t other = nullptr;
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(diopirtCreateContext(nullptr, &other), diopiSuccess);
  ASSERT_EQ(diopiRequireBuffer(other, &tensor, 1000, diopi_device), diopiSuccess);
  EXPECT_EQ(statistics(other).live_temporaries, 1);
  EXPECT_EQ(diopirtDestroyContext(other), diopiSuccess);
  EXPECT_EQ(device_counts().frees, frees + 1);
}

TEST_F(RuntimeContext, warm_requests_do_not_allocate) {
  const auto call = [&] {
    for (const int64_t bytes : {1, 64, 65, 1000, 4096, 100000, 100000}) buffer(bytes);
    require({3, 5});
    require({7}, diopi_dtype_float64, diopi_host);
    EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  };
  call();
  const diopirtContextStatistics_t cold = statistics(ctx_);
  const int64_t allocations = statistics().allocations;
  const int device_allocations = device_counts().allocations;
  EXPECT_EQ(cold.requests, 9);
  EXPECT_EQ(cold.requested_bytes, 1 + 64 + 65 + 1000 + 4096 + 200000 + 60 + 56);
  EXPECT_EQ(cold.allocations, 9);
  EXPECT_EQ(cold.live_temporaries, 0);
  EXPECT_GE(cold.cached_bytes, cold.requested_bytes);
  for (int i = 0; i < 10; ++i) call();
  EXPECT_EQ(statistics(ctx_).requests, 99);
  EXPECT_EQ(statistics(ctx_).allocations, cold.allocations);
  EXPECT_EQ(statistics(ctx_).cached_bytes, cold.cached_bytes);
  EXPECT_EQ(statistics().allocations, allocations);
  EXPECT_EQ(device_counts().allocations, device_allocations);
}

TEST_F(RuntimeContext, reused_memory_has_room_for_every_size_of_its_class) {
  for (int64_t bytes = 1; bytes < 5000; bytes += 13) {
    char* const memory = static_cast<char*>(data_of(buffer(bytes, diopi_device)));
    EXPECT_TRUE(is_device_memory(memory) && is_device_memory(memory + bytes - 1)) << bytes;
    EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  }
  const int64_t allocations = statistics(ctx_).allocations;
  EXPECT_LT(allocations, 40);  // memory is reused by size class
  for (int64_t bytes = 4999; bytes > 0; bytes -= 13) {
    char* const memory = static_cast<char*>(data_of(buffer(bytes, diopi_device)));
    EXPECT_TRUE(is_device_memory(memory + bytes - 1)) << bytes;
    EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  }
  EXPECT_EQ(statistics(ctx_).allocations, allocations);
}

TEST_F(RuntimeContext, live_temporaries_never_share_memory) {
  buffer(256);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  EXPECT_NE(data_of(buffer(256)), data_of(buffer(256)));
}

TEST_F(RuntimeContext, retained_temporary_survives_clearing_with_its_memory) {
  const diopiTensorHandle_t tensor = require({3});
  write(tensor, {1, 2, 3});
  ASSERT_EQ(diopirtRetainTensor(tensor), diopiSuccess);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  write(require({3}), {7, 8, 9});
  EXPECT_EQ(read(tensor), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(statistics(ctx_).live_temporaries, 1);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess) << message();
}

TEST_F(RuntimeContext, view_on_a_temporary_survives_clearing_with_its_memory) {
  const diopiTensorHandle_t tensor = require({3});
  write(tensor, {1, 2, 3});
  const diopiTensorHandle_t tail = view(tensor, {2}, {1}, 1);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  write(require({3}), {7, 8, 9});
  EXPECT_EQ(read(tail), (std::vector<float>{2, 3}));
  diopirtReleaseTensor(tail);
}

TEST_F(RuntimeContext, releasing_a_temporary_that_was_not_retained_is_refused) {
  const diopiTensorHandle_t tensor = require({3});
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtReleaseTensor: the tensor belongs to the context through which it was required");
  EXPECT_EQ(diopirtRetainTensor(tensor), diopiSuccess);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
}

TEST_F(RuntimeContext, cached_memory_is_given_back_on_request) {
  buffer(5000);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  EXPECT_GE(statistics(ctx_).cached_bytes, 5000);
  const int frees = device_counts().frees;
  EXPECT_EQ(diopirtReleaseCachedMemory(ctx_), diopiSuccess);
  EXPECT_EQ(statistics(ctx_).cached_bytes, 0);
  EXPECT_EQ(device_counts().frees, frees + 1);
}

TEST_F(RuntimeContext, without_caching_every_temporary_is_freed_and_exactly_sized) {
  EXPECT_EQ(diopirtSetCaching(ctx_, false), diopiSuccess);
  const int64_t live = statistics().live_bytes;
  const int frees = device_counts().frees;
  buffer(65);
  EXPECT_EQ(statistics().live_bytes, live + 65);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  EXPECT_EQ(statistics(ctx_).cached_bytes, 0);
  EXPECT_EQ(device_counts().frees, frees + 1);
}

TEST_F(RuntimeContext, impossible_requests_are_refused_and_leave_nothing) {
  diopiTensorHandle_t tensor = nullptr;
  const std::vector<int64_t> shape{-2};
  const diopiSize_t size = dims(shape);
  EXPECT_EQ(diopiRequireTensor(ctx_, &tensor, &size, nullptr, diopi_dtype_float32, diopi_device), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiRequireTensor: shape[0] = -2 is negative");
  EXPECT_EQ(diopiRequireBuffer(ctx_, &tensor, -1, diopi_device), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiRequireBuffer: num_bytes = -1 is negative");
  EXPECT_EQ(diopiRequireBuffer(ctx_, &tensor, 8, static_cast<diopiDevice_t>(5)), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiRequireBuffer: device = 5 is unknown");
  EXPECT_EQ(diopiRequireBuffer(nullptr, &tensor, 8, diopi_device), diopiErrorOccurred);
  EXPECT_EQ(tensor, nullptr);
  EXPECT_EQ(statistics(ctx_).live_temporaries, 0);
}

TEST_F(RuntimeContext, full_device_is_an_error_with_the_vendors_words) {
  set_device_limit(0);
  diopiTensorHandle_t tensor = nullptr;
  EXPECT_EQ(diopiRequireBuffer(ctx_, &tensor, 100, diopi_device), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiRequireBuffer: the vendor has no 112 bytes of device memory: the fake device is on fire");
  EXPECT_EQ(tensor, nullptr);
  EXPECT_EQ(statistics(ctx_).live_temporaries, 0);
  set_device_limit(INT64_MAX);
  EXPECT_NE(buffer(100), nullptr);
}

TEST_F(RuntimeContext, short_memory_is_found_in_what_was_kept_for_reuse) {
  buffer(1 << 20);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  set_device_limit(1 << 21);
  EXPECT_NE(buffer(1900000), nullptr);  // the limit has no room for both
  EXPECT_EQ(statistics(ctx_).cached_bytes, 0);
  set_device_limit(INT64_MAX);
}

TEST_F(RuntimeContext, stream_is_created_on_first_use_and_destroyed_with_the_context) {
  const DeviceCounts before = device_counts();
  diopiContextHandle_t other = nullptr;
  diopiStreamHandle_t first = nullptr, second = nullptr;
  ASSERT_EQ(diopirtCreateContext(nullptr, &other), diopiSuccess);
  EXPECT_EQ(device_counts().streams_created, before.streams_created);
  EXPECT_EQ(diopiGetStream(other, &first), diopiSuccess);
  EXPECT_EQ(diopiGetStream(other, &second), diopiSuccess);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(first, second);
  EXPECT_EQ(device_counts().streams_created, before.streams_created + 1);
  EXPECT_EQ(diopirtSynchronize(other), diopiSuccess);
  EXPECT_EQ(device_counts().synchronisations, before.synchronisations + 1);
  EXPECT_EQ(diopirtDestroyContext(other), diopiSuccess);
  EXPECT_EQ(device_counts().streams_destroyed, before.streams_destroyed + 1);
}

TEST_F(RuntimeContext, callers_stream_is_used_and_stays_the_callers) {
  int own = 0;
  const DeviceCounts before = device_counts();
  diopiStreamHandle_t stream = nullptr;
  EXPECT_EQ(diopirtSetStream(ctx_, &own), diopiSuccess);
  EXPECT_EQ(diopiGetStream(ctx_, &stream), diopiSuccess);
  EXPECT_EQ(stream, &own);
  EXPECT_EQ(diopirtSetStream(ctx_, nullptr), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtSetStream: the context has a stream already");
  EXPECT_EQ(device_counts().streams_created, before.streams_created);
}

}  // namespace
}  // namespace runtime_test
