/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a vendor's library supports, and what it computes on the host in place of its device.
 *
 * Every library exports diopiSupports(); a library whose configuration has `fallback` also exports diopiGetFallbacks().
 * These functions are no operators of the contract: find them by name (dlsym, diopirtGetFunction). docs/fallback.md
 * explains fallback.
 */
#ifndef DIOPI_FALLBACK_H_
#define DIOPI_FALLBACK_H_

#include <diopi/diopirt.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The calls of one operator that were computed on the host since the library was loaded. */
typedef struct {
  const char* name;    /* the operator; a static string */
  int64_t absent;      /* calls, because the vendor does not have the operator */
  int64_t unsupported; /* calls, because the vendor does not support a dtype of theirs */
  int64_t configured;  /* calls, because the vendor's configuration says so */
  int64_t asked;       /* calls, because the vendor's function returned diopiForceFallbackToCPU */
  int64_t bytes;       /* copied from and to the device */
  int64_t nanoseconds; /* spent in these calls */
} diopiFallbackRow_t;

/**
 * Stores at most `capacity` rows, in no special order, and returns the number of all rows: one for each operator of
 * which a call has succeeded on the host. `rows` may be null if `capacity` is 0. May be called from any thread.
 */
int64_t diopiGetFallbacks(diopiFallbackRow_t* rows, int64_t capacity);

/** How a library computes an operator. */
typedef enum {
  diopiSupportNone = 0,      /* not at all */
  diopiSupportNative = 1,    /* with a function of the vendor */
  diopiSupportConverted = 2, /* with a function of the vendor, after a conversion of dtypes */
  diopiSupportFallback = 3   /* on the host */
} diopiSupport_t;

/**
 * Says how the library computes `function` if the tensor `parameter` has the dtype `dtype`. A null `parameter` means
 * the first tensor that the function reads, or its first tensor if it reads none. diopiSupportNone is returned, too,
 * for a name that is unknown, for an operator that the library does not have and for a dtype outside of the contract.
 * If DIOPI_FALLBACK=off forbids fallback, the answer is never diopiSupportFallback. The layout of a tensor does not
 * change the answer.
 */
diopiSupport_t diopiSupports(const char* function, const char* parameter, diopiDtype_t dtype);

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FALLBACK_H_ */
