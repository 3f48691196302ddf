// SPDX-License-Identifier: BSD-3-Clause
// Checks of outputs, some of which may be null.
#ifndef IMPL_COMMON_FAMILIES_OUTPUTS_HPP_
#define IMPL_COMMON_FAMILIES_OUTPUTS_HPP_

#include <initializer_list>
#include <optional>

#include "impl/common/shape.hpp"

namespace diopi {

// The address of an argument; null if it is not given.
inline const TensorView* address_of(const std::optional<TensorView>& view) { return view ? &*view : nullptr; }

// Requires that no two elements of an output share an address. Null outputs are skipped.
inline Status require_writable(std::initializer_list<const TensorView*> outputs) {
  for (const TensorView* view : outputs) {
    if (view != nullptr) DIOPI_TRY(require_writable(*view));
  }
  return diopiSuccess;
}

}  // namespace diopi

#endif  // IMPL_COMMON_FAMILIES_OUTPUTS_HPP_
