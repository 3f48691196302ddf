// SPDX-License-Identifier: BSD-3-Clause
// The name of this vendor, and the last error message.
#include "impl/common/error.hpp"

namespace impl::cpu {

const char* diopiGetVendorName() { return "CpuDevice"; }

const char* diopiGetImplVersion() { return "1.0.0"; }

const char* diopiGetLastErrorString() { return diopi::last_error(); }

}  // namespace impl::cpu
