/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Types of DIOPI and what a framework's runtime provides to every vendor's library: tensors, memory, streams,
 * generators and profiling. Handles are opaque and valid as long as what is behind them.
 */
#ifndef DIOPI_DIOPIRT_H_
#define DIOPI_DIOPIRT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the interface: a program runs with every library of the same major and no smaller minor version. */
#define DIOPI_VER_MAJOR 1
#define DIOPI_VER_MINOR 0
#define DIOPI_VER_PATCH 0

/** A weak function may be absent: its address is then null. */
#define DIOPI_ATTR_WEAK __attribute__((weak))
#define DIOPI_API DIOPI_ATTR_WEAK
#define DIOPI_RT_API

/** A call's surroundings: its stream, and the owner of what it requires. */
typedef struct diopiContext* diopiContextHandle_t;

/** A tensor whose elements may be written. */
typedef struct diopiTensor* diopiTensorHandle_t;

/** A tensor that is only read. */
typedef const struct diopiTensor* diopiConstTensorHandle_t;

/** A random number generator: seed and offset. */
typedef struct diopiGenerator* diopiGeneratorHandle_t;

/** A random number generator that is only read. */
typedef const struct diopiGenerator* diopiConstGeneratorHandle_t;

/** A queue of the device; what it points to is the vendor's business. */
typedef void* diopiStreamHandle_t;

/** Number of a device. */
typedef int8_t diopiDeviceIndex_t;

/** What a function returns; the message of a failure is in diopiGetLastErrorString. */
typedef enum {
  diopiSuccess = 0, /**< the call did what it says */
  diopiErrorOccurred = 1, /**< a precondition was violated, or the vendor failed */
  diopiNotInited = 2, /**< the library was not initialised */
  diopiNoRegisteredStreamCreateFunction = 3, /**< the vendor registered no stream creation */
  diopiNoRegisteredStreamDestoryFunction = 4, /**< the vendor registered no stream destruction */
  diopiNoRegisteredStreamSyncFunction = 5, /**< the vendor registered no stream synchronisation */
  diopiNoRegisteredDeviceMemoryMallocFunction = 6, /**< the vendor registered no allocation of device memory */
  diopiNoRegisteredDeviceMemoryFreeFunction = 7, /**< the vendor registered no release of device memory */
  diopiNoRegisteredDevice2DdeviceMemoryCopyFunction = 8, /**< the vendor registered no copy within a device */
  diopiNoRegisteredDevice2HostMemoryCopyFunction = 9, /**< the vendor registered no copy from device to host */
  diopiNoRegisteredHost2DeviceMemoryCopyFunction = 10, /**< the vendor registered no copy from host to device */
  diopiNoRegisteredGetLastErrorFunction = 11, /**< the vendor registered no message function */
  diopi5DNotSupported = 12, /**< a tensor of five dimensions is not supported */
  diopiNoImplement = 13, /**< the vendor does not implement this case */
  diopiForceFallbackToCPU = 14, /**< the framework is asked to run this call on the CPU */
  diopiDtypeNotSupported = 1000 /**< a dtype is outside the set of the operator or of the vendor */
} diopiError_t;

/** Where the elements of a tensor lie. */
typedef enum {
  diopi_host = 0, /**< memory of the host */
  diopi_device = 1 /**< memory of the device */
} diopiDevice_t;

/** Type of the elements of a tensor, or of a scalar. */
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
  diopi_dtype_bool = 11, /**< one byte, 0 or 1 */
  diopi_dtype_bfloat16 = 12,
  diopi_dtype_tfloat32 = 13, /**< a way to compute with float32, no storage type */
  diopi_dtype_complex32 = 14, /**< two float16 */
  diopi_dtype_complex64 = 15, /**< two float32 */
  diopi_dtype_complex128 = 16, /**< two float64 */
  diopi_dtype_unsupported = 255 /**< none of these */
} diopiDtype_t;

/** Order of the dimensions in memory. */
typedef enum {
  Contiguous = 0, /**< last dimension fastest */
  ChannelsLast = 1, /**< NHWC, for four dimensions */
  ChannelsLast3d = 2, /**< NDHWC, for five dimensions */
  Preserve = 3, /**< as the input */
  ChannelsLast1d = 4 /**< NLC, for three dimensions */
} diopiMemoryFormat_t;

/** How a loss is reduced over its elements. */
typedef enum {
  ReductionNone = 0, /**< not reduced */
  ReductionMean = 1, /**< mean, or weighted mean where the loss has weights */
  ReductionSum = 2, /**< sum */
  ReductionEND = 3 /**< number of values, not a reduction */
} diopiReduction_t;

/** How a quotient is rounded. */
typedef enum {
  RoundModeNone = 0, /**< true division */
  RoundModeTrunc = 1, /**< towards zero */
  RoundModeFloor = 2, /**< towards minus infinity */
  RoundModeEND = 3 /**< number of values, not a mode */
} diopiRoundMode_t;

/** A borrowed list of 64-bit integers: a shape, strides, dimensions. */
typedef struct {
  const int64_t* data; /**< may be null where len is 0 */
  int64_t len; /**< number of integers */
} diopiSize_t;

/** A number with its dtype. */
typedef struct {
  diopiDtype_t stype; /**< says which member of the union holds the number */
  __extension__ union { double fval; int64_t ival; }; /**< fval for floating point, ival for integers and bool */
} diopiScalar_t;

/** Version of the runtime, a static string. */
DIOPI_RT_API DIOPI_ATTR_WEAK const char* diopiGetVersion(void);

/**
 * Address of a tensor's first element, for writing.
 *
 * @param[in]  th  the pointer handed out may be written through
 * Parameter 2, out, has no name: receives the address
 */
DIOPI_RT_API diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void**);

/**
 * Address of a tensor's first element, for reading.
 *
 * @param[in]  th  tensor
 * Parameter 2, out, has no name: receives the address
 */
DIOPI_RT_API diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void**);

/**
 * Shape of a tensor, borrowed from it; 0-d tensors have len 0.
 *
 * @param[in]  th    tensor
 * @param[out] size  list of integers
 */
DIOPI_RT_API diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size);

/**
 * Strides of a tensor in elements, borrowed from it.
 *
 * @param[in]  th      tensor
 * @param[out] stride  list of integers
 */
DIOPI_RT_API diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride);

/**
 * Dtype of a tensor's elements.
 *
 * @param[in]  th     tensor
 * @param[out] dtype  diopiDtype_t
 */
DIOPI_RT_API diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype);

/**
 * Whether a tensor lies in host or in device memory.
 *
 * @param[in]  th      tensor
 * @param[out] device  diopiDevice_t
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t th, diopiDevice_t* device);

/**
 * Number of elements of a tensor; 1 for a 0-d tensor.
 *
 * @param[in]  th     tensor
 * @param[out] numel  integer
 */
DIOPI_RT_API diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel);

/**
 * Bytes of one element of a tensor.
 *
 * @param[in]  th        tensor
 * @param[out] itemsize  integer
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize);

/**
 * Start of the storage that a tensor views.
 *
 * @param[in]  th           tensor
 * @param[out] pStoragePtr  void
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t th, void** pStoragePtr);

/**
 * Elements between the start of the storage and the first element.
 *
 * @param[in]  th       tensor
 * @param[out] pOffset  integer
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* pOffset);

/**
 * Bytes of the storage that a tensor views.
 *
 * @param[in]  th       tensor
 * @param[out] pNbytes  integer
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* pNbytes);

/**
 * Number of the device on which a tensor lies.
 *
 * @param[in]  th         tensor
 * @param[out] pDevIndex  diopiDeviceIndex_t
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t th,
                                                                    diopiDeviceIndex_t* pDevIndex);

/**
 * Compressed row indices of a sparse CSR tensor, borrowed from it.
 *
 * @param[in]  th            tensor
 * @param[out] crow_indices  tensor
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t th,
                                                                    diopiConstTensorHandle_t* crow_indices);

/**
 * Column indices of a sparse CSR tensor, borrowed from it.
 *
 * @param[in]  th           tensor
 * @param[out] col_indices  tensor
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t th,
                                                                   diopiConstTensorHandle_t* col_indices);

/**
 * Values of a sparse CSR tensor, borrowed from it.
 *
 * @param[in]  th      tensor
 * @param[out] values  tensor
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t th,
                                                               diopiConstTensorHandle_t* values);

/**
 * Whether a tensor is sparse.
 *
 * @param[in]  th         tensor
 * @param[out] is_sparse  flag
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t th, bool* is_sparse);

/**
 * Number of the calling thread's current device.
 *
 * @param[out] pDevIndex  diopiDeviceIndex_t
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* pDevIndex);

/**
 * Stream on which a call with this context runs.
 *
 * @param[in]  ctx     context of the call
 * @param[out] stream  diopiStreamHandle_t
 */
DIOPI_RT_API diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream);

/**
 * New tensor of a shape, owned by the context, contents not initialised.
 *
 * @param[in]  ctx     context of the call
 * @param[out] tensor  created by the callee
 * @param[in]  size    list of integers
 * @param[in]  stride  null: contiguous
 * @param[in]  dtype   diopiDtype_t
 * @param[in]  device  diopiDevice_t
 */
DIOPI_RT_API diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                             const diopiSize_t* size, const diopiSize_t* stride,
                                             const diopiDtype_t dtype, const diopiDevice_t device);

/**
 * New one-dimensional uint8 tensor of num_bytes bytes, owned by the context.
 *
 * @param[in]  ctx        context of the call
 * @param[out] tensor     created by the callee
 * @param[in]  num_bytes  integer
 * @param[in]  device     diopiDevice_t
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                                             int64_t num_bytes, diopiDevice_t device);

/**
 * Copy of a generator's state as a new tensor, owned by the context.
 *
 * @param[in]  ctx   context of the call
 * @param[in]  th    generator
 * @param[out] data  created by the callee
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorGetState(diopiContextHandle_t ctx,
                                                                 diopiConstGeneratorHandle_t th,
                                                                 diopiTensorHandle_t* data);

/**
 * Restores a generator from a state of diopiGeneratorGetState.
 *
 * @param[in,out] th     generator
 * @param[in]     state  tensor
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorSetState(diopiGeneratorHandle_t th,
                                                                 diopiConstTensorHandle_t state);

/**
 * Seed and offset from which a generator continues.
 *
 * @param[in]  th         read only, although the handle is not const
 * @param[out] ptrSeed    integer
 * @param[out] ptrOffset  integer
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t* ptrSeed,
                                                                         uint64_t* ptrOffset);

/**
 * Sets the seed and offset from which a generator continues.
 *
 * @param[in,out] th      generator
 * @param[in]     seed    integer
 * @param[in]     offset  integer
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t seed,
                                                                         uint64_t offset);

/**
 * Opens a profiling record with a name.
 *
 * @param[in]  record_name  string
 * @param[out] record       receives the record, to be closed by diopiRecordEnd
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiRecordStart(const char* record_name, void** record);

/**
 * Closes a profiling record and sets it to null.
 *
 * @param[in,out] record  void
 */
DIOPI_RT_API DIOPI_ATTR_WEAK diopiError_t diopiRecordEnd(void** record);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_DIOPIRT_H_ */
