// SPDX-License-Identifier: BSD-3-Clause
// Reads elements of tensors. Memory of the device is copied to the host with the vendor's callbacks.
#ifndef ADAPTOR_LAYER_TENSORS_ELEMENTS_HPP_
#define ADAPTOR_LAYER_TENSORS_ELEMENTS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "impl/common/error.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi::layer {

// The first elements of a tensor in the order of its indices, as text. Fails for a sparse tensor and for a dtype that
// cannot be stored.
Status first_elements(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, int64_t count,
                      std::vector<std::string>* elements);

// Calls visit(view, offset, memory, bytes) for host memory that holds the elements of the tensor piece by piece;
// `offset` is in bytes from the tensor's first element. At most `chunk` bytes are held at a time.
using Visit = std::function<void(const TensorView& view, int64_t offset, const char* memory, int64_t bytes)>;
Status visit_elements(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, int64_t chunk, const Visit& visit);

// The index of the element at `offset` elements from the first one.
std::vector<int64_t> index_at(const TensorView& view, int64_t offset);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_TENSORS_ELEMENTS_HPP_
