// SPDX-License-Identifier: BSD-3-Clause
// The library below the layer: the vendor's library that computes the calls.
#ifndef ADAPTOR_LAYER_LIBRARY_LIBRARY_HPP_
#define ADAPTOR_LAYER_LIBRARY_LIBRARY_HPP_

#include "adaptor/layer/function.hpp"

namespace diopi::layer {

// The library's function for an operator of kFunctions; null if it lacks the operator.
Pointer library_function(int index);
// Any function of the library by name; null if it lacks it.
Pointer library_symbol(const char* name);
// The handle of the library, or null if the program is linked with it.
void* library_handle();
// Why an operator cannot be called: no library was found, or it lacks the operator.
const char* library_failure();
// The path of the library; empty if none was found.
const char* library_path();

// Looks for the library below: the file of DIOPI_LAYER_VENDOR, else what the program is linked with. Does nothing if a
// library was found before.
void find_library();

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_LIBRARY_LIBRARY_HPP_
