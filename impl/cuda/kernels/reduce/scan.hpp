// SPDX-License-Identifier: BSD-3-Clause
// Running sums.
#ifndef IMPL_CUDA_KERNELS_REDUCE_SCAN_HPP_
#define IMPL_CUDA_KERNELS_REDUCE_SCAN_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

// Writes the sums of in[0] to in[i] along `dim`, or with `from_end` those of in[i] to the last element. Sums are in
// complex128, float64 or 64-bit integers that wrap around, as `dtype` says. `out` and `in` do not overlap.
diopi::Status scan_sums(diopiContextHandle_t ctx, const diopi::TensorView& out, const diopi::TensorView& in, int dim,
                        bool from_end, diopiDtype_t dtype);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_REDUCE_SCAN_HPP_
