// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/runtime_call.hpp"

namespace diopi {

Status runtime_failed(const char* function, const char* subject, diopiError_t code) {
  return fail(code, "%s: %s of the runtime failed with code %d", subject, function, static_cast<int>(code));
}

}  // namespace diopi
