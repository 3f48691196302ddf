// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNTIME_REQUIRE_HPP_
#define RUNTIME_REQUIRE_HPP_

#include "runtime/context.hpp"

namespace diopirt {

// Makes a tensor that the context owns. It lives until the context is cleared.
Status require_tensor(diopiContext* ctx, const Geometry& geometry, diopiDtype_t dtype, diopiDevice_t device,
                      diopiTensor** tensor);

}  // namespace diopirt

#endif  // RUNTIME_REQUIRE_HPP_
