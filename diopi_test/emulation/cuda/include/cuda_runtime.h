// SPDX-License-Identifier: BSD-3-Clause
// Stand-in for CUDA's header: what a kernel's source uses, for a C++ compiler of the host.
#ifndef DIOPI_EMULATION_CUDA_RUNTIME_H_
#define DIOPI_EMULATION_CUDA_RUNTIME_H_

#include <cuda_runtime_api.h>

#define __global__
#define __device__
#define __host__
#define __constant__ const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
// There is no __shared__: DIOPI_SHARED declares an array that the threads of a block share.

#include <diopi_emulation/thread.hpp>
#include <diopi_emulation/warp.hpp>
#include <diopi_emulation/intrinsics.hpp>
#include <diopi_emulation/atomics.hpp>
#include <diopi_emulation/launch.hpp>

#endif  // DIOPI_EMULATION_CUDA_RUNTIME_H_
