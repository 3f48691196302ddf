/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The structures of the DLPack exchange protocol, major version 1, and of its older form without a version, for
 * programs that have no dlpack.h. Names, values and layout are those of the published protocol. A program that includes
 * dlpack.h must include it first; this header then adds nothing.
 */
#ifndef DIOPIRT_DLPACK_H_
#define DIOPIRT_DLPACK_H_

#ifndef DLPACK_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The device of memory. This header omits the values of devices that the runtime does not support. */
typedef enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3, /* host memory that a CUDA device can read */
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLOpaqueHandle = 3,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6
} DLDataTypeCode;

/** `bits` is the size of one number, for complex numbers of both parts; `lanes` is 1 except for vectors. */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;     /* in elements; null: row-major */
  uint64_t byte_offset; /* from `data` to the first element */
} DLTensor;

/** The older form. Its new owner must call `deleter` once; `deleter` may be null. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct {
  uint32_t major; /* for an unknown number only `deleter` may be used */
  uint32_t minor;
} DLPackVersion;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */

#endif /* DIOPIRT_DLPACK_H_ */
