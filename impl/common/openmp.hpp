// SPDX-License-Identifier: BSD-3-Clause
// What the project uses of libgomp, the OpenMP library of GCC, oneDNN and OpenBLAS. Declared here rather than taken
// from omp.h and `#pragma omp`, so that every compiler builds for this one library and the process has one pool of
// threads.
#pragma once

extern "C" {
int omp_get_max_threads(void) noexcept;
int omp_get_num_threads(void) noexcept;
int omp_get_thread_num(void) noexcept;
int omp_in_parallel(void) noexcept;
void omp_set_num_threads(int count) noexcept;

// Calls `run(data)` on each of `threads` threads and waits for all: what GCC makes of `#pragma omp parallel`.
void GOMP_parallel(void (*run)(void* data), void* data, unsigned threads, unsigned flags);
}
