// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/library/heap_marks.hpp"

#include <dlfcn.h>

namespace diopi::layer {

const HeapFunctions* heap = nullptr;

void observe_heap() { heap = static_cast<const HeapFunctions*>(dlsym(RTLD_DEFAULT, "diopi_layer_heap")); }

}  // namespace diopi::layer
