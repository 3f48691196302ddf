// SPDX-License-Identifier: BSD-3-Clause
// Copies between host and device, and between layouts.
#include <numeric>

#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeCopy : public RuntimeTest {};

std::vector<float> count_up(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST_F(RuntimeCopy, device_tensor_round_trip_goes_through_the_callbacks) {
  const diopiTensorHandle_t tensor = create({4, 5});
  const DeviceCounts before = device_counts();
  write(tensor, count_up(20));
  EXPECT_EQ(read(tensor), count_up(20));
  const DeviceCounts after = device_counts();
  EXPECT_EQ(after.copies_to_device, before.copies_to_device + 1);
  EXPECT_EQ(after.copies_to_host, before.copies_to_host + 1);
  EXPECT_EQ(after.synchronisations, before.synchronisations + 2);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeCopy, host_tensor_round_trip_uses_no_callback) {
  const diopiTensorHandle_t tensor = create({4, 5}, diopi_dtype_float32, diopi_host);
  const DeviceCounts before = device_counts();
  write(tensor, count_up(20));
  EXPECT_EQ(read(tensor), count_up(20));
  const DeviceCounts after = device_counts();
  EXPECT_EQ(after.copies_to_device + after.copies_to_host + after.streams_created,
            before.copies_to_device + before.copies_to_host + before.streams_created);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeCopy, strided_write_leaves_the_gaps_alone) {
  for (const diopiDevice_t device : {diopi_device, diopi_host}) {
    const diopiTensorHandle_t base = create({4, 6}, diopi_dtype_float32, device);
    write(base, std::vector<float>(24, 0.5f));
    const diopiTensorHandle_t part = view(base, {2, 3}, {12, 2}, 1);
    write(part, count_up(6));
    EXPECT_EQ(read(part), count_up(6));
    std::vector<float> expected(24, 0.5f);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) expected[1 + 12 * i + 2 * j] = static_cast<float>(3 * i + j + 1);
    }
    EXPECT_EQ(read(base), expected);
    diopirtReleaseTensor(part);
    diopirtReleaseTensor(base);
  }
}

TEST_F(RuntimeCopy, channels_last_tensor_reads_back_row_major) {
  const diopiTensorHandle_t tensor = create_strided({2, 3, 2, 2}, {12, 1, 6, 3});
  write(tensor, count_up(24));
  EXPECT_EQ(read(tensor), count_up(24));
  float first_pixel[3];
  EXPECT_EQ(diopirtReadStorage(ctx_, tensor, 0, first_pixel, sizeof(first_pixel)), diopiSuccess);
  EXPECT_EQ(first_pixel[0], 1);
  EXPECT_EQ(first_pixel[1], 5);
  EXPECT_EQ(first_pixel[2], 9);
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeCopy, every_element_size_is_repacked) {
  for (const diopiDtype_t dtype :
       {diopi_dtype_bool, diopi_dtype_float16, diopi_dtype_int32, diopi_dtype_complex64, diopi_dtype_complex128}) {
    const diopiTensorHandle_t tensor = create_strided({3, 2}, {1, 3}, dtype);
    int64_t itemsize = 0;
    ASSERT_EQ(diopiGetTensorElemSize(tensor, &itemsize), diopiSuccess);
    std::vector<unsigned char> in(static_cast<size_t>(6 * itemsize)), out(in.size());
    std::iota(in.begin(), in.end(), static_cast<unsigned char>(0));
    EXPECT_EQ(diopirtCopyFromHost(ctx_, tensor, in.data(), in.size()), diopiSuccess) << message();
    EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, out.data(), out.size()), diopiSuccess) << message();
    EXPECT_EQ(in, out);
    diopirtReleaseTensor(tensor);
  }
}

TEST_F(RuntimeCopy, zero_dimensional_and_empty_tensors_copy) {
  const diopiTensorHandle_t scalar = create({}), empty = create({3, 0});
  write(scalar, {7});
  EXPECT_EQ(read(scalar), (std::vector<float>{7}));
  write(empty, {});
  EXPECT_TRUE(read(empty).empty());
  diopirtReleaseTensor(scalar);
  diopirtReleaseTensor(empty);
}

TEST_F(RuntimeCopy, tensors_copy_between_devices_and_layouts) {
  const diopiTensorHandle_t host = create({2, 3}, diopi_dtype_float32, diopi_host);
  const diopiTensorHandle_t device = create({2, 3});
  const diopiTensorHandle_t transposed = create_strided({2, 3}, {1, 2});
  const diopiTensorHandle_t transposed_too = create_strided({2, 3}, {1, 2});
  write(host, count_up(6));
  const DeviceCounts before = device_counts();
  EXPECT_EQ(diopirtCopyTensor(ctx_, device, host), diopiSuccess) << message();
  EXPECT_EQ(diopirtCopyTensor(ctx_, transposed, device), diopiSuccess) << message();
  EXPECT_EQ(diopirtCopyTensor(ctx_, transposed_too, transposed), diopiSuccess) << message();
  EXPECT_EQ(device_counts().copies_on_device, before.copies_on_device + 1);  // the same order of bytes: one copy
  write(host, std::vector<float>(6, 0.0f));
  EXPECT_EQ(diopirtCopyTensor(ctx_, host, transposed_too), diopiSuccess) << message();
  EXPECT_EQ(read(host), count_up(6));
  for (const diopiTensorHandle_t t : {host, device, transposed, transposed_too}) diopirtReleaseTensor(t);
}

TEST_F(RuntimeCopy, a_queued_copy_does_not_wait) {
  const diopiTensorHandle_t from = create({2, 3}), to = create({2, 3});
  write(from, count_up(6));
  const DeviceCounts before = device_counts();
  EXPECT_EQ(diopirtQueueCopy(ctx_, to, from), diopiSuccess) << message();
  EXPECT_EQ(device_counts().copies_on_device, before.copies_on_device + 1);
  EXPECT_EQ(device_counts().synchronisations, before.synchronisations);
  EXPECT_EQ(diopirtSynchronize(ctx_), diopiSuccess);
  EXPECT_EQ(read(to), count_up(6));
  for (const diopiTensorHandle_t t : {from, to}) diopirtReleaseTensor(t);
}

TEST_F(RuntimeCopy, only_row_major_tensors_of_the_device_are_queued) {
  const diopiTensorHandle_t device = create({2, 3}), host = create({2, 3}, diopi_dtype_float32, diopi_host),
                            transposed = create_strided({2, 3}, {1, 2}), other = create({6}), empty = create({0});
  const DeviceCounts before = device_counts();
  EXPECT_EQ(diopirtQueueCopy(ctx_, device, host), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtQueueCopy: dst and src are not both on the device");
  EXPECT_EQ(diopirtQueueCopy(ctx_, device, transposed), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtQueueCopy: dst or src is not row-major");
  EXPECT_EQ(diopirtQueueCopy(ctx_, device, other), diopiErrorOccurred);
  EXPECT_EQ(diopirtQueueCopy(ctx_, nullptr, device), diopiErrorOccurred);
  EXPECT_EQ(diopirtQueueCopy(nullptr, device, device), diopiErrorOccurred);
  EXPECT_EQ(diopirtQueueCopy(ctx_, empty, empty), diopiSuccess) << message();
  EXPECT_EQ(device_counts().copies_on_device, before.copies_on_device);
  for (const diopiTensorHandle_t t : {device, host, transposed, other, empty}) diopirtReleaseTensor(t);
}

TEST_F(RuntimeCopy, writing_where_elements_meet_is_refused) {
  const diopiTensorHandle_t base = create({3});
  const diopiTensorHandle_t expanded = view(base, {2, 3}, {0, 1}, 0);
  const diopiTensorHandle_t sliding = view(base, {2, 2}, {1, 1}, 0);
  const std::vector<float> values = count_up(6);
  EXPECT_EQ(diopirtCopyFromHost(ctx_, expanded, values.data(), 24), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCopyFromHost: elements of the tensor may share memory");
  EXPECT_EQ(diopirtCopyFromHost(ctx_, sliding, values.data(), 16), diopiErrorOccurred);
  for (const diopiTensorHandle_t t : {base, expanded, sliding}) diopirtReleaseTensor(t);
}

TEST_F(RuntimeCopy, wrong_sizes_are_refused) {
  const diopiTensorHandle_t tensor = create({2, 3}), other = create({3, 2}),
                            integers = create({2, 3}, diopi_dtype_int32);
  float values[6] = {};
  EXPECT_EQ(diopirtCopyFromHost(ctx_, tensor, values, 20), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtCopyFromHost: bytes = 20, expected 24");
  EXPECT_EQ(diopirtReadStorage(ctx_, tensor, 16, values, 12), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtReadStorage: 12 bytes at 16 are outside a storage of 24");
  EXPECT_EQ(diopirtWriteStorage(ctx_, tensor, SIZE_MAX, values, 4), diopiErrorOccurred);
  EXPECT_EQ(diopirtCopyTensor(ctx_, tensor, other), diopiErrorOccurred);
  EXPECT_EQ(diopirtCopyTensor(ctx_, tensor, integers), diopiDtypeNotSupported);
  for (const diopiTensorHandle_t t : {tensor, other, integers}) diopirtReleaseTensor(t);
}

}  // namespace
}  // namespace runtime_test
