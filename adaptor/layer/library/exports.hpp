// SPDX-License-Identifier: BSD-3-Clause
#ifndef ADAPTOR_LAYER_LIBRARY_EXPORTS_HPP_
#define ADAPTOR_LAYER_LIBRARY_EXPORTS_HPP_

namespace diopi::layer {

// Removes the exported functions that the library below lacks from the layer's symbols, so that dlsym does not find
// them: a program that asks which operators a library has gets the same answer with the layer. `own` is the handle of
// the layer. A program that is linked with the library has found its symbols before.
void hide_absent(void* own);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_LIBRARY_EXPORTS_HPP_
