// SPDX-License-Identifier: BSD-3-Clause
// Triangular parts of matrices.
#pragma once

#include "../../common/tensor_view.hpp"

namespace impl::cpu {

// dst = the elements of src on and to one side of a diagonal (`lower`: column <= row + diagonal, else column >=), and
// zeros elsewhere, for matrices in the last two dimensions. Same shape and dtype; dst and src are one view or apart.
void copy_triangle(const diopi::TensorView& dst, const diopi::TensorView& src, bool lower, int64_t diagonal);

}  // namespace impl::cpu
