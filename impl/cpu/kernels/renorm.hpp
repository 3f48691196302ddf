// SPDX-License-Identifier: BSD-3-Clause
// Scaling rows down to a norm.
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// Multiplies each row of `width` elements whose norm of order `norm_type` exceeds `max_norm` by
// max_norm / (norm + 1e-7). Row i starts at offsets[i] (in elements; all different), `step` elements lie between two
// of its elements. Floating dtypes; norms are summed in double.
void renorm_rows(diopiDtype_t dtype, void* table, const int64_t* offsets, int64_t rows, int64_t width, int64_t step,
                 double max_norm, double norm_type);

}  // namespace impl::cpu
