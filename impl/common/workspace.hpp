// SPDX-License-Identifier: BSD-3-Clause
// Temporaries of one call, owned by the caller's context.
#ifndef IMPL_COMMON_WORKSPACE_HPP_
#define IMPL_COMMON_WORKSPACE_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"
#include "impl/common/error.hpp"

namespace diopi {

// `memory`: where the temporaries are. Kernels read those of diopi_device, and the host those of diopi_host; on a
// device of its own, a vendor can read neither in the place of the other.
class Workspace {
 public:
  explicit Workspace(diopiContextHandle_t ctx, diopiDevice_t memory = diopi_device) : ctx_(ctx), memory_(memory) {}

  // Allocates `count` uninitialised elements, 64-byte aligned. They are freed with the context's temporaries.
  template <typename T>
  Status take(int64_t count, T** out) {
    void* memory = nullptr;
    DIOPI_TRY(take_items(count, sizeof(T), &memory));
    *out = static_cast<T*>(memory);
    return diopiSuccess;
  }
  Status take_bytes(int64_t bytes, void** out) { return take_items(bytes, 1, out); }
  Status take_items(int64_t count, int64_t size, void** out);

 private:
  diopiContextHandle_t ctx_;
  diopiDevice_t memory_;
};

// Temporaries that the host reads and writes, such as lists of views.
inline Workspace host_workspace(diopiContextHandle_t ctx) { return Workspace(ctx, diopi_host); }

}  // namespace diopi

#endif  // IMPL_COMMON_WORKSPACE_HPP_
