// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

Status require_floating(const TensorView& view) {
  DIOPI_REQUIRE(diopi::is_floating(view.dtype), diopiDtypeNotSupported,
                "%s has dtype %s, expected a floating point one", view.name, diopi::dtype_name(view.dtype));
  return diopiSuccess;
}

}  // namespace impl::cpu
