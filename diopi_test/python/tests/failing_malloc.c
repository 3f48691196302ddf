/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to preload. After failing_malloc_arm(n, 0) the n-th allocation of the process fails. After
 * failing_malloc_arm(0, bytes) each allocation fails that would raise the memory in use since then above `bytes`. */
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* memory);

static int64_t fail_at, limit, calls, used, failures;
static int armed;

void failing_malloc_arm(int64_t n, int64_t bytes) {
  fail_at = n;
  limit = bytes;
  calls = used = failures = 0;
  __atomic_store_n(&armed, 1, __ATOMIC_SEQ_CST);
}

/* Returns the number of allocations that failed since failing_malloc_arm(). */
int64_t failing_malloc_disarm(void) {
  __atomic_store_n(&armed, 0, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&failures, __ATOMIC_SEQ_CST);
}

static int fails(size_t size) {
  if (!__atomic_load_n(&armed, __ATOMIC_SEQ_CST)) return 0;
  const int64_t call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  const int64_t needed = __atomic_load_n(&used, __ATOMIC_SEQ_CST) + (int64_t)size;
  if (call != fail_at && (fail_at != 0 || needed <= limit)) return 0;
  __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
  errno = ENOMEM;
  return 1;
}

static void* counted(void* memory) {
  if (memory != NULL) __atomic_add_fetch(&used, (int64_t)malloc_usable_size(memory), __ATOMIC_SEQ_CST);
  return memory;
}

void free(void* memory) {
  if (memory != NULL) __atomic_sub_fetch(&used, (int64_t)malloc_usable_size(memory), __ATOMIC_SEQ_CST);
  __libc_free(memory);
}
void* malloc(size_t size) { return fails(size) ? NULL : counted(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return fails(count * size) ? NULL : counted(__libc_calloc(count, size)); }
void* realloc(void* memory, size_t size) {
  const int64_t before = memory != NULL ? (int64_t)malloc_usable_size(memory) : 0;
  if (fails(size)) return NULL;
  __atomic_sub_fetch(&used, before, __ATOMIC_SEQ_CST);
  return counted(__libc_realloc(memory, size));
}
void* memalign(size_t alignment, size_t size) { return fails(size) ? NULL : counted(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory != NULL ? 0 : ENOMEM;
}
