// SPDX-License-Identifier: BSD-3-Clause
// The functions that the runtime needs from a vendor: memory, copies, streams. Here they use the host. A vendor with
// its own device registers its own nine callbacks; impl/minimal/device.cpp shows how.
#include <cstdint>
#include <cstring>

#include "impl/common/host/callbacks.hpp"

namespace impl::skeleton {

int32_t init_library() { return diopi::register_host_callbacks(); }

int32_t finalize_library() { return 0; }

// The adaptor reads integers with this function, to refuse an int64 that does not fit int32.
diopiError_t copy_to_host(diopiContextHandle_t, void* host, const void* device, int64_t bytes) {
  std::memcpy(host, device, bytes);
  return diopiSuccess;
}

}  // namespace impl::skeleton
