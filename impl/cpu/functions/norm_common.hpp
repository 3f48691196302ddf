// SPDX-License-Identifier: BSD-3-Clause
// What the normalisations share: temporaries, per-channel vectors, and the layouts of channels.
#pragma once

#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/kernels/channels.hpp"

namespace impl::cpu {

// A packed temporary tensor.
Status temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, const char* name, TensorView* view);

// The one-dimensional tensor `handle` of `count` elements as doubles; `fallback` repeated where the handle is null.
Status read_vector(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, const char* name, int64_t count,
                   double fallback, double** values);

// Checks the dtype and the number of dimensions of a tensor that this call neither reads nor writes. The extents may be
// any. Null is none.
Status check_unused(diopiConstTensorHandle_t handle, const char* name, int ndim);
// Checks an output vector of `count` elements before anything is written; a null handle is left out.
Status read_output_vector(diopiTensorHandle_t handle, const char* name, int64_t count, TensorView* view);
// Writes doubles to a one-dimensional output, converted to its dtype; nothing where the view has no memory.
void write_vector(const TensorView& view, const double* values);

// The elements of a tensor of any strides and floating point dtype as packed doubles in row-major order, and back.
Status read_doubles(diopiContextHandle_t ctx, const TensorView& view, double** values);
Status write_doubles(diopiContextHandle_t ctx, const TensorView& view, const double* values);

// float32 or float64: what a floating point tensor is computed in.
Status norm_compute_dtype(const TensorView& input, diopiDtype_t* compute);

// Per-channel (or per-group) constants as an operand: `count` values that vary along `dim` of a tensor of rank
// `ndim`, in the compute dtype.
Status constant_operand(diopiContextHandle_t ctx, const double* values, int64_t count, int dim, int ndim,
                        diopiDtype_t compute, TensorView* view);

// How the channels of a tensor lie: as planes, as columns, or otherwise, for which a packed copy has planes.
ChannelShape channel_shape(const TensorView& input);

// `view` with the strides of row-major planes, or of columns, and with `dtype`: itself where it is so already, else a
// temporary, which holds its elements if `reads`.
Status arrange(diopiContextHandle_t ctx, const TensorView& view, bool columns, diopiDtype_t dtype, bool reads,
               TensorView* arranged);
// arrange() for a tensor that is read while `out` is written: a temporary also if the two overlap in part.
Status arrange_input(diopiContextHandle_t ctx, const TensorView& view, const TensorView& out, bool columns,
                     diopiDtype_t dtype, TensorView* arranged);
// Copies what was written to a temporary of `arrange` to where it belongs.
void put_back(const TensorView& view, const TensorView& arranged);

// The one dtype of two tensors, or where they differ the one in which their operation is computed.
diopiDtype_t joint_dtype(const TensorView& a, const TensorView& b);

}  // namespace impl::cpu
