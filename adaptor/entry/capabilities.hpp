// SPDX-License-Identifier: BSD-3-Clause
// The answers of diopiSupports(), from the generated table of a vendor.
#ifndef ADAPTOR_ENTRY_CAPABILITIES_HPP_
#define ADAPTOR_ENTRY_CAPABILITIES_HPP_

#include <diopi_fallback.h>

#include <cstdint>

namespace diopi {

// How one tensor parameter is computed; each mask has a bit for each value of diopiDtype_t.
struct Capability {
  const char* function;
  const char* parameter;
  bool main;  // whether a null parameter means this one
  uint32_t native, converted, on_host;
};

diopiSupport_t find_support(const Capability* begin, const Capability* end, const char* function, const char* parameter,
                            diopiDtype_t dtype);

}  // namespace diopi

#endif  // ADAPTOR_ENTRY_CAPABILITIES_HPP_
