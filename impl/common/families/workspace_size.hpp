// SPDX-License-Identifier: BSD-3-Clause
// Operators that tell the caller how much memory they need as a workspace.
#ifndef IMPL_COMMON_FAMILIES_WORKSPACE_SIZE_HPP_
#define IMPL_COMMON_FAMILIES_WORKSPACE_SIZE_HPP_

#include <cstdint>
#include <initializer_list>

namespace impl::DIOPI_VENDOR {

// If one of the sizes is negative, the caller asks for them: all become 0, because vendors take temporaries from the
// context, and true is returned. The operator then does nothing else.
inline bool stores_sizes(std::initializer_list<int64_t*> sizes) {
  bool asked = false;
  for (const int64_t* size : sizes) asked = asked || *size < 0;
  if (asked) {
    for (int64_t* size : sizes) *size = 0;
  }
  return asked;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_WORKSPACE_SIZE_HPP_
