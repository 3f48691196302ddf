/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment of the private copies of OpenMP's library and of OpenBLAS.
 *
 * These copies are linked with this library before the C library. When they are loaded, they use `getenv` (GCC's OpenMP
 * from 13 on: `environ`) of this library, once. So this library can give them settings, and does not change the
 * environment of the process, which could race with threads that read it.
 *
 *   OMP_NUM_THREADS    the value of DIOPI_NUM_THREADS, if that is set and not empty
 *   GOMP_SPINCOUNT     the number of spins that take kSpinNanoseconds, unless the user has set it or OMP_WAIT_POLICY
 *   OPENBLAS_CORETYPE  kernels for AVX-512 or AVX2 on a processor of Intel, unless the user has set it. On processors
 *                      that OpenBLAS does not know it takes kernels for SSE3, and complex products take up to 6 times
 *                      as long
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * The time for which a thread of the pool without work waits actively. By default GCC's library waits for milliseconds.
 * In that time the pool of another library on the same cores makes little progress. The caller also makes little
 * progress if a thread of its own team waits for its core: then a call takes about twice the waiting time. The chosen
 * time covers what a program does between two operators; waking a thread takes longer.
 */
enum { kSpinNanoseconds = 25000, kProbes = 256, kTries = 5, kMaxAdded = 3 };

char* getenv(const char* name);
char** environ;

static char spin_count[40] = "GOMP_SPINCOUNT=";
static char num_threads[64] = "OMP_NUM_THREADS=";

static const char* find(char* const* variables, const char* name) {
  const size_t length = strlen(name);
  for (; *variables != NULL; ++variables) {
    if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=') return *variables + length + 1;
  }
  return NULL;
}

static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Measures kProbes rounds of the waiting loop: each tests a flag and pauses, which takes 1 to 40 nanoseconds. */
static long long time_of_probes(void) {
  volatile int flag = 0;
  const long long start = nanoseconds();
  for (int i = 0; i < kProbes && flag == 0; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return nanoseconds() - start;
}

/* Returns the number of rounds in `limit` nanoseconds, from the shortest of several tries. */
static long long spins_in(long long limit) {
  long long taken = time_of_probes();
  for (int i = 1; i < kTries; ++i) {
    const long long again = time_of_probes();
    if (again < taken) taken = again;
  }
  return limit * kProbes / (taken > 0 ? taken : 1);
}

/* The OPENBLAS_CORETYPE for this processor; NULL to let OpenBLAS choose. */
static char* core_type(void) {
#if defined(__x86_64__)
  static char skylake[] = "OPENBLAS_CORETYPE=SkylakeX", haswell[] = "OPENBLAS_CORETYPE=Haswell";
  __builtin_cpu_init();
  if (!__builtin_cpu_is("intel")) return NULL;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd")) {
    return skylake;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return haswell;
#endif
  return NULL;
}

__attribute__((constructor)) static void look_around(int argc, char** argv, char** variables) {
  (void)argc;
  (void)argv;
  size_t count = 0;
  while (variables[count] != NULL) ++count;
  char** const mine = malloc((count + kMaxAdded + 1) * sizeof(*mine)); /* never freed */
  environ = variables;
  if (mine == NULL) return;
  size_t used = 0;
  const char* threads = find(variables, "DIOPI_NUM_THREADS"); /* num_threads.cpp has checked its value */
  if (threads != NULL && *threads == '\0') threads = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (threads == NULL || strncmp(variables[i], num_threads, strlen("OMP_NUM_THREADS=")) != 0) {
      mine[used++] = variables[i];
    }
  }
  if (threads != NULL) {
    strncat(num_threads, threads, sizeof(num_threads) - strlen(num_threads) - 1);
    mine[used++] = num_threads;
  }
  if (find(variables, "GOMP_SPINCOUNT") == NULL && find(variables, "OMP_WAIT_POLICY") == NULL) {
    const size_t length = strlen(spin_count);
    snprintf(spin_count + length, sizeof(spin_count) - length, "%lld", spins_in(kSpinNanoseconds));
    mine[used++] = spin_count;
  }
  char* const core = find(variables, "OPENBLAS_CORETYPE") == NULL ? core_type() : NULL;
  if (core != NULL) mine[used++] = core;
  mine[used] = NULL;
  environ = mine;
}

char* getenv(const char* name) { return (char*)find(environ, name); }
