// SPDX-License-Identifier: BSD-3-Clause
// Functions that read a tensor: each reads a field.
#include "runtime/tensor.hpp"

namespace {

// Checks the handle and the pointer for the result. Both branches are predicted well.
#define DIOPIRT_READABLE(handle, out)                                     \
  if (__builtin_expect((handle) == nullptr || (out) == nullptr, 0)) {     \
    return null_argument(__func__, (handle) == nullptr ? #handle : #out); \
  }
#define DIOPIRT_DENSE(handle)                  \
  if (__builtin_expect((handle)->sparse, 0)) { \
    return sparse_refused(__func__);           \
  }

__attribute__((cold, noinline)) diopiError_t null_argument(const char* function, const char* argument) {
  return diopi::fail(diopiErrorOccurred, "%s: %s is null", function, argument);
}

__attribute__((cold, noinline)) diopiError_t sparse_refused(const char* function) {
  return diopi::fail(diopiErrorOccurred, "%s: the tensor is sparse: use its parts", function);
}

// The tensor that has the storage: for a sparse tensor, its values.
const diopiTensor* placed(const diopiTensor* th) { return th->sparse ? th->values : th; }

diopiError_t read_part(const char* function, diopiConstTensorHandle_t th, diopiTensor* const diopiTensor::*part,
                       diopiConstTensorHandle_t* out) {
  if (th == nullptr || out == nullptr) return null_argument(function, th == nullptr ? "th" : "out");
  *out = nullptr;
  if (!th->sparse) return diopi::fail(diopiErrorOccurred, "%s: the tensor is not sparse", function);
  *out = th->*part;
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void** data) {
  DIOPIRT_READABLE(th, data)
  DIOPIRT_DENSE(th)
  *data = th->data;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void** data) {
  DIOPIRT_READABLE(th, data)
  DIOPIRT_DENSE(th)
  *data = th->data;
  return diopiSuccess;
}

diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size) {
  DIOPIRT_READABLE(th, size)
  *size = th->shape;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride) {
  DIOPIRT_READABLE(th, stride)
  DIOPIRT_DENSE(th)
  *stride = th->stride;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype) {
  DIOPIRT_READABLE(th, dtype)
  *dtype = th->dtype;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t th, diopiDevice_t* device) {
  DIOPIRT_READABLE(th, device)
  *device = placed(th)->storage->device;
  return diopiSuccess;
}

diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel) {
  DIOPIRT_READABLE(th, numel)
  *numel = th->numel;
  return diopiSuccess;
}

diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize) {
  DIOPIRT_READABLE(th, itemsize)
  *itemsize = th->itemsize;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t th, void** pStoragePtr) {
  DIOPIRT_READABLE(th, pStoragePtr)
  DIOPIRT_DENSE(th)
  *pStoragePtr = th->storage->data;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* pOffset) {
  DIOPIRT_READABLE(th, pOffset)
  DIOPIRT_DENSE(th)
  *pOffset = th->offset;
  return diopiSuccess;
}

diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* pNbytes) {
  DIOPIRT_READABLE(th, pNbytes)
  DIOPIRT_DENSE(th)
  *pNbytes = th->storage->bytes;
  return diopiSuccess;
}

diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t th, diopiDeviceIndex_t* pDevIndex) {
  DIOPIRT_READABLE(th, pDevIndex)
  *pDevIndex = placed(th)->storage->device == diopi_device ? 0 : -1;
  return diopiSuccess;
}

diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* crow_indices) {
  return read_part(__func__, th, &diopiTensor::crow_indices, crow_indices);
}

diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* col_indices) {
  return read_part(__func__, th, &diopiTensor::col_indices, col_indices);
}

diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* values) {
  return read_part(__func__, th, &diopiTensor::values, values);
}

diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t th, bool* is_sparse) {
  DIOPIRT_READABLE(th, is_sparse)
  *is_sparse = th->sparse;
  return diopiSuccess;
}

diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* pDevIndex) {
  if (pDevIndex == nullptr) return null_argument(__func__, "pDevIndex");
  *pDevIndex = 0;  // the registered callbacks know one device
  return diopiSuccess;
}

const char* diopiGetVersion(void) {
#define DIOPIRT_TEXT_OF(x) #x
#define DIOPIRT_TEXT(x) DIOPIRT_TEXT_OF(x)
  return DIOPIRT_TEXT(DIOPI_VER_MAJOR) "." DIOPIRT_TEXT(DIOPI_VER_MINOR) "." DIOPIRT_TEXT(DIOPI_VER_PATCH);
}
