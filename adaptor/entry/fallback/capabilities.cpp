// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/capabilities.hpp"

#include <cstring>

#include "adaptor/entry/fallback/ledger.hpp"

namespace diopi::fallback {

diopiSupport_t find_support(const Capability* begin, const Capability* end, const char* function, const char* parameter,
                            diopiDtype_t dtype) {
  const auto bit = static_cast<uint32_t>(dtype);
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

int64_t get_fallbacks(diopiFallbackRow_t* rows, int64_t capacity) {
  int64_t count = 0;
  for (const Row* row = first_row(); row != nullptr; row = row->next, ++count) {
    if (rows == nullptr || count >= capacity) continue;
    rows[count] = {row->name,
                   row->calls[kAbsent].load(),
                   row->calls[kUnsupported].load(),
                   row->calls[kConfigured].load(),
                   row->calls[kAsked].load(),
                   row->bytes.load(),
                   row->nanoseconds.load()};
  }
  return count;
}

}  // namespace diopi::fallback
