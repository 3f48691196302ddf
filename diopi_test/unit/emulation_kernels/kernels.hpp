// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the kinds that the vendor cuda has, for the tests of the emulation. Each can be run with a planted error.
#ifndef DIOPI_TEST_UNIT_EMULATION_KERNELS_KERNELS_HPP_
#define DIOPI_TEST_UNIT_EMULATION_KERNELS_KERNELS_HPP_

#include <cuda_runtime.h>

#include <cstdint>

enum class Planted {
  kNothing,
  kBeyondTheEnd,          // the guard of the last element is off by one
  kNoBarrierBeforeRead,   // shared memory is read before other warps have written it
  kNoBarrierBeforeReuse,  // shared memory is written again before all have read it
  kBarrierOfSome,         // only some threads take part in a reduction of the block
  kTwoBarriers,           // the threads of a block wait at two different lines
  kPlainSumOfBlocks,      // blocks add to one number without an atomic
  kNoBarrierInWarp,       // the threads of a warp are taken to run in step
  kBeyondSharedArray,     // a shared array is read past its end
  kPlainHistogram,        // threads add to one number without an atomic
  kNoBarrierAfterTile,    // a tile is overwritten while others read it
  kBeyondTheRow,          // an index is past the row of a tile, and inside the tile
  kLanesHaveLeft,         // a vote asks lanes that have returned
  kIndexOf32Bits,         // an offset is computed in 32 bits
};

cudaError_t run_add_scaled(float* out, const float* a, const float* b, float scale, int64_t count, cudaStream_t stream,
                           Planted planted = Planted::kNothing);
cudaError_t run_copy_vectors(float* out, const float* in, int64_t count, cudaStream_t stream);
cudaError_t run_variance_rows(float* out, const float* in, int rows, int64_t length, cudaStream_t stream,
                              Planted planted = Planted::kNothing);
cudaError_t run_sum_all(float* out, const float* in, int64_t length, cudaStream_t stream,
                        Planted planted = Planted::kNothing);
cudaError_t run_transpose(float* out, const float* in, int rows, int columns, cudaStream_t stream);
cudaError_t run_multiply(float* out, const float* a, const float* b, int size, cudaStream_t stream,
                         Planted planted = Planted::kNothing);
cudaError_t run_find_positive(int* positions, int* count, const float* in, int length, cudaStream_t stream,
                              Planted planted = Planted::kNothing);
cudaError_t run_sort_block(float* data, int count, cudaStream_t stream, Planted planted = Planted::kNothing);
cudaError_t run_count_values(int* histogram, const int* in, int length, cudaStream_t stream,
                             Planted planted = Planted::kNothing);
cudaError_t run_add_halves(uint16_t* sum, const uint16_t* in, int length, cudaStream_t stream);
// Writes the blocks in the order in which they run.
cudaError_t run_record_blocks(int* blocks, int* count, int grid, cudaStream_t stream);
// Writes one number to each row; rows are stride elements apart.
cudaError_t run_fill_column(uint8_t* out, int rows, int stride, cudaStream_t stream,
                            Planted planted = Planted::kNothing);

#endif  // DIOPI_TEST_UNIT_EMULATION_KERNELS_KERNELS_HPP_
