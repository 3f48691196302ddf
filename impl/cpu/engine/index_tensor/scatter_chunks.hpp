// SPDX-License-Identifier: BSD-3-Clause
// Writes through many indices into a short line. Chunks of the index are checked just before they are used, so that
// memory is read only once.
#ifndef IMPL_CPU_ENGINE_INDEX_TENSOR_SCATTER_CHUNKS_HPP_
#define IMPL_CPU_ENGINE_INDEX_TENSOR_SCATTER_CHUNKS_HPP_

#include "impl/common/engine/index.hpp"

namespace impl::cpu {

bool scatters_by_chunks(const diopi::TensorView& to, const diopi::TensorView& index);

// to[index[i]] op= source[i]. If an index is out of range, `to` is unchanged.
diopi::Status scatter_chunks(diopiContextHandle_t ctx, diopi::ScatterOp op, const diopi::TensorView& to,
                             const diopi::TensorView& source, const diopi::TensorView& index);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_TENSOR_SCATTER_CHUNKS_HPP_
