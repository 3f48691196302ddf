// SPDX-License-Identifier: BSD-3-Clause
// The functions of libgomp (the OpenMP library of GCC, oneDNN and OpenBLAS) that the project uses. They are declared
// here, without omp.h and `#pragma omp`, so that every compiler uses this one library and the process has one pool of
// threads.
#ifndef IMPL_COMMON_OPENMP_HPP_
#define IMPL_COMMON_OPENMP_HPP_

extern "C" {
int omp_get_max_threads(void) noexcept;
int omp_get_num_threads(void) noexcept;
int omp_get_thread_num(void) noexcept;
int omp_in_parallel(void) noexcept;
void omp_set_num_threads(int count) noexcept;

// Calls `run(data)` on each of `threads` threads and waits for all of them. GCC compiles `#pragma omp parallel` to this
// call.
void GOMP_parallel(void (*run)(void* data), void* data, unsigned threads, unsigned flags);
}

#endif  // IMPL_COMMON_OPENMP_HPP_
