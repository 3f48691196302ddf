// SPDX-License-Identifier: BSD-3-Clause
#ifndef DIOPI_TEST_UNIT_EMULATION_KERNELS_RIGHT_HPP_
#define DIOPI_TEST_UNIT_EMULATION_KERNELS_RIGHT_HPP_

#include <cuda_runtime.h>

#include <cstdint>

cudaError_t run_add_scaled(float* out, const float* a, const float* b, float scale, int64_t count, cudaStream_t stream);
cudaError_t run_copy_vectors(float* out, const float* in, int64_t count, cudaStream_t stream);
cudaError_t run_variance_rows(float* out, const float* in, int rows, int64_t length, cudaStream_t stream);
cudaError_t run_transpose(float* out, const float* in, int rows, int columns, cudaStream_t stream);
cudaError_t run_find_positive(int* positions, int* count, const float* in, int length, cudaStream_t stream);
cudaError_t run_sort_block(float* data, int count, cudaStream_t stream);
cudaError_t run_count_values(int* histogram, const int* in, int length, cudaStream_t stream);
cudaError_t run_add_halves(uint16_t* sum, const uint16_t* in, int length, cudaStream_t stream);

#endif  // DIOPI_TEST_UNIT_EMULATION_KERNELS_RIGHT_HPP_
