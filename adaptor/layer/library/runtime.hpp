// SPDX-License-Identifier: BSD-3-Clause
// The functions of diopirt.h. The program may load its runtime after the layer, so the layer finds these functions when
// it observes the first call. A function that the runtime lacks returns diopiNoImplement.
#ifndef ADAPTOR_LAYER_LIBRARY_RUNTIME_HPP_
#define ADAPTOR_LAYER_LIBRARY_RUNTIME_HPP_

#include "adaptor/layer/function.hpp"

namespace diopi::layer {

extern const char* const kRuntimeNames[];
extern const int kNumRuntimeNames;

void find_runtime();

}  // namespace diopi::layer

extern "C" __attribute__((visibility("hidden"))) diopi::layer::Pointer diopi_layer_runtime[];

#endif  // ADAPTOR_LAYER_LIBRARY_RUNTIME_HPP_
