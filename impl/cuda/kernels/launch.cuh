// SPDX-License-Identifier: BSD-3-Clause
// What every kernel source includes: one vocabulary for nvcc and for the emulation on the CPU, which g++ compiles.
//
//   DIOPI_SHARED(float, tile, [32][33]);        // __shared__ float tile[32][33];
//   DIOPI_DYNAMIC_SHARED(float, rows);          // the bytes that the launch asks for
//   launch(kernel, grid, block, shared bytes, stream, arguments...)
#ifndef IMPL_CUDA_KERNELS_LAUNCH_CUH_
#define IMPL_CUDA_KERNELS_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace impl::cuda {

#if !defined(__CUDACC__) && !defined(DIOPI_EMULATED_KERNELS)
#error "only sources of kernels (*.cu) include launch.cuh: neither nvcc nor the emulation compiles this one"
#endif

#ifdef __CUDACC__
#define DIOPI_SHARED(type, name, ...) __shared__ type name __VA_ARGS__
#define DIOPI_DYNAMIC_SHARED(type, name)                                \
  extern __shared__ __align__(16) unsigned char diopi_dynamic_shared[]; \
  type* const name = reinterpret_cast<type*>(diopi_dynamic_shared)

// Arguments are converted to the parameters of the kernel, as in a call.
template <typename... P, typename... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... args);

#else

using diopi::emulation::launch;

#endif

// Arrays of a thread stay in registers only if all loops over them are unrolled: an index that is not constant needs
// local memory.
#ifdef __CUDACC__
#define DIOPI_UNROLL _Pragma("unroll")
#define DIOPI_PRAGMA(text) _Pragma(#text)
#define DIOPI_UNROLL_BY(count) DIOPI_PRAGMA(unroll count)
#else
#define DIOPI_UNROLL
#define DIOPI_UNROLL_BY(count)
#endif

// Threads of a block in kernels whose threads do not communicate.
inline constexpr int kBlock = 256;

// The blocks of one thread for each of `count` items, which are at most 2^31.
inline dim3 blocks_for(int64_t count, int threads = kBlock) {
  return dim3(static_cast<unsigned>((count + threads - 1) / threads));
}

// The item of the calling thread.
__device__ inline int64_t thread_item() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

#ifdef __CUDACC__

// cudaLaunchKernel returns the error of this launch; cudaGetLastError() after <<<>>> could return the error of an
// earlier call, also of other libraries.
template <typename... P, typename... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... args) {
  const auto queue = [&](P... values) {
    void* addresses[sizeof...(P) + 1] = {&values...};
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, addresses, shared, stream);
  };
  return queue(static_cast<P>(args)...);
}

#endif

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LAUNCH_CUH_
