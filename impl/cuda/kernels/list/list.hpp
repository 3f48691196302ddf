// SPDX-License-Identifier: BSD-3-Clause
// Kernels for lists of tensors: a launch computes up to 64 tensors whose elements lie without gaps.
#ifndef IMPL_CUDA_KERNELS_LIST_LIST_HPP_
#define IMPL_CUDA_KERNELS_LIST_LIST_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/view_list.hpp"

namespace impl::cuda {

enum class ListOp { kAdd, kMul };

// A number that the kernel reads from the device, or the number itself.
struct ListNumber {
  const void* data = nullptr;  // null: value
  diopiDtype_t dtype = diopi_dtype_float64;
  double value = 0;
};

// Whether launch_list() computes the tensor: floating point, without gaps, and with the same order of elements on both
// sides.
bool is_listed(const diopi::TensorView& out, const diopi::TensorView& in);
// The same if it computes in the dtype `promoted`.
inline bool is_listed(const diopi::TensorView& out, const diopi::TensorView& in, diopiDtype_t promoted) {
  return in.dtype == promoted && is_listed(out, in);
}

// outs[k] = inputs[k] op number, for the tensors that is_listed() accepts with promoted[k].
diopi::Status launch_list(cudaStream_t stream, ListOp op, const diopi::ViewList& outs, const diopi::ViewList& inputs,
                          const diopiDtype_t* promoted, const ListNumber& number);

// Whether launch_list_norms() computes the norm of the tensor: floating point, without gaps, not very long, and not of
// one element.
bool has_listed_norm(const diopi::TensorView& input);
// The number of temporaries that launch_list_norms() needs.
int64_t listed_norm_parts(const diopi::ViewList& inputs);
// Writes the norms of order p of the tensors that has_listed_norm() accepts to the only elements of `outs`.
diopi::Status launch_list_norms(diopiContextHandle_t ctx, double p, const diopi::ViewList& outs,
                                const diopi::ViewList& inputs, double* parts);

// Multiplies all gradients by the float at `factor`, unless it is 1, and sets the float at `found` to 1 if an element
// is infinite or NaN.
diopi::Status launch_unscale(cudaStream_t stream, const diopi::ViewList& grads, const float* factor, float* found);

struct ScaleUpdate {
  float* scale;
  int32_t* tracker;
  const float* found;
  double growth, backoff;
  int32_t interval;
};
diopi::Status launch_update_scale(cudaStream_t stream, const ScaleUpdate& update);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LIST_LIST_HPP_
