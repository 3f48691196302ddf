// SPDX-License-Identifier: BSD-3-Clause
// What every function of the runtime's interface does first and last.
#ifndef DIOPI_TEST_EMULATION_CUDA_API_HPP_
#define DIOPI_TEST_EMULATION_CUDA_API_HPP_

#include <cuda_runtime_api.h>

#include <mutex>
#include <new>

namespace diopi::emulation {

// The number in a variable of the environment, or the other one if it is not set.
long environment_number(const char* name, long otherwise);  // NOLINT(google-runtime-int): as strtol

// Protects everything. Recursive, because a function of the host on a stream may wrongly call the runtime.
std::recursive_mutex& lock();

// The error with which the call must fail: the driver or the device is missing (DIOPI_CUDA_DRIVER, DIOPI_CUDA_DEVICES),
// the call is one that DIOPI_CUDA_FAIL names, or a kernel failed before.
cudaError_t error_before(const char* function);
// Stores the error for cudaGetLastError.
cudaError_t remember(cudaError_t error);
// An error of a kernel: every later call returns it.
void break_device(cudaError_t error);
cudaError_t broken();
void mend_device();
// The error that DIOPI_CUDA_FAIL=function:nth:code orders for this call, if it is the nth of this function.
cudaError_t ordered_failure(const char* function);

template <typename F>
cudaError_t call(const char* function, F&& body) {
  const std::lock_guard<std::recursive_mutex> hold(lock());
  cudaError_t error = error_before(function);
  try {
    if (error == cudaSuccess) error = body();
  } catch (const std::bad_alloc&) {
    error = cudaErrorMemoryAllocation;
  }
  return remember(error);
}

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_API_HPP_
