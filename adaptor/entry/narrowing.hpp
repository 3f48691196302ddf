// SPDX-License-Identifier: BSD-3-Clause
// Checks that integers keep their values in the dtype in which a vendor computes.
#ifndef ADAPTOR_ENTRY_NARROWING_HPP_
#define ADAPTOR_ENTRY_NARROWING_HPP_

#include "adaptor/entry/convert.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// Whether every value of `from` exists in `to`; true if `from` is no integer dtype.
bool always_fits(diopiDtype_t from, diopiDtype_t to);

// Returns an error that names the first element of `view` whose value `to` cannot hold exactly.
Status check_narrowing(diopiContextHandle_t ctx, const VendorOps& ops, diopiConstTensorHandle_t tensor,
                       const TensorView& view, diopiDtype_t to, const char* argument);

}  // namespace diopi

#endif  // ADAPTOR_ENTRY_NARROWING_HPP_
