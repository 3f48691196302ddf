// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/error.hpp"

namespace impl::skeleton {

const char* diopiGetVendorName() { return "SkeletonDevice"; }

const char* diopiGetImplVersion() { return "1.0.0"; }

const char* diopiGetLastErrorString() { return diopi::last_error(); }

}  // namespace impl::skeleton
