// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

namespace diopirt {

// A tensor of the context's own, which lives until the context is cleared.
Status require_tensor(diopiContext* ctx, const Geometry& geometry, diopiDtype_t dtype, diopiDevice_t device,
                      diopiTensor** tensor);

}  // namespace diopirt
