// SPDX-License-Identifier: BSD-3-Clause
// Import and export of DLPack: no copy, one call of each deleter, and clear messages for refused tensors.
#include <diopirt_dlpack.h>

#include <cstddef>
#include <limits>

#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

// A lender of twelve numbers: a DLPack tensor of one of the two forms, and the number of calls of its deleter.
template <typename Managed>
struct Lender {
  float numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t shape[2] = {3, 4};
  int64_t strides[2] = {4, 1};
  int deleted = 0;
  Managed managed{};

  Lender() {
    managed.dl_tensor = {numbers, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Lender*>(self->manager_ctx)->deleted; };
  }
};
using Old = Lender<DLManagedTensor>;
struct New : Lender<DLManagedTensorVersioned> {
  New() { managed.version = {1, 1}; }
};

class RuntimeDlpack : public RuntimeTest {
 protected:
  diopiTensorHandle_t import(Old& lender) {
    diopiTensorHandle_t tensor = nullptr;
    EXPECT_EQ(diopirtFromDLPack(ctx_, &lender.managed, &tensor), diopiSuccess) << message();
    return tensor;
  }
  diopiTensorHandle_t import(New& lender) {
    diopiTensorHandle_t tensor = nullptr;
    EXPECT_EQ(diopirtFromDLPackVersioned(ctx_, &lender.managed, &tensor), diopiSuccess) << message();
    return tensor;
  }
  void refuses(Old& lender, diopiError_t code, const std::string& part) {
    diopiTensorHandle_t tensor = reinterpret_cast<diopiTensorHandle_t>(&lender);
    EXPECT_EQ(diopirtFromDLPack(ctx_, &lender.managed, &tensor), code);
    EXPECT_EQ(tensor, nullptr);
    EXPECT_NE(message().find("diopirtFromDLPack: "), std::string::npos) << message();
    EXPECT_NE(message().find(part), std::string::npos) << message();
    EXPECT_EQ(lender.deleted, 0);
  }
};

TEST_F(RuntimeDlpack, structures_have_the_layout_of_the_protocol) {
  EXPECT_EQ(sizeof(DLTensor), 48u);
  EXPECT_EQ(offsetof(DLTensor, ndim), 16u);
  EXPECT_EQ(offsetof(DLTensor, dtype), 20u);
  EXPECT_EQ(offsetof(DLTensor, shape), 24u);
  EXPECT_EQ(offsetof(DLTensor, byte_offset), 40u);
  EXPECT_EQ(offsetof(DLManagedTensor, deleter), 56u);
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, deleter), 16u);
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, flags), 24u);
  EXPECT_EQ(offsetof(DLManagedTensorVersioned, dl_tensor), 32u);
}

TEST_F(RuntimeDlpack, import_shares_the_memory_and_deletes_once_with_the_last_tensor) {
  Old lender;
  const diopiTensorHandle_t tensor = import(lender);
  EXPECT_EQ(data_of(tensor), lender.numbers);
  EXPECT_EQ(shape_of(tensor), (std::vector<int64_t>{3, 4}));
  const diopiTensorHandle_t column = view(tensor, {3}, {4}, 1);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(lender.deleted, 0);
  EXPECT_EQ(*static_cast<float*>(data_of(column)), 1);
  EXPECT_EQ(diopirtReleaseTensor(column), diopiSuccess);
  EXPECT_EQ(lender.deleted, 1);
}

TEST_F(RuntimeDlpack, import_without_deleter_or_strides_is_row_major) {
  Old lender;
  lender.managed.deleter = nullptr;
  lender.managed.dl_tensor.strides = nullptr;
  const diopiTensorHandle_t tensor = import(lender);
  EXPECT_EQ(stride_of(tensor), (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
}

TEST_F(RuntimeDlpack, import_keeps_strides_and_byte_offset) {
  New lender;
  lender.shape[0] = lender.shape[1] = 2;
  lender.strides[0] = 1;
  lender.strides[1] = 4;
  lender.managed.dl_tensor.byte_offset = 8;
  ASSERT_EQ(diopirtSetDLPackDevice(nullptr, kDLExtDev, 0), diopiSuccess);  // the lender's memory is the host's then
  const diopiTensorHandle_t tensor = import(lender);
  EXPECT_EQ(data_of(tensor), lender.numbers + 2);
  EXPECT_EQ(stride_of(tensor), (std::vector<int64_t>{1, 4}));
  float seen[4] = {};
  EXPECT_EQ(diopirtCopyToHost(ctx_, tensor, seen, sizeof(seen)), diopiSuccess);
  EXPECT_EQ(std::vector<float>(seen, seen + 4), (std::vector<float>{2, 6, 3, 7}));
  EXPECT_EQ(diopirtSetDLPackDevice(nullptr, kDLCPU, 0), diopiSuccess);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(lender.deleted, 1);
}

TEST_F(RuntimeDlpack, the_stride_of_a_dimension_of_one_does_not_matter) {
  Old lender;
  lender.shape[0] = 1;
  lender.strides[0] = -4;
  const diopiTensorHandle_t tensor = import(lender);
  EXPECT_EQ(shape_of(tensor), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
}

TEST_F(RuntimeDlpack, empty_and_zero_dimensional_tensors_pass_both_ways) {
  Old empty;
  empty.shape[0] = 0;
  empty.managed.dl_tensor.data = nullptr;
  const diopiTensorHandle_t none = import(empty);
  EXPECT_EQ(shape_of(none), (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(diopirtReleaseTensor(none), diopiSuccess);
  EXPECT_EQ(empty.deleted, 1);
  Old scalar;
  scalar.managed.dl_tensor.ndim = 0;
  scalar.managed.dl_tensor.shape = scalar.managed.dl_tensor.strides = nullptr;
  const diopiTensorHandle_t one = import(scalar);
  DLManagedTensor* out = nullptr;
  EXPECT_EQ(diopirtToDLPack(one, &out), diopiSuccess);
  EXPECT_EQ(out->dl_tensor.ndim, 0);
  out->deleter(out);
  EXPECT_EQ(diopirtReleaseTensor(one), diopiSuccess);
  EXPECT_EQ(scalar.deleted, 1);
}

TEST_F(RuntimeDlpack, every_dtype_of_a_tensor_passes_both_ways) {
  int passed = 0;
  for (int value = 0; value <= diopi_dtype_complex128; ++value) {
    const diopiTensorHandle_t tensor = create({2}, static_cast<diopiDtype_t>(value), diopi_host);
    DLManagedTensorVersioned* out = nullptr;
    if (value == diopi_dtype_tfloat32) {
      EXPECT_EQ(diopirtToDLPackVersioned(tensor, &out), diopiDtypeNotSupported);
      EXPECT_EQ(out, nullptr);
    } else {
      ASSERT_EQ(diopirtToDLPackVersioned(tensor, &out), diopiSuccess) << message();
      diopiTensorHandle_t back = nullptr;
      diopiDtype_t dtype = diopi_dtype_unsupported;
      ASSERT_EQ(diopirtFromDLPackVersioned(ctx_, out, &back), diopiSuccess) << message();
      EXPECT_EQ(diopiGetTensorDtype(back, &dtype), diopiSuccess);
      EXPECT_EQ(dtype, value);
      EXPECT_EQ(data_of(back), data_of(tensor));
      EXPECT_EQ(diopirtReleaseTensor(back), diopiSuccess);
      ++passed;
    }
    EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  }
  EXPECT_EQ(passed, 16);
}

TEST_F(RuntimeDlpack, export_keeps_the_tensor_alive) {
  const int64_t live = statistics().live_tensors;
  const diopiTensorHandle_t tensor = create({2, 3}, diopi_dtype_float32, diopi_host);
  DLManagedTensor* out = nullptr;
  ASSERT_EQ(diopirtToDLPack(tensor, &out), diopiSuccess);
  void* const data = data_of(tensor);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(statistics().live_tensors, live + 1);
  EXPECT_EQ(out->dl_tensor.data, data);
  EXPECT_EQ(out->dl_tensor.device.device_type, kDLCPU);
  EXPECT_EQ(out->dl_tensor.shape[1], 3);
  EXPECT_EQ(out->dl_tensor.strides[0], 3);
  EXPECT_EQ(out->dl_tensor.byte_offset, 0u);
  out->deleter(out);
  EXPECT_EQ(statistics().live_tensors, live);
}

TEST_F(RuntimeDlpack, export_of_a_temporary_outlives_its_context) {
  diopiTensorHandle_t temporary = nullptr;
  const int64_t five = 5;
  const diopiSize_t shape{&five, 1};
  ASSERT_EQ(diopiRequireTensor(ctx_, &temporary, &shape, nullptr, diopi_dtype_float32, diopi_host), diopiSuccess);
  DLManagedTensorVersioned* out = nullptr;
  ASSERT_EQ(diopirtToDLPackVersioned(temporary, &out), diopiSuccess);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  static_cast<float*>(out->dl_tensor.data)[4] = 1;
  EXPECT_EQ(out->dl_tensor.shape[0], 5);
  out->deleter(out);
}

TEST_F(RuntimeDlpack, read_only_memory_is_known_and_not_written) {
  New lender;
  lender.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const diopiTensorHandle_t tensor = import(lender);
  bool read_only = false;
  EXPECT_EQ(diopirtIsTensorReadOnly(tensor, &read_only), diopiSuccess);
  EXPECT_TRUE(read_only);
  const float zeros[12] = {};
  EXPECT_EQ(diopirtCopyFromHost(ctx_, tensor, zeros, sizeof(zeros)), diopiErrorOccurred);
  EXPECT_NE(message().find("tensor is read-only"), std::string::npos) << message();
  EXPECT_EQ(diopirtWriteStorage(ctx_, tensor, 0, zeros, 4), diopiErrorOccurred);
  const diopiTensorHandle_t source = create({3, 4}, diopi_dtype_float32, diopi_host);
  EXPECT_EQ(diopirtCopyTensor(ctx_, tensor, source), diopiErrorOccurred);
  EXPECT_EQ(lender.numbers[11], 11);
  DLManagedTensor* old = nullptr;
  EXPECT_EQ(diopirtToDLPack(tensor, &old), diopiErrorOccurred);
  EXPECT_EQ(old, nullptr);
  DLManagedTensorVersioned* out = nullptr;
  ASSERT_EQ(diopirtToDLPackVersioned(tensor, &out), diopiSuccess);
  EXPECT_EQ(out->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  EXPECT_EQ(out->version.major, 1u);
  out->deleter(out);
  EXPECT_EQ(diopirtReleaseTensor(source), diopiSuccess);
  EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
  EXPECT_EQ(lender.deleted, 1);
}

TEST_F(RuntimeDlpack, devices_are_told_apart) {
  Old cuda;
  cuda.managed.dl_tensor.device = {kDLCUDA, 1};
  refuses(cuda, diopiErrorOccurred, "device 2:1, expected the vendor's, 1:0");
  ASSERT_EQ(diopirtSetDLPackDevice(nullptr, kDLCUDA, 1), diopiSuccess);
  diopiDevice_t device = diopi_host;
  const diopiTensorHandle_t on_device = import(cuda);
  EXPECT_EQ(diopiGetTensorDevice(on_device, &device), diopiSuccess);
  EXPECT_EQ(device, diopi_device);
  DLManagedTensor* out = nullptr;
  ASSERT_EQ(diopirtToDLPack(on_device, &out), diopiSuccess);
  EXPECT_EQ(out->dl_tensor.device.device_type, kDLCUDA);
  EXPECT_EQ(out->dl_tensor.device.device_id, 1);
  out->deleter(out);
  Old host, other;
  const diopiTensorHandle_t on_host = import(host);
  EXPECT_EQ(diopiGetTensorDevice(on_host, &device), diopiSuccess);
  EXPECT_EQ(device, diopi_host);
  other.managed.dl_tensor.device = {kDLCUDA, 0};
  refuses(other, diopiErrorOccurred, "device 2:0, expected the vendor's, 2:1");
  EXPECT_EQ(diopirtReleaseTensor(on_device), diopiSuccess);
  EXPECT_EQ(diopirtReleaseTensor(on_host), diopiSuccess);
  EXPECT_EQ(diopirtSetDLPackDevice(nullptr, 0, 0), diopiErrorOccurred);
  EXPECT_EQ(diopirtSetDLPackDevice(nullptr, kDLCPU, 0), diopiSuccess);
}

TEST_F(RuntimeDlpack, refuses_what_a_tensor_cannot_be_and_leaves_it_to_the_caller) {
  Old lender;
  lender.strides[0] = -4;
  refuses(lender, diopiErrorOccurred, "stride[0] = -4 is negative");
  lender.strides[0] = std::numeric_limits<int64_t>::max();
  refuses(lender, diopiErrorOccurred, "the strides span more than 2^63 elements");
  lender.strides[0] = 4;
  lender.shape[1] = -1;
  refuses(lender, diopiErrorOccurred, "shape[1] = -1 is negative");
  lender.shape[1] = 4;
  DLTensor& dl = lender.managed.dl_tensor;
  dl.byte_offset = 2;
  refuses(lender, diopiErrorOccurred, "which is not a multiple of 4");
  dl.byte_offset = 0;
  for (const int32_t ndim : {-1, 65}) {
    dl.ndim = ndim;
    refuses(lender, diopiErrorOccurred, "ndim = " + std::to_string(ndim) + " is outside [0, 64]");
  }
  dl.ndim = 2;
  dl.shape = nullptr;
  refuses(lender, diopiErrorOccurred, "shape has 2 dimensions and no data");
  dl.shape = lender.shape;
  for (const DLDataType dtype : {DLDataType{kDLFloat, 8, 1}, {kDLFloat, 32, 4}, {kDLOpaqueHandle, 64, 1}, {9, 8, 1}}) {
    dl.dtype = dtype;
    refuses(lender, diopiDtypeNotSupported, "which is no dtype of a tensor");
  }
  dl.dtype = {kDLFloat, 32, 1};
  dl.data = nullptr;
  refuses(lender, diopiErrorOccurred, "data is null for 12 elements");
}

TEST_F(RuntimeDlpack, refuses_null_arguments_and_other_versions) {
  New lender;
  diopiTensorHandle_t tensor = nullptr;
  lender.managed.version = {2, 0};
  EXPECT_EQ(diopirtFromDLPackVersioned(ctx_, &lender.managed, &tensor), diopiErrorOccurred);
  EXPECT_NE(message().find("DLPack version 2.0, expected 1"), std::string::npos) << message();
  EXPECT_EQ(lender.deleted, 0);
  EXPECT_EQ(diopirtFromDLPackVersioned(ctx_, nullptr, &tensor), diopiErrorOccurred);
  EXPECT_EQ(diopirtFromDLPackVersioned(nullptr, &lender.managed, &tensor), diopiErrorOccurred);
  EXPECT_EQ(diopirtFromDLPackVersioned(ctx_, &lender.managed, nullptr), diopiErrorOccurred);
  EXPECT_EQ(diopirtFromDLPack(ctx_, nullptr, &tensor), diopiErrorOccurred);
  DLManagedTensor* out = nullptr;
  EXPECT_EQ(diopirtToDLPack(nullptr, &out), diopiErrorOccurred);
  bool read_only = false;
  EXPECT_EQ(diopirtIsTensorReadOnly(nullptr, &read_only), diopiErrorOccurred);
  const diopiTensorHandle_t dense = create({2});
  EXPECT_EQ(diopirtToDLPack(dense, nullptr), diopiErrorOccurred);
  EXPECT_EQ(diopirtReleaseTensor(dense), diopiSuccess);
}

}  // namespace
}  // namespace runtime_test
