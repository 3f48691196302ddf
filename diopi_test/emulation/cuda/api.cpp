// SPDX-License-Identifier: BSD-3-Clause
#include "api.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "stream.hpp"

namespace diopi::emulation {

namespace {

constexpr int kDriverVersion = CUDART_VERSION;

cudaError_t broken_by = cudaSuccess;
thread_local cudaError_t last_error = cudaSuccess;

int driver_version() { return static_cast<int>(environment_number("DIOPI_CUDA_DRIVER", kDriverVersion)); }

// As on a chip, CUDA_VISIBLE_DEVICES lists the devices that the process may use, up to the first index that is wrong.
int device_count() {
  const long all = environment_number("DIOPI_CUDA_DEVICES", 1);
  const char* rest = std::getenv("CUDA_VISIBLE_DEVICES");
  if (rest == nullptr) return static_cast<int>(all);
  int visible = 0;
  for (char* end = nullptr;; ++visible, rest = end + 1) {
    const long index = std::strtol(rest, &end, 10);
    if (end == rest || index < 0 || index >= all) return visible;
    if (*end != ',') return visible + 1;
  }
}

// These errors of a kernel leave the process without a usable device.
bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
      return true;
    default:
      return false;
  }
}

cudaError_t driver_error() {
  if (driver_version() < kDriverVersion) return cudaErrorInsufficientDriver;
  return device_count() > 0 ? cudaSuccess : cudaErrorNoDevice;
}

}  // namespace

long environment_number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtol(text, nullptr, 10) : otherwise;
}

std::recursive_mutex& lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

cudaError_t ordered_failure(const char* function) {
  const char* const order = std::getenv("DIOPI_CUDA_FAIL");
  if (order == nullptr) return cudaSuccess;
  static std::string known;
  static int calls = 0;
  if (known != order) known = order, calls = 0;
  char name[64];
  int nth = 0, code = 0;
  if (std::sscanf(order, "%63[^:]:%d:%d", name, &nth, &code) != 3) {
    std::fprintf(stderr, "DIOPI_CUDA_FAIL is '%s'; expected function:nth:code\n", order);
    std::abort();
  }
  if (std::strcmp(name, function) != 0 || ++calls != nth) return cudaSuccess;
  return static_cast<cudaError_t>(code);
}

cudaError_t error_before(const char* function) {
  if (const cudaError_t error = driver_error(); error != cudaSuccess) return error;
  if (broken_by != cudaSuccess) return broken_by;
  if (runs_host_function()) return cudaErrorNotPermitted;
  const cudaError_t error = ordered_failure(function);
  if (is_sticky(error)) break_device(error);
  return error;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

void break_device(cudaError_t error) {
  broken_by = error;
  forget_queued_work();
}

cudaError_t broken() { return broken_by; }

void mend_device() { broken_by = cudaSuccess; }

}  // namespace diopi::emulation

using diopi::emulation::call;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define DIOPI_EMULATION_ERROR(name, code, text) \
  case name:                                    \
    return #name;
#include <diopi_emulation/errors.def>
#undef DIOPI_EMULATION_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define DIOPI_EMULATION_ERROR(name, code, text) \
  case name:                                    \
    return text;
#include <diopi_emulation/errors.def>
#undef DIOPI_EMULATION_ERROR
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  diopi::emulation::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard<std::recursive_mutex> hold(diopi::emulation::lock());
  return diopi::emulation::broken_by != cudaSuccess ? diopi::emulation::broken_by : diopi::emulation::last_error;
}

// A driver that is missing has the version 0.
cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return diopi::emulation::remember(cudaErrorInvalidValue);
  *version = diopi::emulation::driver_version();
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return diopi::emulation::remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (count != nullptr) *count = 0;
  return call("cudaGetDeviceCount", [&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = diopi::emulation::device_count();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

// All devices are the first one's memory and streams; the emulation has one device to compute on.
cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}
}
