// SPDX-License-Identifier: BSD-3-Clause
// Tensors whose rows are stored in phases.
#ifndef IMPL_CPU_ENGINE_FEATURE_MAPS_PHASE_ROWS_HPP_
#define IMPL_CPU_ENGINE_FEATURE_MAPS_PHASE_ROWS_HPP_

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/feature_maps/phases.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// Makes `rows` a temporary with room for the rows of `like` in phases.
Status make_phase_rows(diopiContextHandle_t ctx, const TensorView& like, const PhaseRow& row, diopiDtype_t dtype,
                       TensorView* rows);
// The elements of `view` in float32 or float64 in phases. With one phase, the packed elements.
Status split_into_phases(diopiContextHandle_t ctx, const TensorView& view, const PhaseRow& row, diopiDtype_t dtype,
                         TensorView* rows);
// The reverse, into a packed tensor.
void merge_phases(const TensorView& rows, const PhaseRow& row, const TensorView& packed);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_FEATURE_MAPS_PHASE_ROWS_HPP_
