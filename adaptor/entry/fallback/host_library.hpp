// SPDX-License-Identifier: BSD-3-Clause
// The library that computes on the host for a vendor: the CPU vendor's operators together with a reference runtime of
// their own. It is opened privately, so its symbols meet neither the framework's runtime nor the vendor's operators.
#ifndef ADAPTOR_ENTRY_FALLBACK_HOST_LIBRARY_HPP_
#define ADAPTOR_ENTRY_FALLBACK_HOST_LIBRARY_HPP_

#include <diopirt_host.h>

#include "impl/common/error.hpp"

// The functions of the host library's runtime that fallback calls.
#define DIOPI_HOST_FUNCTIONS(X)     \
  X(diopirtCreateContext)           \
  X(diopirtDestroyContext)          \
  X(diopirtWrapMemory)              \
  X(diopirtCreateSparseCsr)         \
  X(diopirtReleaseTensor)           \
  X(diopirtCreateGenerator)         \
  X(diopirtDestroyGenerator)        \
  X(diopirtGetLastErrorString)      \
  X(diopiGeneratorGetSeedAndOffset) \
  X(diopiGeneratorSetSeedAndOffset) \
  X(diopiGetTensorDataConst)        \
  X(diopiGetTensorShape)            \
  X(diopiGetTensorStride)           \
  X(diopiGetTensorDtype)            \
  X(diopiGetTensorNumel)

namespace diopi::fallback {

struct HostLibrary {
  void* handle = nullptr;
  const char* (*last_error)() = nullptr;
#define DIOPI_HOST_MEMBER(name) decltype(&::name) name = nullptr;
  DIOPI_HOST_FUNCTIONS(DIOPI_HOST_MEMBER)
#undef DIOPI_HOST_MEMBER
};

// Opens the library at its first use: libdiopi_host.so in the folder `diopi` beside the file of this vendor's library,
// or beside that file's folder. A failure is remembered and reported by each later call.
Status host_library(const HostLibrary** library);

// Makes the first use open this file in place of libdiopi_host.so. `path` must stay valid.
void use_host_file(const char* path);

// Finds an operator in the host library.
Status find_operator(const HostLibrary& library, const char* name, void** function);

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_HOST_LIBRARY_HPP_
