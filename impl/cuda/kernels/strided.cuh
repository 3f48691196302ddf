// SPDX-License-Identifier: BSD-3-Clause
// Loop nests in kernels: from the number of an element to the offset of each operand.
//
// The host cuts a nest into pieces whose numbers and offsets fit 32 bits (engine/pieces.hpp); nearly all tensors are
// one piece. Kernels need no 64-bit divisions and no second version for large tensors. Sources of the host include this
// header, too.
#ifndef IMPL_CUDA_KERNELS_STRIDED_CUH_
#define IMPL_CUDA_KERNELS_STRIDED_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cuda {

// Division of numbers below 2^31 by a constant, as a multiplication and a shift (Granlund and Montgomery, 1994).
struct Divider {
  uint32_t divisor = 1, factor = 1, shift = 0;

  Divider() = default;
  explicit Divider(uint32_t value) : divisor(value) {
    while (uint64_t{1} << shift < value) ++shift;
    factor = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - value)) / value + 1);
  }
  __host__ __device__ uint32_t quotient(uint32_t n) const {
    return (static_cast<uint32_t>(uint64_t{n} * factor >> 32) + n) >> shift;
  }
};

// A loop nest with at most 2^31 - 1 elements. Offsets are in the unit of the nest's strides.
template <int kOperands>
struct Strided {
  uint32_t numel = 1;
  int loops = 0;
  Divider extent[diopi::kMaxDims];  // the innermost first
  int32_t stride[diopi::kMaxDims][kOperands] = {};

  // The offset of each of the first kFirst operands at element `number` of the nest.
  template <int kFirst>
  __host__ __device__ void offsets(uint32_t number, int32_t (&offset)[kFirst]) const {
    static_assert(kFirst <= kOperands, "operands of the nest");
    for (int k = 0; k < kFirst; ++k) offset[k] = 0;
    for (int i = 0; i < loops; ++i) {
      const uint32_t rest = extent[i].quotient(number), index = number - rest * extent[i].divisor;
      for (int k = 0; k < kFirst; ++k) offset[k] += static_cast<int32_t>(index) * stride[i][k];
      number = rest;
    }
  }
  // The same for several elements: each loop is read from the parameters of the kernel once for all of them.
  template <int kFirst, int kCount>
  __host__ __device__ void offsets(const uint32_t (&first)[kCount], int32_t (&offset)[kCount][kFirst]) const {
    static_assert(kFirst <= kOperands, "operands of the nest");
    uint32_t number[kCount];
    for (int j = 0; j < kCount; ++j) {
      number[j] = first[j];
      for (int k = 0; k < kFirst; ++k) offset[j][k] = 0;
    }
    for (int i = 0; i < loops; ++i) {
      const Divider by = extent[i];
      for (int j = 0; j < kCount; ++j) {
        const uint32_t rest = by.quotient(number[j]), index = number[j] - rest * by.divisor;
        for (int k = 0; k < kFirst; ++k) offset[j][k] += static_cast<int32_t>(index) * stride[i][k];
        number[j] = rest;
      }
    }
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_STRIDED_CUH_
