// SPDX-License-Identifier: BSD-3-Clause
// The heap in the report of the mode memory.
#ifndef ADAPTOR_LAYER_MODES_MEMORY_HEAP_HPP_
#define ADAPTOR_LAYER_MODES_MEMORY_HEAP_HPP_

#include <cstdint>
#include <functional>

#include "adaptor/layer/function.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

// Adds `heap_observed`, and the lists `heap_leaks` and `heap_kept` of the operators that have memory which is not
// freed. An operator leaks if at least half of its calls, and at least three, have such memory: caches fill in few
// calls.
void add_heap(Json* json, const std::function<int64_t(const Function&)>& calls_of);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_MEMORY_HEAP_HPP_
