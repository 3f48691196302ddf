/* SPDX-License-Identifier: BSD-3-Clause */
/* The begin of a generated file. After it, runtime.py writes a function for each function of diopirt.h. */
#include <diopi/diopirt.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { kCapacity = 1 << 16 };

static struct {
  int armed;
  int64_t fail_at; /* number of the call that fails, counted from 1; 0: none */
  diopiError_t code;
  int64_t calls;
  uint8_t functions[kCapacity]; /* the number of the function of each call */
} watch;

/* Greater than 0 inside a call: the runtime calls its own functions too, which must not count. */
static _Thread_local int inside;

static void* real_runtime;

int failing_runtime_open(const char* path) {
  real_runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return real_runtime != NULL;
}

void failing_runtime_arm(int64_t fail_at, int code) {
  watch.fail_at = fail_at;
  watch.code = (diopiError_t)code;
  watch.calls = 0;
  watch.armed = 1;
}

/* Returns the number of calls since failing_runtime_arm(), and the functions that were called. */
int64_t failing_runtime_disarm(const uint8_t** functions) {
  watch.armed = 0;
  *functions = watch.functions;
  return watch.calls < kCapacity ? watch.calls : kCapacity;
}

/* Records the call of a function and returns whether it must fail. */
static int fails(int function) {
  if (!watch.armed || inside > 0) return 0;
  const int64_t call = __atomic_add_fetch(&watch.calls, 1, __ATOMIC_RELAXED);
  if (call <= kCapacity) watch.functions[call - 1] = (uint8_t)function;
  return call == watch.fail_at;
}

#define FORWARD(number, name, arguments)                         \
  static __typeof__(&name) real = NULL;                          \
  if (real == NULL) *(void**)&real = dlsym(real_runtime, #name); \
  if (fails(number)) return watch.code;                          \
  ++inside;                                                      \
  const diopiError_t result = real arguments;                    \
  --inside;                                                      \
  return result;
