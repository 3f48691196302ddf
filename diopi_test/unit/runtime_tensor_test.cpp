// SPDX-License-Identifier: BSD-3-Clause
// Tensors: their properties, their references, and views on them.
#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeTensor : public RuntimeTest {};

TEST_F(RuntimeTensor, tells_shape_strides_dtype_size_and_device) {
  const diopiTensorHandle_t tensor = create({2, 3, 4}, diopi_dtype_bfloat16);
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiDevice_t device = diopi_host;
  int64_t numel = 0, itemsize = 0, offset = -1;
  size_t bytes = 0;
  void* storage = nullptr;
  diopiDeviceIndex_t index = 9;
  bool sparse = true;
  EXPECT_EQ(shape_of(tensor), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(stride_of(tensor), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(diopiGetTensorDtype(tensor, &dtype), diopiSuccess);
  EXPECT_EQ(dtype, diopi_dtype_bfloat16);
  EXPECT_EQ(diopiGetTensorDevice(tensor, &device), diopiSuccess);
  EXPECT_EQ(device, diopi_device);
  EXPECT_EQ(diopiGetTensorNumel(tensor, &numel), diopiSuccess);
  EXPECT_EQ(numel, 24);
  EXPECT_EQ(diopiGetTensorElemSize(tensor, &itemsize), diopiSuccess);
  EXPECT_EQ(itemsize, 2);
  EXPECT_EQ(diopiGetTensorStorageOffset(tensor, &offset), diopiSuccess);
  EXPECT_EQ(offset, 0);
  EXPECT_EQ(diopiGetTensorStorageNbytes(tensor, &bytes), diopiSuccess);
  EXPECT_EQ(bytes, 48u);
  EXPECT_EQ(diopiGetTensorStoragePtr(tensor, &storage), diopiSuccess);
  EXPECT_EQ(storage, data_of(tensor));
  EXPECT_TRUE(is_device_memory(storage));
  EXPECT_EQ(diopiGetTensorDeviceIndex(tensor, &index), diopiSuccess);
  EXPECT_EQ(index, 0);
  EXPECT_EQ(diopiIsTensorSparse(tensor, &sparse), diopiSuccess);
  EXPECT_FALSE(sparse);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
}

TEST_F(RuntimeTensor, every_dtype_has_its_element_size) {
  const int64_t expected[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1, 2, 4, 4, 8, 16};
  for (int value = 0; value <= diopi_dtype_complex128; ++value) {
    const diopiTensorHandle_t tensor = create({3}, static_cast<diopiDtype_t>(value), diopi_host);
    int64_t itemsize = 0;
    EXPECT_EQ(diopiGetTensorElemSize(tensor, &itemsize), diopiSuccess);
    EXPECT_EQ(itemsize, expected[value]) << value;
    diopirtReleaseTensor(tensor);
  }
}

TEST_F(RuntimeTensor, host_tensor_lies_in_aligned_host_memory) {
  const DeviceCounts counts = device_counts();
  const diopiTensorHandle_t tensor = create({5}, diopi_dtype_float32, diopi_host);
  diopiDeviceIndex_t index = 9;
  EXPECT_EQ(diopiGetTensorDeviceIndex(tensor, &index), diopiSuccess);
  EXPECT_EQ(index, -1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data_of(tensor)) % 64, 0u);
  EXPECT_FALSE(is_device_memory(data_of(tensor)));
  EXPECT_EQ(device_counts().allocations, counts.allocations);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeTensor, zero_dimensional_has_one_element_and_empty_has_no_memory) {
  const diopiTensorHandle_t scalar = create({});
  const diopiTensorHandle_t empty = create({4, 0, 3});
  int64_t numel = -1;
  EXPECT_TRUE(shape_of(scalar).empty());
  EXPECT_EQ(diopiGetTensorNumel(scalar, &numel), diopiSuccess);
  EXPECT_EQ(numel, 1);
  EXPECT_EQ(diopiGetTensorNumel(empty, &numel), diopiSuccess);
  EXPECT_EQ(numel, 0);
  EXPECT_EQ(stride_of(empty), (std::vector<int64_t>{3, 3, 1}));
  EXPECT_EQ(data_of(empty), nullptr);
  diopirtReleaseTensor(scalar);
  diopirtReleaseTensor(empty);
}

TEST_F(RuntimeTensor, rank_above_inline_storage_keeps_its_shape) {
  const std::vector<int64_t> shape{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  const diopiTensorHandle_t tensor = create(shape);
  EXPECT_EQ(shape_of(tensor), shape);
  EXPECT_EQ(stride_of(tensor).front(), 32);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeTensor, lives_until_the_last_reference_is_released) {
  const int64_t live = statistics().live_tensors;
  const int frees = device_counts().frees;
  const diopiTensorHandle_t tensor = create({8});
  EXPECT_EQ(statistics().live_tensors, live + 1);
  EXPECT_EQ(diopirtRetainTensor(tensor), diopiSuccess);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(device_counts().frees, frees);
  EXPECT_EQ(statistics().live_tensors, live + 1);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(device_counts().frees, frees + 1);
  EXPECT_EQ(statistics().live_tensors, live);
}

TEST_F(RuntimeTensor, tensor_outlives_the_context_that_made_it) {
  diopiContextHandle_t other = nullptr;
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(diopirtCreateContext(nullptr, &other), diopiSuccess);
  ASSERT_EQ(diopirtCreateTensor(other, dims({3}), nullptr, diopi_dtype_float32, diopi_device, &tensor), diopiSuccess);
  EXPECT_EQ(diopirtDestroyContext(other), diopiSuccess);
  write(tensor, {1, 2, 3});
  EXPECT_EQ(read(tensor), (std::vector<float>{1, 2, 3}));
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeTensor, view_shares_the_storage_and_keeps_it_alive) {
  const diopiTensorHandle_t base = create({3, 4});
  write(base, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const diopiTensorHandle_t column = view(base, {3}, {4}, 2);
  int64_t offset = 0;
  size_t bytes = 0;
  EXPECT_EQ(diopiGetTensorStorageOffset(column, &offset), diopiSuccess);
  EXPECT_EQ(offset, 2);
  EXPECT_EQ(diopiGetTensorStorageNbytes(column, &bytes), diopiSuccess);
  EXPECT_EQ(bytes, 48u);
  EXPECT_EQ(static_cast<char*>(data_of(column)) - static_cast<char*>(data_of(base)), 8);
  write(column, {20, 60, 100});
  EXPECT_EQ(read(base), (std::vector<float>{0, 1, 20, 3, 4, 5, 60, 7, 8, 9, 100, 11}));
  const int frees = device_counts().frees;
  diopirtReleaseTensor(base);
  EXPECT_EQ(device_counts().frees, frees);
  EXPECT_EQ(read(column), (std::vector<float>{20, 60, 100}));
  diopirtReleaseTensor(column);
  EXPECT_EQ(device_counts().frees, frees + 1);
}

TEST_F(RuntimeTensor, transposed_and_expanded_views_read_in_their_own_order) {
  const diopiTensorHandle_t base = create({2, 3});
  write(base, {1, 2, 3, 4, 5, 6});
  const diopiTensorHandle_t transposed = view(base, {3, 2}, {1, 3}, 0);
  const diopiTensorHandle_t expanded = view(base, {2, 3}, {0, 1}, 3);
  EXPECT_EQ(read(transposed), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read(expanded), (std::vector<float>{4, 5, 6, 4, 5, 6}));
  for (const diopiTensorHandle_t tensor : {base, transposed, expanded}) diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeTensor, view_outside_the_storage_is_refused) {
  const diopiTensorHandle_t base = create({2, 3});
  diopiTensorHandle_t result = base;
  const std::vector<int64_t> steps{3};
  const diopiSize_t stride = dims(steps);
  EXPECT_EQ(diopirtCreateView(base, dims({2}), &stride, 3, &result), diopiErrorOccurred);
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(message(), "diopirtCreateView: the view spans 4 elements from element 3 of a storage of 6");
  EXPECT_EQ(diopirtCreateView(base, dims({2}), &stride, -1, &result), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateView: offset = -1 is negative");
  EXPECT_EQ(diopirtCreateView(base, dims({0}), nullptr, 7, &result), diopiErrorOccurred);
  EXPECT_EQ(diopirtCreateView(base, dims({0}), nullptr, 6, &result), diopiSuccess);
  diopirtReleaseTensor(result);
  diopirtReleaseTensor(base);
}

TEST_F(RuntimeTensor, wrapped_memory_is_used_in_place_and_given_back_once) {
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  int given_back = 0;
  const auto release = [](void*, void* count) { ++*static_cast<int*>(count); };
  const int64_t bytes = statistics().live_bytes;
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(diopirtWrapMemory(ctx_, memory.data(), 24, dims({2, 3}), nullptr, diopi_dtype_float32, diopi_host, release,
                              &given_back, &tensor),
            diopiSuccess);
  EXPECT_EQ(data_of(tensor), memory.data());
  EXPECT_EQ(statistics().live_bytes, bytes);
  write(tensor, {6, 5, 4, 3, 2, 1});
  EXPECT_EQ(memory.front(), 6);
  const diopiTensorHandle_t part = view(tensor, {3}, {1}, 3);
  diopirtReleaseTensor(tensor);
  EXPECT_EQ(given_back, 0);
  diopirtReleaseTensor(part);
  EXPECT_EQ(given_back, 1);
}

TEST_F(RuntimeTensor, wrapping_too_little_memory_is_refused_and_leaves_it_alone) {
  float memory[3] = {};
  int given_back = 0;
  const auto release = [](void*, void* count) { ++*static_cast<int*>(count); };
  diopiTensorHandle_t tensor = nullptr;
  EXPECT_EQ(diopirtWrapMemory(ctx_, memory, sizeof(memory), dims({4}), nullptr, diopi_dtype_float32, diopi_host,
                              release, &given_back, &tensor),
            diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtWrapMemory: the tensor needs 16 bytes of 12");
  EXPECT_EQ(tensor, nullptr);
  EXPECT_EQ(given_back, 0);
}

TEST_F(RuntimeTensor, impossible_geometry_is_refused_by_name) {
  diopiTensorHandle_t tensor = nullptr;
  const auto attempt = [&](const std::vector<int64_t>& shape, const std::vector<int64_t>& stride, int dtype) {
    const diopiSize_t steps = dims(stride);
    return diopirtCreateTensor(ctx_, dims(shape), stride.empty() ? nullptr : &steps, static_cast<diopiDtype_t>(dtype),
                               diopi_host, &tensor);
  };
  EXPECT_EQ(attempt({2, -1}, {}, diopi_dtype_float32), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: shape[1] = -1 is negative");
  EXPECT_EQ(attempt({2, 2}, {2, -1}, diopi_dtype_float32), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: stride[1] = -1 is negative");
  EXPECT_EQ(attempt({2, 2}, {2}, diopi_dtype_float32), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: stride has 1 entries for 2 dimensions");
  EXPECT_EQ(attempt({INT64_MAX, 3}, {}, diopi_dtype_float32), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: the shape has more than 2^63 bytes");
  EXPECT_EQ(attempt({0, INT64_MAX, 3}, {}, diopi_dtype_uint8), diopiErrorOccurred);
  EXPECT_EQ(attempt({INT64_MAX / 4, 2}, {0, 1}, diopi_dtype_float64), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: the shape has more than 2^63 bytes");
  EXPECT_EQ(attempt({3, 2}, {INT64_MAX / 2, 4}, diopi_dtype_uint8), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCreateTensor: the strides span more than 2^63 elements");
  EXPECT_EQ(attempt({INT64_MAX / 4}, {}, diopi_dtype_float64), diopiErrorOccurred);
  EXPECT_EQ(attempt({1}, {}, diopi_dtype_unsupported), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopirtCreateTensor: dtype = 255 is unknown");
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(RuntimeTensor, null_arguments_are_refused_by_name) {
  const diopiTensorHandle_t tensor = create({1});
  diopiSize_t size{nullptr, 0};
  EXPECT_EQ(diopiGetTensorShape(nullptr, &size), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGetTensorShape: th is null");
  EXPECT_EQ(diopiGetTensorData(tensor, nullptr), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGetTensorData: data is null");
  EXPECT_EQ(diopirtRetainTensor(nullptr), diopiErrorOccurred);
  EXPECT_EQ(diopirtReleaseTensor(nullptr), diopiSuccess);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeTensor, live_tensors_are_reported_one_to_a_line) {
  const diopiTensorHandle_t tensor = create({2, 3});
  diopiTensorHandle_t temporary = nullptr;
  ASSERT_EQ(diopiRequireBuffer(ctx_, &temporary, 10, diopi_host), diopiSuccess);
  char text[512];
  int64_t count = 0;
  EXPECT_EQ(diopirtReportLiveTensors(text, sizeof(text), &count), diopiSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_STREQ(text,
               "float32 [2, 3] on device, 24 bytes, 1 references, held by the framework\n"
               "uint8 [10] on host, 10 bytes, 1 references, held by a context\n");
  char little[8];
  EXPECT_EQ(diopirtReportLiveTensors(little, sizeof(little), &count), diopiSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_STREQ(little, "float32");
  EXPECT_EQ(diopirtReportLiveTensors(nullptr, 0, &count), diopiSuccess);
  EXPECT_EQ(count, 2);
  diopirtReleaseTensor(tensor);
}

TEST(RuntimeVersion, is_the_contracts) { EXPECT_STREQ(diopiGetVersion(), "1.0.0"); }

}  // namespace
}  // namespace runtime_test
