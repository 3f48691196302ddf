// SPDX-License-Identifier: BSD-3-Clause
#ifndef DIOPI_TEST_UNIT_EMULATION_KERNELS_FUNCTIONS_HPP_
#define DIOPI_TEST_UNIT_EMULATION_KERNELS_FUNCTIONS_HPP_

#include <cuda_runtime.h>

cudaError_t run_warp_functions(int* out);  // 16 rows of 32 numbers
cudaError_t run_barriers(int* out);        // 4 rows of 96 numbers
cudaError_t run_atomics(int* signed_words, unsigned* words, unsigned long long* wide, double* real);  // by 192 threads
cudaError_t run_trap(int thread, cudaStream_t stream);  // a thread that does not exist: no trap
cudaError_t run_dynamic_shared(size_t bytes, cudaStream_t stream);
cudaError_t allow_dynamic_shared(int bytes);
cudaError_t run_fresh_shared(float* out);                        // 64 numbers
cudaError_t run_with_list(const float* const* rows, int count);  // up to four addresses in one argument
// Running sums of n weights by a block, as the vendor cuda computes them.
cudaError_t run_running_sums(double* sums, const double* weights, int n);

#endif  // DIOPI_TEST_UNIT_EMULATION_KERNELS_FUNCTIONS_HPP_
