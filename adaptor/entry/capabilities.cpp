// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/capabilities.hpp"

#include <cstring>

namespace diopi {

diopiSupport_t find_support(const Capability* begin, const Capability* end, const char* function, const char* parameter,
                            diopiDtype_t dtype) {
  uint32_t bit = 0;  // the dtype is read as a number, because a caller may pass a value that is no enumerator
  static_assert(sizeof(bit) == sizeof(dtype), "an enum is as large as an int");
  std::memcpy(&bit, &dtype, sizeof(bit));
  if (function == nullptr || bit >= 32) return diopiSupportNone;
  for (const Capability* c = begin; c != end; ++c) {
    if (std::strcmp(c->function, function) != 0) continue;
    if (parameter != nullptr ? std::strcmp(c->parameter, parameter) != 0 : !c->main) continue;
    if ((c->native >> bit & 1) != 0) return diopiSupportNative;
    if ((c->converted >> bit & 1) != 0) return diopiSupportConverted;
    return (c->on_host >> bit & 1) != 0 ? diopiSupportFallback : diopiSupportNone;
  }
  return diopiSupportNone;
}

}  // namespace diopi
