/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library to preload. It records every allocation and every lock between watch() and unwatch(). It keeps the
 * addresses of the callers, from which a test finds their libraries.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { kMost = 1024, kFrames = 12 };

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static atomic_int watching, used;
static void* callers[kMost][kFrames]; /* innermost first; null behind the last */
static char kinds[kMost];             /* m: memory, l: lock */
static __thread int inside;

/* The first call of backtrace() loads a library, so it is made here. */
__attribute__((constructor)) static void prepare(void) {
  void* frames[2];
  backtrace(frames, 2);
}

static void note(char kind) {
  if (!atomic_load_explicit(&watching, memory_order_relaxed) || inside) return;
  inside = 1;
  const int i = atomic_fetch_add(&used, 1);
  if (i < kMost) {
    for (int frame = backtrace(callers[i], kFrames); frame < kFrames; ++frame) callers[i][frame] = NULL;
    kinds[i] = kind;
  }
  inside = 0;
}

void* malloc(size_t size) {
  note('m');
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  note('m');
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  note('m');
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  note('m');
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  note('m');
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? 12 : 0;
}

/* All forms of operator new. They throw no exceptions, because a test does not run out of memory. */
void* _Znwm(size_t size) {
  note('m');
  return __libc_malloc(size);
}
void* _Znam(size_t size) {
  note('m');
  return __libc_malloc(size);
}
void* _ZnwmSt11align_val_t(size_t size, size_t alignment) {
  note('m');
  return __libc_memalign(alignment, size);
}
void* _ZnamSt11align_val_t(size_t size, size_t alignment) {
  note('m');
  return __libc_memalign(alignment, size);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*lock)(pthread_mutex_t*);
  note('l');
  if (lock == NULL) lock = (int (*)(pthread_mutex_t*))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  return lock(mutex);
}

void watch(void) {
  atomic_store(&used, 0);
  atomic_store(&watching, 1);
}

/* Returns the number of events. `what` becomes their kinds, and `addresses` their callers, `frames` for each event. */
int unwatch(void*** addresses, char** what, int* frames) {
  atomic_store(&watching, 0);
  *addresses = &callers[0][0];
  *what = kinds;
  *frames = kFrames;
  const int count = atomic_load(&used);
  return count < kMost ? count : kMost;
}
