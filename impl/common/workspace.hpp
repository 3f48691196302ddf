// SPDX-License-Identifier: BSD-3-Clause
// Temporaries of one call, owned by the caller's context.
#ifndef IMPL_COMMON_WORKSPACE_HPP_
#define IMPL_COMMON_WORKSPACE_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"
#include "impl/common/error.hpp"

namespace diopi {

class Workspace {
 public:
  explicit Workspace(diopiContextHandle_t ctx) : ctx_(ctx) {}

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
};

}  // namespace diopi

#endif  // IMPL_COMMON_WORKSPACE_HPP_
