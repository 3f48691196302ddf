// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "runtime/context.hpp"

namespace diopirt {

// Makes a tensor that the context owns. It lives until the context is cleared.
Status require_tensor(diopiContext* ctx, const Geometry& geometry, diopiDtype_t dtype, diopiDevice_t device,
                      diopiTensor** tensor);

}  // namespace diopirt
