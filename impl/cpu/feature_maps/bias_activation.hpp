// SPDX-License-Identifier: BSD-3-Clause
// Bias, leaky ReLU and a factor in one pass.
#ifndef IMPL_CPU_FEATURE_MAPS_BIAS_ACTIVATION_HPP_
#define IMPL_CPU_FEATURE_MAPS_BIAS_ACTIVATION_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// Rows of `length` elements. Row i takes number i % channels of `bias`; with channels of 0, each element of a row its
// own number.
struct BiasActivationCall {
  const void* input = nullptr;
  const void* bias = nullptr;   // null: none
  const void* refer = nullptr;  // decides about the slope instead of the sum, unless it is null
  bool slope_everywhere = false;
  int64_t length = 0, channels = 0;
  double slope = 1, scale = 1;  // the factor of sums that are not positive, and of all results
};

using BiasActivationFn = void (*)(const BiasActivationCall& call, void* out, int64_t begin, int64_t end);
BiasActivationFn bias_activation_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FEATURE_MAPS_BIAS_ACTIVATION_HPP_
