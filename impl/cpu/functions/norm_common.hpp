// What the normalisations share: temporaries, per-channel vectors, and the choice between rows and elements.
#pragma once

#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/kernels/norm.hpp"

namespace impl::cpu {

// A packed temporary tensor.
Status temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, const char* name, TensorView* view);

// The one-dimensional tensor `handle` of `count` elements as doubles; `fallback` repeated where the handle is null.
Status read_vector(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, const char* name, int64_t count,
                   double fallback, double** values);

// Checks an output vector of `count` elements before anything is written; a null handle is left out.
Status read_output_vector(diopiTensorHandle_t handle, const char* name, int64_t count, TensorView* view);
// Writes doubles to a one-dimensional output, converted to its dtype; nothing where the view has no memory.
void write_vector(const TensorView& view, const double* values);

// The elements of a tensor of any strides and floating point dtype as packed doubles in row-major order, and back.
Status read_doubles(diopiContextHandle_t ctx, const TensorView& view, double** values);
Status write_doubles(diopiContextHandle_t ctx, const TensorView& view, const double* values);

// float32 or float64: what a normalisation of tensors of these dtypes computes in.
Status norm_compute_dtype(const TensorView& input, diopiDtype_t* compute);

// Per-channel (or per-group) constants as an operand: `count` values that vary along `dim` of a tensor of rank
// `ndim`, in the compute dtype.
Status constant_operand(diopiContextHandle_t ctx, const double* values, int64_t count, int dim, int ndim,
                        diopiDtype_t compute, TensorView* view);

// Whether rows of this length are worth handing to a row kernel one by one.
inline bool is_long_row(int64_t n) { return n >= 16; }

// out = op(inputs...), where inputs after the first `full` ones are constant along the dimensions of `row_mask`:
// by rows where they are long, else element by element.
Status apply_norm(diopiContextHandle_t ctx, NormRow row, NormBlock block, diopiDtype_t compute, uint32_t row_mask,
                  const TensorView& out, const TensorView* inputs, int num_inputs);

}  // namespace impl::cpu
