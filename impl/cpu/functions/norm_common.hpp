// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by the normalisations: temporaries, vectors with one element per channel, and layouts of channels.
#ifndef IMPL_CPU_FUNCTIONS_NORM_COMMON_HPP_
#define IMPL_CPU_FUNCTIONS_NORM_COMMON_HPP_

#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/norm/batch_group.hpp"

namespace impl::cpu {

// Makes a packed temporary tensor.
Status temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, const char* name, TensorView* view);

// Reads the one-dimensional tensor `handle` of `count` elements as doubles. If the handle is null, all are `fallback`.
Status read_vector(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, const char* name, int64_t count,
                   double fallback, double** values);

// Checks the dtype and the number of dimensions of a tensor that this call neither reads nor writes. Its extents may
// have any value. A null handle is accepted.
Status check_unused(diopiConstTensorHandle_t handle, const char* name, int ndim);
// Checks an output vector of `count` elements before anything is written. A null handle is skipped.
Status read_output_vector(diopiTensorHandle_t handle, const char* name, int64_t count, TensorView* view);
// Writes doubles to a one-dimensional output, converted to its dtype. A view without memory is skipped.
void write_vector(const TensorView& view, const double* values);

// Reads a tensor of any strides and floating point dtype as packed doubles in row-major order; and writes it back.
Status read_doubles(diopiContextHandle_t ctx, const TensorView& view, double** values);
Status write_doubles(diopiContextHandle_t ctx, const TensorView& view, const double* values);

// The dtype in which a floating point tensor is computed: float32 or float64.
Status norm_compute_dtype(const TensorView& input, diopiDtype_t* compute);

// Makes an operand from constants per channel (or group): `count` values that vary along `dim` of a tensor of rank
// `ndim`, in the compute dtype.
Status constant_operand(diopiContextHandle_t ctx, const double* values, int64_t count, int dim, int ndim,
                        diopiDtype_t compute, TensorView* view);

// The layout of the channels of a tensor: planes or columns. For any other layout, a packed copy has planes.
ChannelShape channel_shape(const TensorView& input);

// Makes `arranged` have `dtype` and the strides of row-major planes or of columns. It is `view` itself if that already
// has them, otherwise a temporary, which gets the elements of `view` if `reads`.
Status arrange(diopiContextHandle_t ctx, const TensorView& view, bool columns, diopiDtype_t dtype, bool reads,
               TensorView* arranged);
// arrange() for a tensor that is read while `out` is written: it makes a temporary also if the two overlap partly.
Status arrange_input(diopiContextHandle_t ctx, const TensorView& view, const TensorView& out, bool columns,
                     diopiDtype_t dtype, TensorView* arranged);
// Copies the results from a temporary of arrange() to `view`.
void put_back(const TensorView& view, const TensorView& arranged);

// The dtype of two tensors; if they differ, the dtype in which the operation computes.
diopiDtype_t joint_dtype(const TensorView& a, const TensorView& b);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_NORM_COMMON_HPP_
