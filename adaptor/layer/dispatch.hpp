// SPDX-License-Identifier: BSD-3-Clause
// Passes observed calls through the modes.
#ifndef ADAPTOR_LAYER_DISPATCH_HPP_
#define ADAPTOR_LAYER_DISPATCH_HPP_

#include <memory>
#include <vector>

#include "adaptor/layer/call.hpp"
#include "adaptor/layer/function.hpp"

namespace diopi::layer {

// What the generated entry of an observed operator calls.
diopiError_t observe(const Function& function, const void* const* values) noexcept;

// Points the exported functions at the library below, or at observe() where a mode looks at the operator or the library
// lacks it. Called whenever a library below is found.
void connect();

// The modes in the order in which they see a call. Filled before main().
std::vector<std::unique_ptr<Mode>>& modes();

// Whether the modes have seen a call since the process began, and its begin after a fork.
bool has_calls();
void forget_calls();

// Whether the thread's last failure is the layer's own, so that diopiGetLastErrorString returns its message.
bool failed_in_layer();

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_DISPATCH_HPP_
