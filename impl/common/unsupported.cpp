// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/unsupported.hpp"

#include <cstdio>

namespace diopi {

Status unsupported_dtype(diopiDtype_t dtype, std::initializer_list<const TensorView*> operands) {
  char named[256] = "";
  size_t length = 0;
  for (const TensorView* view : operands) {
    if (view == nullptr || length >= sizeof(named)) continue;
    length += std::snprintf(named + length, sizeof(named) - length, "%s%s has dtype %s", length > 0 ? ", " : "",
                            view->name, dtype_name(view->dtype));
  }
  return fail(diopiDtypeNotSupported, "%s: this is not defined where operands are computed in %s", named,
              dtype_name(dtype));
}

}  // namespace diopi
