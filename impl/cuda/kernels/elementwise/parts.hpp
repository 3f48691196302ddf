// SPDX-License-Identifier: BSD-3-Clause
// Kernels that make complex numbers, and the product with a dropout mask.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_PARTS_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_PARTS_HPP_

#include "impl/cuda/engine/map.hpp"

namespace impl::cuda {

// out = in[0] + i in[1], in the dtype `real` of the inputs.
Status launch_complex(const MapCall& call, diopiDtype_t real);
// out = in[0] (cos(in[1]) + i sin(in[1])).
Status launch_polar(const MapCall& call, diopiDtype_t real);
// out = in[0] with the sign of the imaginary part changed.
Status launch_conjugate(const MapCall& call, diopiDtype_t dtype);
// out = in[0] * (in[1] * scale), in float or double.
Status launch_masked_product(const MapCall& call, diopiDtype_t dtype, double scale);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_PARTS_HPP_
