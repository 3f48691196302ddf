// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/unsupported.hpp"

#include <cstdio>

namespace impl::cpu {

diopi::Status unsupported_dtype(diopiDtype_t dtype, std::initializer_list<const diopi::TensorView*> operands) {
  char named[256] = "";
  size_t length = 0;
  for (const diopi::TensorView* view : operands) {
    if (view == nullptr || length >= sizeof(named)) continue;
    length += std::snprintf(named + length, sizeof(named) - length, "%s%s has dtype %s", length > 0 ? ", " : "",
                            view->name, diopi::dtype_name(view->dtype));
  }
  return diopi::fail(diopiDtypeNotSupported, "%s: this is not defined where operands are computed in %s", named,
                     diopi::dtype_name(dtype));
}

}  // namespace impl::cpu
