// SPDX-License-Identifier: BSD-3-Clause
// Converts tensors from and to DLPack without copying: each side holds a reference to the other's memory.
#include <diopirt_dlpack.h>

#include <algorithm>
#include <new>

#include "impl/common/dtype.hpp"
#include "runtime/context.hpp"

namespace diopirt {
namespace {

constexpr uint32_t kMajor = 1;
constexpr uint32_t kMinor = 0;  // no feature of a later minor version is used
constexpr int32_t kMaxDims = 64;

struct DtypeRow {
  uint8_t code;
  uint8_t bits;
  diopiDtype_t dtype;
};
constexpr DtypeRow kDtypes[] = {
    {kDLInt, 8, diopi_dtype_int8},           {kDLUInt, 8, diopi_dtype_uint8},
    {kDLInt, 16, diopi_dtype_int16},         {kDLUInt, 16, diopi_dtype_uint16},
    {kDLInt, 32, diopi_dtype_int32},         {kDLUInt, 32, diopi_dtype_uint32},
    {kDLInt, 64, diopi_dtype_int64},         {kDLUInt, 64, diopi_dtype_uint64},
    {kDLFloat, 16, diopi_dtype_float16},     {kDLFloat, 32, diopi_dtype_float32},
    {kDLFloat, 64, diopi_dtype_float64},     {kDLBool, 8, diopi_dtype_bool},
    {kDLBfloat, 16, diopi_dtype_bfloat16},   {kDLComplex, 32, diopi_dtype_complex32},
    {kDLComplex, 64, diopi_dtype_complex64}, {kDLComplex, 128, diopi_dtype_complex128},
};

Status dtype_of_dlpack(const DLDataType& from, diopiDtype_t* dtype) {
  if (from.lanes == 1) {
    for (const DtypeRow& row : kDtypes) {
      if (row.code == from.code && row.bits == from.bits) {
        *dtype = row.dtype;
        return diopiSuccess;
      }
    }
  }
  return fail(diopiDtypeNotSupported,
              "the DLPack dtype has code %d, %d bits and %d lanes, which is no dtype of a tensor", from.code, from.bits,
              from.lanes);
}

Status dlpack_of_dtype(diopiDtype_t dtype, DLDataType* to) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) {
      *to = {row.code, row.bits, 1};
      return diopiSuccess;
    }
  }
  return fail(diopiDtypeNotSupported, "tensor has dtype %s (%d), which DLPack does not have", diopi::dtype_name(dtype),
              static_cast<int>(dtype));
}

// Memory of the vendor's device becomes diopi_device. Other memory that the host can address becomes diopi_host.
Status device_of_dlpack(const Vendor& vendor, const DLDevice& from, diopiDevice_t* device) {
  const int32_t type = vendor.dlpack_type.load(std::memory_order_relaxed);
  const int32_t index = vendor.dlpack_index.load(std::memory_order_relaxed);
  const bool on_host = from.device_type == kDLCPU || from.device_type == kDLCUDAHost || from.device_type == kDLROCMHost;
  if (type == kDLCPU ? on_host : (static_cast<int32_t>(from.device_type) == type && from.device_id == index)) {
    *device = diopi_device;
    return diopiSuccess;
  }
  DIOPI_REQUIRE(on_host, diopiErrorOccurred,
                "the tensor is on DLPack device %d:%d, expected the vendor's, %d:%d, or the host",
                static_cast<int>(from.device_type), from.device_id, type, index);
  *device = diopi_host;
  return diopiSuccess;
}

// The checked sizes, dtype, device and address of a DLPack tensor.
struct Incoming {
  Geometry geometry;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiDevice_t device = diopi_host;
  void* data = nullptr;
  int64_t strides[kMaxDims];
};

Status check_incoming(const Vendor& vendor, const DLTensor& from, Incoming* result) {
  DIOPI_REQUIRE(from.ndim >= 0 && from.ndim <= kMaxDims, diopiErrorOccurred, "ndim = %d is outside [0, %d]", from.ndim,
                kMaxDims);
  DIOPI_TRY(dtype_of_dlpack(from.dtype, &result->dtype));
  DIOPI_TRY(device_of_dlpack(vendor, from.device, &result->device));
  const diopiSize_t shape{from.shape, from.ndim};
  const diopiSize_t stride{result->strides, from.ndim};
  for (int32_t i = 0; from.shape != nullptr && from.strides != nullptr && i < from.ndim; ++i) {
    result->strides[i] = from.shape[i] > 1 ? from.strides[i] : 1;  // the stride of a single element is not used
  }
  DIOPI_TRY(check_geometry(shape, from.strides != nullptr ? &stride : nullptr, result->dtype, &result->geometry));
  if (result->geometry.numel == 0) return diopiSuccess;
  DIOPI_REQUIRE(from.data != nullptr, diopiErrorOccurred, "data is null for %lld elements",
                static_cast<long long>(result->geometry.numel));
  result->data = static_cast<char*>(from.data) + from.byte_offset;
  const auto alignment = static_cast<uintptr_t>(std::min(result->geometry.itemsize, 8));
  DIOPI_REQUIRE(reinterpret_cast<uintptr_t>(result->data) % alignment == 0, diopiErrorOccurred,
                "the first element is at address %p, which is not a multiple of %d", result->data,
                static_cast<int>(alignment));
  return diopiSuccess;
}

template <typename Managed>
void give_back(void*, void* managed) {
  auto* const self = static_cast<Managed*>(managed);
  if (self->deleter != nullptr) self->deleter(self);
}

template <typename Managed>
Status from_dlpack(diopiContext* ctx, Managed* managed, bool read_only, diopiTensor** tensor) {
  Incoming incoming;
  DIOPI_TRY(check_incoming(*ctx->vendor, managed->dl_tensor, &incoming));
  Storage* storage = nullptr;
  DIOPI_TRY(wrap_storage(*ctx->vendor, incoming.device, incoming.data,
                         static_cast<size_t>(incoming.geometry.span_bytes()), nullptr, nullptr, &storage));
  storage->read_only = read_only;
  DIOPI_TRY(create_with(storage, incoming.geometry, incoming.dtype, tensor));
  storage->release = give_back<Managed>;  // only now: on failure the caller keeps the tensor
  storage->user_data = managed;
  return diopiSuccess;
}

// The deleter of both forms. `manager_ctx` is the tensor; the form holds a reference to it.
template <typename Managed>
void drop(Managed* self) {
  if (self == nullptr) return;
  release(static_cast<diopiTensor*>(self->manager_ctx));
  delete self;
}

template <typename Managed>
Status to_dlpack(diopiTensor* tensor, Managed** managed) {
  DIOPI_REQUIRE(!tensor->sparse, diopiErrorOccurred, "the tensor is sparse: export its parts");
  DLDataType dtype{};
  DIOPI_TRY(dlpack_of_dtype(tensor->dtype, &dtype));
  auto* const result = new (std::nothrow) Managed();
  DIOPI_REQUIRE(result != nullptr, diopiErrorOccurred, "out of memory");
  const Vendor& vendor = *tensor->storage->vendor;
  DLTensor& to = result->dl_tensor;
  to.data = tensor->data;
  to.device = {kDLCPU, 0};
  if (tensor->storage->device == diopi_device) {
    to.device = {static_cast<DLDeviceType>(vendor.dlpack_type.load()), vendor.dlpack_index.load()};
  }
  to.ndim = static_cast<int32_t>(tensor->shape.len);
  to.dtype = dtype;
  to.shape = const_cast<int64_t*>(tensor->shape.data);  // DLPack has no const; nobody writes to it
  to.strides = const_cast<int64_t*>(tensor->stride.data);
  result->manager_ctx = tensor;
  result->deleter = drop<Managed>;
  retain(tensor);
  *managed = result;
  return diopiSuccess;
}

template <typename Managed>
Status check_import(const diopiContext* ctx, const Managed* managed) {
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  DIOPI_REQUIRE(managed != nullptr, diopiErrorOccurred, "managed is null");
  return diopiSuccess;
}

}  // namespace
}  // namespace diopirt

using diopirt::OperatorScope;

diopiError_t diopirtSetDLPackDevice(diopirtLibraryHandle_t library, int32_t device_type, int32_t device_id) {
  const OperatorScope scope("diopirtSetDLPackDevice");
  DIOPI_REQUIRE(device_type >= 1, diopiErrorOccurred, "device_type = %d is not a DLPack device", device_type);
  diopirt::Vendor& vendor = diopirt::vendor_of(library);
  vendor.dlpack_type = device_type;
  vendor.dlpack_index = device_id;
  return diopiSuccess;
}

diopiError_t diopirtFromDLPack(diopiContextHandle_t ctx, struct DLManagedTensor* managed, diopiTensorHandle_t* tensor) {
  const OperatorScope scope("diopirtFromDLPack");
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  *tensor = nullptr;
  DIOPI_TRY(diopirt::check_import(ctx, managed));
  return diopirt::from_dlpack(ctx, managed, false, tensor);
}

diopiError_t diopirtFromDLPackVersioned(diopiContextHandle_t ctx, struct DLManagedTensorVersioned* managed,
                                        diopiTensorHandle_t* tensor) {
  const OperatorScope scope("diopirtFromDLPackVersioned");
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  *tensor = nullptr;
  DIOPI_TRY(diopirt::check_import(ctx, managed));
  DIOPI_REQUIRE(managed->version.major == diopirt::kMajor, diopiErrorOccurred,
                "the tensor has DLPack version %u.%u, expected %u", managed->version.major, managed->version.minor,
                diopirt::kMajor);
  return diopirt::from_dlpack(ctx, managed, (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0, tensor);
}

diopiError_t diopirtToDLPack(diopiTensorHandle_t tensor, struct DLManagedTensor** managed) {
  const OperatorScope scope("diopirtToDLPack");
  DIOPI_REQUIRE(managed != nullptr, diopiErrorOccurred, "managed is null");
  *managed = nullptr;
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  DIOPI_REQUIRE(tensor->sparse || !tensor->storage->read_only, diopiErrorOccurred,
                "the tensor is read-only, which the form without a version cannot say");
  return diopirt::to_dlpack(tensor, managed);
}

diopiError_t diopirtToDLPackVersioned(diopiTensorHandle_t tensor, struct DLManagedTensorVersioned** managed) {
  const OperatorScope scope("diopirtToDLPackVersioned");
  DIOPI_REQUIRE(managed != nullptr, diopiErrorOccurred, "managed is null");
  *managed = nullptr;
  DIOPI_REQUIRE(tensor != nullptr, diopiErrorOccurred, "tensor is null");
  DIOPI_TRY(diopirt::to_dlpack(tensor, managed));
  (*managed)->version = {diopirt::kMajor, diopirt::kMinor};
  (*managed)->flags = tensor->storage->read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  return diopiSuccess;
}

diopiError_t diopirtIsTensorReadOnly(diopiConstTensorHandle_t tensor, bool* read_only) {
  const OperatorScope scope("diopirtIsTensorReadOnly");
  DIOPI_REQUIRE(tensor != nullptr && read_only != nullptr, diopiErrorOccurred, "%s is null",
                tensor == nullptr ? "tensor" : "read_only");
  *read_only = !tensor->sparse && tensor->storage->read_only;
  return diopiSuccess;
}
