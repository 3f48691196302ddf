/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
#ifndef DIOPI_DIOPIRT_H_
#define DIOPI_DIOPIRT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DIOPI_VER_MAJOR 1
#define DIOPI_VER_MINOR 0
#define DIOPI_VER_PATCH 0

/* A weak function may be absent: its address is then null. */
#define DIOPI_ATTR_WEAK __attribute__((weak))
#define DIOPI_API DIOPI_ATTR_WEAK
#define DIOPI_RT_API
typedef struct diopiContext* diopiContextHandle_t;
typedef struct diopiTensor* diopiTensorHandle_t;
typedef const struct diopiTensor* diopiConstTensorHandle_t;
typedef struct diopiGenerator* diopiGeneratorHandle_t;
typedef const struct diopiGenerator* diopiConstGeneratorHandle_t;
typedef void* diopiStreamHandle_t;
typedef int8_t diopiDeviceIndex_t;

typedef enum {
  diopiSuccess = 0,
  diopiErrorOccurred = 1,
  diopiNotInited = 2,
  diopiNoRegisteredStreamCreateFunction = 3,
  diopiNoRegisteredStreamDestoryFunction = 4,
  diopiNoRegisteredStreamSyncFunction = 5,
  diopiNoRegisteredDeviceMemoryMallocFunction = 6,
  diopiNoRegisteredDeviceMemoryFreeFunction = 7,
  diopiNoRegisteredDevice2DdeviceMemoryCopyFunction = 8,
  diopiNoRegisteredDevice2HostMemoryCopyFunction = 9,
  diopiNoRegisteredHost2DeviceMemoryCopyFunction = 10,
  diopiNoRegisteredGetLastErrorFunction = 11,
  diopi5DNotSupported = 12,
  diopiNoImplement = 13,
  diopiForceFallbackToCPU = 14,
  diopiDtypeNotSupported = 1000
} diopiError_t;

typedef enum {
  diopi_host = 0,
  diopi_device = 1
} diopiDevice_t;

typedef enum {
  diopi_dtype_int8 = 0,
  diopi_dtype_uint8 = 1,
  diopi_dtype_int16 = 2,
  diopi_dtype_uint16 = 3,
  diopi_dtype_int32 = 4,
  diopi_dtype_uint32 = 5,
  diopi_dtype_int64 = 6,
  diopi_dtype_uint64 = 7,
  diopi_dtype_float16 = 8,
  diopi_dtype_float32 = 9,
  diopi_dtype_float64 = 10,
  diopi_dtype_bool = 11,
  diopi_dtype_bfloat16 = 12,
  diopi_dtype_tfloat32 = 13,
  diopi_dtype_complex32 = 14,
  diopi_dtype_complex64 = 15,
  diopi_dtype_complex128 = 16,
  diopi_dtype_unsupported = 255
} diopiDtype_t;

typedef enum {
  Contiguous = 0,
  ChannelsLast = 1,
  ChannelsLast3d = 2,
  Preserve = 3,
  ChannelsLast1d = 4
} diopiMemoryFormat_t;

typedef enum {
  ReductionNone = 0,
  ReductionMean = 1,
  ReductionSum = 2,
  ReductionEND = 3
} diopiReduction_t;

typedef enum {
  RoundModeNone = 0,
  RoundModeTrunc = 1,
  RoundModeFloor = 2,
  RoundModeEND = 3
} diopiRoundMode_t;

/** A borrowed list of 64-bit integers: a shape, strides, axes. `data` may be null where `len` is 0. */
typedef struct {
  const int64_t* data;
  int64_t len;
} diopiSize_t;

/** A number: `fval` where `stype` is floating point, else `ival`. */
typedef struct {
  diopiDtype_t stype;
  __extension__ union {
    double fval;
    int64_t ival;
  };
} diopiScalar_t;

/**
 * Version of the runtime, a static string.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK const char* diopiGetVersion(void);

/**
 * Address of a tensor's first element, for writing.
 */
DIOPI_RT_API diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void**);

/**
 * Address of a tensor's first element, for reading.
 */
DIOPI_RT_API diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void**);

/**
 * Shape of a tensor, borrowed from it; 0-d tensors have len 0.
 */
DIOPI_RT_API diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size);

/**
 * Strides of a tensor in elements, borrowed from it.
 */
DIOPI_RT_API diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride);

/**
 * Dtype of a tensor's elements.
 */
DIOPI_RT_API diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype);

/**
 * Whether a tensor lies in host or in device memory.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t th, diopiDevice_t* device);

/**
 * Number of elements of a tensor; 1 for a 0-d tensor.
 */
DIOPI_RT_API diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel);

/**
 * Bytes of one element of a tensor.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize);

/**
 * Start of the storage that a tensor views.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t th, void** pStoragePtr);

/**
 * Elements between the start of the storage and the first element.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* pOffset);

/**
 * Bytes of the storage that a tensor views.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* pNbytes);

/**
 * Number of the device on which a tensor lies.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t th, diopiDeviceIndex_t* pDevIndex);

/**
 * Compressed row indices of a sparse CSR tensor, borrowed from it.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* crow_indices);

/**
 * Column indices of a sparse CSR tensor, borrowed from it.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* col_indices);

/**
 * Values of a sparse CSR tensor, borrowed from it.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* values);

/**
 * Whether a tensor is sparse.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t th, bool* is_sparse);

/**
 * Number of the calling thread's current device.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* pDevIndex);

/**
 * Stream on which a call with this context runs.
 */
DIOPI_RT_API diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream);

/**
 * New tensor of a shape, owned by the context, contents not initialised.
 */
DIOPI_RT_API diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, const diopiSize_t* size, const diopiSize_t* stride, const diopiDtype_t dtype, const diopiDevice_t device);

/**
 * New one-dimensional uint8 tensor of num_bytes bytes, owned by the context.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t num_bytes, diopiDevice_t device);

/**
 * Copy of a generator's state as a new tensor, owned by the context.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorGetState(diopiContextHandle_t ctx, diopiConstGeneratorHandle_t th, diopiTensorHandle_t* data);

/**
 * Restores a generator from a state of diopiGeneratorGetState.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorSetState(diopiGeneratorHandle_t th, diopiConstTensorHandle_t state);

/**
 * Seed and offset from which a generator continues.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t* ptrSeed, uint64_t* ptrOffset);

/**
 * Sets the seed and offset from which a generator continues.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t seed, uint64_t offset);

/**
 * Opens a profiling record with a name.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiRecordStart(const char* record_name, void** record);

/**
 * Closes a profiling record and sets it to null.
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiRecordEnd(void** record);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_DIOPIRT_H_ */
