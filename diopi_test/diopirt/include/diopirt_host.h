/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The framework's side of the reference runtime, libdiopirt.so.
 *
 * diopirt.h is what a vendor's library sees of a framework. This header is what a program that acts as the framework
 * needs besides: load a vendor's library, make contexts, tensors and generators, move data, count what is alive.
 *
 * Every function that can fail returns a diopiError_t; diopirtGetLastErrorString() then says why. No function prints
 * or ends the process. Where a vendor's library has not registered the callback that a function needs, the function
 * returns that callback's own code (diopiNoRegistered...).
 *
 * Handles are reference counted or owned by the caller as stated at each function. On failure an output handle is
 * set to null. All functions may be called from any thread; one context serves one thread at a time best, since calls
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
 * The message of this thread's last failure inside the runtime; empty before the first. Valid until the thread's next
 * failure. What an operator says about its own failure is diopiGetLastErrorString() of the vendor's library.
 */
DIOPI_RT_API const char* diopirtGetLastErrorString(void);

/* ---- Vendor libraries ------------------------------------------------------------------------------------------ */

/** A loaded vendor's library with the callbacks that it has registered. */
typedef struct diopirtLibrary* diopirtLibraryHandle_t;

/** Any function; cast it to the type that the contract gives the symbol. */
typedef void (*diopirtFunction_t)(void);

/**
 * Loads the vendor's library at `path` and calls its initLibrary(). The callbacks that it registers belong to the
 * returned handle, so several vendors can be loaded at once. Loading a loaded library again returns the same handle;
 * each load needs its diopirtUnloadLibrary().
 */
DIOPI_RT_API diopiError_t diopirtLoadLibrary(const char* path, diopirtLibraryHandle_t* library);

/**
 * Undoes one diopirtLoadLibrary(); the last one calls finalizeLibrary(). Fails, and changes nothing, while contexts or
 * memory of the library are alive.
 */
DIOPI_RT_API diopiError_t diopirtUnloadLibrary(diopirtLibraryHandle_t library);

/** Finds a function by name: an operator, say. An absent one is diopiNoImplement. */
DIOPI_RT_API diopiError_t diopirtGetFunction(diopirtLibraryHandle_t library, const char* name,
                                             diopirtFunction_t* function);

/**
 * The vendor's own last error, through the callback that it registered. A null `library` means the callbacks that
 * were registered outside diopirtLoadLibrary(), by a vendor's library that the program is linked with.
 */
DIOPI_RT_API diopiError_t diopirtGetVendorErrorString(diopirtLibraryHandle_t library, const char** message);

/* ---- Contexts -------------------------------------------------------------------------------------------------- */

/**
 * Makes a context on the vendor of `library`. A null `library` means the callbacks that were registered outside
 * diopirtLoadLibrary(): a program that is linked with a vendor's library calls initLibrary() itself and passes null.
 * The context's stream is created when it is first asked for.
 */
DIOPI_RT_API diopiError_t diopirtCreateContext(diopirtLibraryHandle_t library, diopiContextHandle_t* ctx);

/**
 * Frees the context, its temporaries and its stream. A tensor that was required through the context and retained by
 * the caller stays. Null is allowed. The context is gone even where the stream could not be destroyed.
 */
DIOPI_RT_API diopiError_t diopirtDestroyContext(diopiContextHandle_t ctx);

/**
 * Ends the life of everything that was required through the context (diopiRequireTensor, diopiRequireBuffer,
 * diopiGeneratorGetState) since the last call; retained tensors stay. The memory is kept for later requests of
 * similar size, in the order of the context's stream, so that a repeated call does not allocate.
 */
DIOPI_RT_API diopiError_t diopirtClearTemporaries(diopiContextHandle_t ctx);

/** Gives the memory that the context keeps for reuse back to the system. */
DIOPI_RT_API diopiError_t diopirtReleaseCachedMemory(diopiContextHandle_t ctx);

/** Switches the reuse of temporary memory on (as it is at first) or off, which makes memory checkers sharper. */
DIOPI_RT_API diopiError_t diopirtSetCaching(diopiContextHandle_t ctx, bool enabled);

/** Makes the context use the caller's stream, which stays the caller's. Fails once the context has a stream. */
DIOPI_RT_API diopiError_t diopirtSetStream(diopiContextHandle_t ctx, diopiStreamHandle_t stream);

/** Waits for everything that was queued on the context's stream. */
DIOPI_RT_API diopiError_t diopirtSynchronize(diopiContextHandle_t ctx);

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

/**
 * Makes a tensor with uninitialised memory of its own and one reference, which is the caller's. A null `stride` means
 * row-major; strides count elements and are not negative. The tensor may outlive the context.
 */
DIOPI_RT_API diopiError_t diopirtCreateTensor(diopiContextHandle_t ctx, diopiSize_t shape, const diopiSize_t* stride,
                                              diopiDtype_t dtype, diopiDevice_t device, diopiTensorHandle_t* tensor);

/** Called once when the last tensor on a piece of the caller's memory is gone. */
typedef void (*diopirtReleaseMemory_t)(void* data, void* user_data);

/**
 * Makes a tensor on the caller's memory without copying: `bytes` bytes at `data`. `device` says what the tensor calls
 * itself; diopi_device is for memory that the vendor can address as its own. `release` may be null.
 */
DIOPI_RT_API diopiError_t diopirtWrapMemory(diopiContextHandle_t ctx, void* data, size_t bytes, diopiSize_t shape,
                                            const diopiSize_t* stride, diopiDtype_t dtype, diopiDevice_t device,
                                            diopirtReleaseMemory_t release, void* user_data,
                                            diopiTensorHandle_t* tensor);

/**
 * Makes a tensor on the storage of `base`, which lives as long as any tensor on it. `offset` counts elements from the
 * start of the storage; sizes, strides and offset must stay inside it. A null `stride` means row-major.
 */
DIOPI_RT_API diopiError_t diopirtCreateView(diopiConstTensorHandle_t base, diopiSize_t shape, const diopiSize_t* stride,
                                            int64_t offset, diopiTensorHandle_t* view);

/**
 * Makes a compressed-sparse-row tensor. The last dimension of `crow_indices` has one element more than there are rows;
 * dimensions before it are batches; dimensions of `values` after its count of elements are dense. All three parts are
 * retained. Their numbers are not looked at.
 */
DIOPI_RT_API diopiError_t diopirtCreateSparseCsr(diopiTensorHandle_t crow_indices, diopiTensorHandle_t col_indices,
                                                 diopiTensorHandle_t values, diopiSize_t shape,
                                                 diopiTensorHandle_t* tensor);

/** Adds a reference; also how a tensor required through a context outlives the context's temporaries. */
DIOPI_RT_API diopiError_t diopirtRetainTensor(diopiTensorHandle_t tensor);

/** Drops a reference of the caller's; the last one frees the tensor. Null is allowed. */
DIOPI_RT_API diopiError_t diopirtReleaseTensor(diopiTensorHandle_t tensor);

/* ---- Exchange with other libraries (DLPack) --------------------------------------------------------------------- */

/* The structures of dlpack.h; diopirt_dlpack.h has them for programs that have no dlpack.h of their own. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/**
 * Says what DLPack calls the vendor's device, as 2 and 0 for the first CUDA device. At first it is the CPU, 1 and 0,
 * which is right for a vendor that computes on the host. A null `library` means the vendor that the program is linked
 * with. Set it before tensors are exchanged.
 */
DIOPI_RT_API diopiError_t diopirtSetDLPackDevice(diopirtLibraryHandle_t library, int32_t device_type,
                                                 int32_t device_id);

/**
 * Makes a tensor on the memory of a DLPack tensor without copying. On success the runtime has taken `managed` over and
 * calls its deleter once, when the last tensor on the memory is gone; on failure it stays the caller's. Memory of the
 * vendor's device becomes diopi_device, memory of the host diopi_host where the two are not the same, any other is
 * refused; so are negative strides, elements that are not aligned, and dtypes that a tensor cannot have.
 */
DIOPI_RT_API diopiError_t diopirtFromDLPack(diopiContextHandle_t ctx, struct DLManagedTensor* managed,
                                            diopiTensorHandle_t* tensor);

/** The same for the form with a version, of which 1.x is understood. Its flag "read only" is kept with the tensor. */
DIOPI_RT_API diopiError_t diopirtFromDLPackVersioned(diopiContextHandle_t ctx, struct DLManagedTensorVersioned* managed,
                                                     diopiTensorHandle_t* tensor);

/**
 * Shows a tensor as a DLPack tensor without copying. The result holds a reference of `tensor`, which the one who takes
 * the result over gives back through its deleter. A sparse tensor is refused; so is a read-only one, of which the form
 * without a version cannot speak. What was queued on a stream is not waited for: diopirtSynchronize().
 */
DIOPI_RT_API diopiError_t diopirtToDLPack(diopiTensorHandle_t tensor, struct DLManagedTensor** managed);

/** The same as DLPack 1.0, with the flag "read only" where it holds. */
DIOPI_RT_API diopiError_t diopirtToDLPackVersioned(diopiTensorHandle_t tensor,
                                                   struct DLManagedTensorVersioned** managed);

/**
 * Whether the memory was lent for reading only. The functions of this header do not write to such a tensor; that no
 * operator gets it as an output is up to the caller.
 */
DIOPI_RT_API diopiError_t diopirtIsTensorReadOnly(diopiConstTensorHandle_t tensor, bool* read_only);

/* ---- Data ------------------------------------------------------------------------------------------------------ */

/**
 * Fills a tensor of any layout from the caller's row-major elements; `bytes` must be numel times the element size.
 * Two elements of the tensor must not share memory. Returns when the data is there.
 */
DIOPI_RT_API diopiError_t diopirtCopyFromHost(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, const void* data,
                                              size_t bytes);

/** Writes the elements of a tensor of any layout to the caller's memory, row-major. Returns when they are there. */
DIOPI_RT_API diopiError_t diopirtCopyToHost(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, void* data,
                                            size_t bytes);

/** Copies between tensors of one shape and dtype, whatever their devices and layouts. */
DIOPI_RT_API diopiError_t diopirtCopyTensor(diopiContextHandle_t ctx, diopiTensorHandle_t dst,
                                            diopiConstTensorHandle_t src);

/** Writes `bytes` bytes to the tensor's storage, `offset` bytes from the start of the storage. */
DIOPI_RT_API diopiError_t diopirtWriteStorage(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, size_t offset,
                                              const void* data, size_t bytes);

/** Reads `bytes` bytes of the tensor's storage, `offset` bytes from the start of the storage. */
DIOPI_RT_API diopiError_t diopirtReadStorage(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, size_t offset,
                                             void* data, size_t bytes);

/* ---- Generators ------------------------------------------------------------------------------------------------ */

/**
 * Makes a generator: a seed and an offset into the Philox 4x32-10 sequence of that seed, which starts at 0. Its state
 * tensor is 16 bytes of host memory: seed, then offset. Reading and then advancing are two calls: threads that share
 * a generator must take turns themselves.
 */
DIOPI_RT_API diopiError_t diopirtCreateGenerator(uint64_t seed, diopiGeneratorHandle_t* generator);

/** Null is allowed. */
DIOPI_RT_API diopiError_t diopirtDestroyGenerator(diopiGeneratorHandle_t generator);

/* ---- Records --------------------------------------------------------------------------------------------------- */

/** Called at diopiRecordStart with the record's name; what it returns is handed to the matching end. */
typedef void* (*diopirtRecordStart_t)(const char* name, void* user_data);
typedef void (*diopirtRecordEnd_t)(void* token, void* user_data);

/**
 * Switches the bracketing of operator calls on, or off where both functions are null (as it is at first). A record
 * that is open while the hook changes ends with the hook that it began with, so `user_data` must outlive that.
 */
DIOPI_RT_API diopiError_t diopirtSetRecordHook(diopirtRecordStart_t start, diopirtRecordEnd_t end, void* user_data);

/* ---- What is alive --------------------------------------------------------------------------------------------- */

/** Counts for the whole process. */
typedef struct {
  int64_t live_tensors; /* tensors with a reference, temporaries included */
  int64_t live_contexts;
  int64_t live_generators;
  int64_t live_bytes;   /* memory that live tensors hold; wrapped memory does not count */
  int64_t cached_bytes; /* memory that contexts keep for reuse */
  int64_t peak_bytes;   /* largest sum of the two so far */
  int64_t allocations;  /* times that memory was obtained from the host or a vendor */
} diopirtStatistics_t;

/** Counts for one context. */
typedef struct {
  int64_t requests;         /* tensors and buffers required so far */
  int64_t requested_bytes;  /* their sizes, added up */
  int64_t allocations;      /* requests for which memory had to be obtained */
  int64_t live_temporaries; /* required and not yet cleared */
  int64_t cached_bytes;     /* memory kept for reuse */
} diopirtContextStatistics_t;

DIOPI_RT_API diopiError_t diopirtGetStatistics(diopirtStatistics_t* statistics);
DIOPI_RT_API diopiError_t diopirtGetContextStatistics(diopiContextHandle_t ctx, diopirtContextStatistics_t* statistics);

/**
 * Writes one line for each live tensor (dtype, shape, device, bytes, references, who holds it) into `text`, cut at
 * `capacity` bytes with the closing null, and their number to `count`. `text` may be null where `capacity` is 0.
 */
DIOPI_RT_API diopiError_t diopirtReportLiveTensors(char* text, size_t capacity, int64_t* count);

#ifdef __cplusplus
}
#endif

#endif /* DIOPIRT_HOST_H_ */
