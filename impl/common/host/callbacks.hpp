// SPDX-License-Identifier: BSD-3-Clause
// The device of a vendor that computes on the host: host memory, and streams that run nothing.
#pragma once

#include "common/error.hpp"

namespace diopi {

// Registers the callbacks with the runtime, so far as the runtime has the functions of diopi_register.h. A framework
// that provides only diopirt.h manages its own device: then there is nothing to register, and the call succeeds.
Status register_host_callbacks();

}  // namespace diopi
