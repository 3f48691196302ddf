// SPDX-License-Identifier: BSD-3-Clause
// Functions that other code in a process may define: they have the names of library functions, and are in the program,
// so the loader finds them before those of every library. A caller that uses one of them uses the wrong function.
#include <cstdio>
#include <cstdlib>

#define FAKE(name)                                                                           \
  __attribute__((visibility("default"))) void name() {                                       \
    std::fputs("a function of the program was called for a library's: " #name "\n", stderr); \
    std::abort();                                                                            \
  }

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif
extern "C" {
FAKE(GOMP_parallel)
FAKE(GOMP_barrier)
FAKE(GOMP_critical_start)
FAKE(omp_get_max_threads)
FAKE(omp_get_num_threads)
FAKE(omp_get_num_procs)
FAKE(omp_get_thread_num)
FAKE(omp_in_parallel)
FAKE(omp_set_num_threads)
FAKE(dnnl_engine_create)
FAKE(dnnl_memory_create)
FAKE(dnnl_memory_set_data_handle)
FAKE(dnnl_primitive_create)
FAKE(dnnl_primitive_execute)
FAKE(dnnl_stream_create)
FAKE(dnnl_stream_destroy)
FAKE(dnnl_sgemm)
FAKE(cblas_sgemm)
FAKE(cblas_dgemm)
FAKE(dgemm_)
FAKE(openblas_set_num_threads)
FAKE(goto_set_num_threads)
FAKE(clGetPlatformIDs)
}

// C++ names: of oneDNN's templates (typical of its weak exports) and of Highway.
namespace hwy {
__attribute__((visibility("default"))) void* GetChosenTarget() {
  std::fputs("hwy::GetChosenTarget of the program was called\n", stderr);
  std::abort();
}
__attribute__((visibility("default"))) long SupportedTargets() {
  std::fputs("hwy::SupportedTargets of the program was called\n", stderr);
  std::abort();
}
}  // namespace hwy
