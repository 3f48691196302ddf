/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The framework's side of the reference runtime, libdiopirt.so.
 *
 * diopirt.h has the functions of a framework that a vendor's library calls. This header has the other functions that a
 * program needs to act as a framework: load a vendor's library, make contexts, tensors and generators, copy data, count
 * live objects.
 *
 * Every function that can fail returns a diopiError_t; diopirtGetLastErrorString() then returns the reason. No function
 * prints or ends the process. If a vendor's library has not registered the callback that a function needs, the function
 * returns that callback's own code (diopiNoRegistered...).
 *
 * Each function states whether a handle is reference counted or owned by the caller. On failure an output handle is set
 * to null. All functions may be called from any thread. A context is best used by one thread at a time, because calls
 * on the same context are serialised.
 */
#ifndef DIOPIRT_HOST_H_
#define DIOPIRT_HOST_H_

#include <diopi/diopi_register.h>
#include <diopi/diopirt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

/**
 * Returns the message of this thread's last failure inside the runtime; empty before the first failure. It is valid
 * until the thread's next failure. The message of an operator is diopiGetLastErrorString() of the vendor's library.
 */
DIOPI_RT_API const char* diopirtGetLastErrorString(void);

/* ---- Vendor libraries ------------------------------------------------------------------------------------------ */

/** A loaded library of a vendor, with the callbacks that it has registered. */
typedef struct diopirtLibrary* diopirtLibraryHandle_t;

/** Any function. Cast it to the type that the contract declares for the symbol. */
typedef void (*diopirtFunction_t)(void);

/**
 * Loads the vendor's library at `path` and calls its initLibrary(). The callbacks that it registers belong to the
 * returned handle, so several vendors can be loaded at the same time. Loading a loaded library again returns the same
 * handle; each load needs its own diopirtUnloadLibrary().
 */
DIOPI_RT_API diopiError_t diopirtLoadLibrary(const char* path, diopirtLibraryHandle_t* library);

/**
 * Undoes one diopirtLoadLibrary(); the last call calls finalizeLibrary(). While contexts or memory of the library are
 * alive, the function fails and changes nothing.
 */
DIOPI_RT_API diopiError_t diopirtUnloadLibrary(diopirtLibraryHandle_t library);

/** Finds a function, such as an operator, by name. Returns diopiNoImplement if the library does not have it. */
DIOPI_RT_API diopiError_t diopirtGetFunction(diopirtLibraryHandle_t library, const char* name,
                                             diopirtFunction_t* function);

/**
 * Returns the vendor's own last error, through the callback that it registered. A null `library` means the callbacks
 * that were registered outside of diopirtLoadLibrary(), by a vendor's library that the program is linked with.
 */
DIOPI_RT_API diopiError_t diopirtGetVendorErrorString(diopirtLibraryHandle_t library, const char** message);

/* ---- Contexts -------------------------------------------------------------------------------------------------- */

/**
 * Makes a context of the vendor of `library`. A null `library` means the callbacks that were registered outside of
 * diopirtLoadLibrary(): a program that is linked with a vendor's library calls initLibrary() itself and passes null.
 * The context's stream is created at its first use.
 */
DIOPI_RT_API diopiError_t diopirtCreateContext(diopirtLibraryHandle_t library, diopiContextHandle_t* ctx);

/**
 * Frees the context, its temporaries and its stream. A tensor that was required through the context and retained by
 * the caller stays alive. Null is allowed. The context is freed even if the stream cannot be destroyed.
 */
DIOPI_RT_API diopiError_t diopirtDestroyContext(diopiContextHandle_t ctx);

/**
 * Releases all tensors and buffers that were required through the context (diopiRequireTensor, diopiRequireBuffer,
 * diopiGeneratorGetState) since the last call; retained tensors stay alive. The memory is kept for later requests of
 * similar size, in the order of the context's stream, so a repeated call allocates no memory.
 */
DIOPI_RT_API diopiError_t diopirtClearTemporaries(diopiContextHandle_t ctx);

/** Returns the memory that the context keeps for reuse to the system. */
DIOPI_RT_API diopiError_t diopirtReleaseCachedMemory(diopiContextHandle_t ctx);

/** Switches the reuse of temporary memory on (the default) or off. Without reuse, memory checkers find more errors. */
DIOPI_RT_API diopiError_t diopirtSetCaching(diopiContextHandle_t ctx, bool enabled);

/** Makes the context use the caller's stream, which the caller still owns. Fails if the context already has a stream.
 */
DIOPI_RT_API diopiError_t diopirtSetStream(diopiContextHandle_t ctx, diopiStreamHandle_t stream);

/** Waits until all work on the context's stream has finished. */
DIOPI_RT_API diopiError_t diopirtSynchronize(diopiContextHandle_t ctx);

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

/**
 * Makes a tensor with its own uninitialised memory and one reference, which the caller owns. A null `stride` means
 * row-major; strides count elements and must not be negative. The tensor may outlive the context.
 */
DIOPI_RT_API diopiError_t diopirtCreateTensor(diopiContextHandle_t ctx, diopiSize_t shape, const diopiSize_t* stride,
                                              diopiDtype_t dtype, diopiDevice_t device, diopiTensorHandle_t* tensor);

/** Called once, when the last tensor on a block of the caller's memory has been freed. */
typedef void (*diopirtReleaseMemory_t)(void* data, void* user_data);

/**
 * Makes a tensor on the caller's memory without copying: `bytes` bytes at `data`. `device` is the device of the tensor;
 * diopi_device is for memory that the vendor can address like its own. `release` may be null.
 */
DIOPI_RT_API diopiError_t diopirtWrapMemory(diopiContextHandle_t ctx, void* data, size_t bytes, diopiSize_t shape,
                                            const diopiSize_t* stride, diopiDtype_t dtype, diopiDevice_t device,
                                            diopirtReleaseMemory_t release, void* user_data,
                                            diopiTensorHandle_t* tensor);

/**
 * Makes a tensor on the storage of `base`. The storage lives as long as any tensor on it. `offset` counts elements from
 * the begin of the storage. All elements must be inside the storage. A null `stride` means row-major.
 */
DIOPI_RT_API diopiError_t diopirtCreateView(diopiConstTensorHandle_t base, diopiSize_t shape, const diopiSize_t* stride,
                                            int64_t offset, diopiTensorHandle_t* view);

/**
 * Makes a tensor of compressed sparse rows. The last dimension of `crow_indices` has one element more than there are
 * rows; dimensions before it are batches; dimensions of `values` after the one that counts elements are dense. All
 * three parts are retained. Their elements are not checked.
 */
DIOPI_RT_API diopiError_t diopirtCreateSparseCsr(diopiTensorHandle_t crow_indices, diopiTensorHandle_t col_indices,
                                                 diopiTensorHandle_t values, diopiSize_t shape,
                                                 diopiTensorHandle_t* tensor);

/** Adds a reference. With it, a tensor that was required through a context outlives the context's temporaries. */
DIOPI_RT_API diopiError_t diopirtRetainTensor(diopiTensorHandle_t tensor);

/** Drops a reference that the caller owns. Dropping the last one frees the tensor. Null is allowed. */
DIOPI_RT_API diopiError_t diopirtReleaseTensor(diopiTensorHandle_t tensor);

/* ---- Exchange with other libraries (DLPack) --------------------------------------------------------------------- */

/* Structures of dlpack.h. Programs without dlpack.h can use diopirt_dlpack.h. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/**
 * Sets the DLPack device of the vendor's memory, for example 2 and 0 for the first CUDA device. The default is the CPU,
 * 1 and 0, which is right for a vendor that computes on the host. A null `library` means the vendor that the program is
 * linked with. Call it before tensors are exchanged.
 */
DIOPI_RT_API diopiError_t diopirtSetDLPackDevice(diopirtLibraryHandle_t library, int32_t device_type,
                                                 int32_t device_id);

/**
 * Makes a tensor on the memory of a DLPack tensor without copying. On success the runtime owns `managed` and calls its
 * deleter once, when the last tensor on the memory has been freed; on failure the caller still owns it. Memory of the
 * vendor's device becomes diopi_device. Memory of the host becomes diopi_host, if the device is not the host. Any other
 * memory is refused; so are negative strides, elements that are not aligned, and dtypes that a tensor cannot have.
 */
DIOPI_RT_API diopiError_t diopirtFromDLPack(diopiContextHandle_t ctx, struct DLManagedTensor* managed,
                                            diopiTensorHandle_t* tensor);

/** diopirtFromDLPack() for the form with a version, which must be 1.x. The tensor keeps the flag "read only". */
DIOPI_RT_API diopiError_t diopirtFromDLPackVersioned(diopiContextHandle_t ctx, struct DLManagedTensorVersioned* managed,
                                                     diopiTensorHandle_t* tensor);

/**
 * Exports a tensor as a DLPack tensor without copying. The result holds a reference to `tensor`, until its new owner
 * calls its deleter. A sparse tensor is refused; so is a read-only one, because the form without a version has no flag
 * for it. The function does not wait for work on a stream: call diopirtSynchronize() first.
 */
DIOPI_RT_API diopiError_t diopirtToDLPack(diopiTensorHandle_t tensor, struct DLManagedTensor** managed);

/** diopirtToDLPack() in the form of DLPack 1.0, with the flag "read only" if the tensor is read-only. */
DIOPI_RT_API diopiError_t diopirtToDLPackVersioned(diopiTensorHandle_t tensor,
                                                   struct DLManagedTensorVersioned** managed);

/**
 * Whether the owner of the memory allows only reads. The functions of this header do not write to such a tensor; the
 * caller must not pass it to an operator as an output.
 */
DIOPI_RT_API diopiError_t diopirtIsTensorReadOnly(diopiConstTensorHandle_t tensor, bool* read_only);

/* ---- Data ------------------------------------------------------------------------------------------------------ */

/**
 * Copies the caller's row-major elements to a tensor of any layout; `bytes` must be numel times the element size. Two
 * elements of the tensor must not share memory. Returns when the data has arrived.
 */
DIOPI_RT_API diopiError_t diopirtCopyFromHost(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, const void* data,
                                              size_t bytes);

/** Copies the elements of a tensor of any layout to the caller's memory, row-major. Returns when they have arrived. */
DIOPI_RT_API diopiError_t diopirtCopyToHost(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, void* data,
                                            size_t bytes);

/** Copies between tensors of one shape and dtype, of any devices and layouts. */
DIOPI_RT_API diopiError_t diopirtCopyTensor(diopiContextHandle_t ctx, diopiTensorHandle_t dst,
                                            diopiConstTensorHandle_t src);

/**
 * Queues a copy between row-major tensors of the device, of one shape and dtype, on the context's stream, and does not
 * wait. Both tensors must live until the stream has done it.
 */
DIOPI_RT_API diopiError_t diopirtQueueCopy(diopiContextHandle_t ctx, diopiTensorHandle_t dst,
                                           diopiConstTensorHandle_t src);

/** Writes `bytes` bytes to the tensor's storage, at `offset` bytes from the begin of the storage. */
DIOPI_RT_API diopiError_t diopirtWriteStorage(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, size_t offset,
                                              const void* data, size_t bytes);

/** Reads `bytes` bytes of the tensor's storage, at `offset` bytes from the begin of the storage. */
DIOPI_RT_API diopiError_t diopirtReadStorage(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, size_t offset,
                                             void* data, size_t bytes);

/* ---- Generators ------------------------------------------------------------------------------------------------ */

/**
 * Makes a generator: a seed and an offset into the Philox 4x32-10 sequence of that seed. The offset is 0 at first. The
 * state tensor is 16 bytes of host memory: seed, then offset. Reading the offset and advancing it are two calls, so
 * threads that share a generator must synchronise these calls themselves.
 */
DIOPI_RT_API diopiError_t diopirtCreateGenerator(uint64_t seed, diopiGeneratorHandle_t* generator);

/** Frees a generator. Null is allowed. */
DIOPI_RT_API diopiError_t diopirtDestroyGenerator(diopiGeneratorHandle_t generator);

/* ---- Records --------------------------------------------------------------------------------------------------- */

/** Called at diopiRecordStart with the record's name. The matching end gets the value that it returns. */
typedef void* (*diopirtRecordStart_t)(const char* name, void* user_data);
typedef void (*diopirtRecordEnd_t)(void* token, void* user_data);

/**
 * Sets the functions that are called at the begin and the end of operator calls. Two null functions (the default)
 * switch the calls off. A record that is open while the hook changes ends with the hook with which it began, so
 * `user_data` must live until then.
 */
DIOPI_RT_API diopiError_t diopirtSetRecordHook(diopirtRecordStart_t start, diopirtRecordEnd_t end, void* user_data);

/* ---- Live objects ---------------------------------------------------------------------------------------------- */

/** Counts for the whole process. */
typedef struct {
  int64_t live_tensors; /* tensors with a reference, including temporaries */
  int64_t live_contexts;
  int64_t live_generators;
  int64_t live_bytes;   /* memory of live tensors, without wrapped memory */
  int64_t cached_bytes; /* memory that contexts keep for reuse */
  int64_t peak_bytes;   /* largest sum of live_bytes and cached_bytes so far */
  int64_t allocations;  /* allocations from the host or a vendor */
} diopirtStatistics_t;

/** Counts for one context. */
typedef struct {
  int64_t requests;         /* tensors and buffers required so far */
  int64_t requested_bytes;  /* sum of their sizes */
  int64_t allocations;      /* requests that needed an allocation */
  int64_t live_temporaries; /* required and not yet cleared */
  int64_t cached_bytes;     /* memory kept for reuse */
} diopirtContextStatistics_t;

DIOPI_RT_API diopiError_t diopirtGetStatistics(diopirtStatistics_t* statistics);
DIOPI_RT_API diopiError_t diopirtGetContextStatistics(diopiContextHandle_t ctx, diopirtContextStatistics_t* statistics);

/**
 * Writes one line for each live tensor (dtype, shape, device, bytes, references, owner) to `text`, and their number to
 * `count`. The text is cut at `capacity` bytes, including the final null. `text` may be null if `capacity` is 0.
 */
DIOPI_RT_API diopiError_t diopirtReportLiveTensors(char* text, size_t capacity, int64_t* count);

#ifdef __cplusplus
}
#endif

#endif /* DIOPIRT_HOST_H_ */
