// SPDX-License-Identifier: BSD-3-Clause
// Scales rows so that their norm does not exceed a limit.
#ifndef IMPL_CPU_NORM_RENORM_HPP_
#define IMPL_CPU_NORM_RENORM_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// Multiplies each row of `width` elements whose norm of order `norm_type` exceeds `max_norm` by max_norm / (norm +
// 1e-7). Row i begins at offsets[i] (in elements; all offsets differ); its elements are `step` elements apart. Floating
// point dtypes; norms are summed in double.
void renorm_rows(diopiDtype_t dtype, void* table, const int64_t* offsets, int64_t rows, int64_t width, int64_t step,
                 double max_norm, double norm_type);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_RENORM_HPP_
