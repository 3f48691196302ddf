// SPDX-License-Identifier: BSD-3-Clause
// Where kernels report the first element of a call that a check refuses.
#ifndef IMPL_CUDA_KERNELS_FIRST_BAD_HPP_
#define IMPL_CUDA_KERNELS_FIRST_BAD_HPP_

#include <cstdint>

namespace impl::cuda {

// The upper half of *word is the position of the element and the lower half its value, so the first element is the
// least number, whatever the order of threads. Both are saturated. kNoneBad stands for none.
struct FirstBad {
  unsigned long long* word = nullptr;  // NOLINT(google-runtime-int): the type of CUDA's atomics
  unsigned long long* any = nullptr;   // NOLINT(google-runtime-int): 0 once a call of the stream has reported
};

inline constexpr uint64_t kNoneBad = UINT64_MAX;
inline constexpr int64_t kLastPosition = UINT32_MAX - 1;  // with UINT32_MAX, the value -1 would give kNoneBad

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_FIRST_BAD_HPP_
