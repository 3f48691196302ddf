// SPDX-License-Identifier: BSD-3-Clause
// The device of a vendor that computes on the host: host memory, and streams that run nothing.
#ifndef IMPL_COMMON_HOST_CALLBACKS_HPP_
#define IMPL_COMMON_HOST_CALLBACKS_HPP_

#include "impl/common/error.hpp"

namespace diopi {

// Registers each callback for which the runtime has the function of diopi_register.h. A framework that provides only
// diopirt.h manages its own device: then the function registers nothing and succeeds.
Status register_host_callbacks();

}  // namespace diopi

#endif  // IMPL_COMMON_HOST_CALLBACKS_HPP_
