// SPDX-License-Identifier: BSD-3-Clause
// The element-wise engine: drives one contiguous block kernel over operands of any dtype, shape and strides.
//
// A block kernel sees only packed arrays in its own compute dtypes. The engine collapses dimensions, broadcasts,
// converts dtypes and gathers strided operands block by block through the first-level cache, splits the work
// over threads, and makes a copy of an input that partly overlaps an output. If an operand is already packed and has
// the right dtype, it is not copied: the kernel then reads and writes the tensor itself.
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

inline constexpr int kMaxInputs = 6;
inline constexpr int kMaxOutputs = 4;

// out[j][i] = f_j(in[0][i], in[1][i], ...) for i in [0, n). Element i may depend on element i of the inputs only,
// and an output may be the same array as an input: read before writing. `params` is the caller's.
using BlockFn = void (*)(void* const* out, const void* const* in, int64_t n, const void* params);

struct ElementwiseKernel {
  BlockFn fn = nullptr;
  // Where there are two inputs: the same, but input k is one element, which goes with all n of the other.
  BlockFn with_one[2] = {};
  const void* params = nullptr;
  int num_inputs = 0;
  int num_outputs = 1;
  diopiDtype_t in[kMaxInputs] = {};    // dtype in which the kernel reads each input
  diopiDtype_t out[kMaxOutputs] = {};  // dtype in which it writes each output
  int64_t grain = 32768;               // elements below which one thread is enough
};

// A kernel whose operands all have one dtype.
ElementwiseKernel uniform_kernel(BlockFn fn, diopiDtype_t dtype, int num_inputs, const void* params = nullptr,
                                 int num_outputs = 1);
// A kernel that reads `in` and writes `out`.
ElementwiseKernel mixed_kernel(BlockFn fn, diopiDtype_t in, int num_inputs, diopiDtype_t out,
                               const void* params = nullptr);

// Runs `kernel`. Every output has the same shape, to which every input broadcasts: the caller has checked that,
// and that the conversion of results to the outputs' dtypes is allowed. An output that is also read is passed as
// input too. `ctx` serves temporaries for overlapping inputs.
Status run_elementwise(diopiContextHandle_t ctx, const ElementwiseKernel& kernel, const TensorView* outputs,
                       const TensorView* inputs);

// `view` itself, or a packed copy in a temporary where it shares memory with `output`.
Status separate_from(diopiContextHandle_t ctx, const TensorView& output, TensorView* view);

}  // namespace impl::cpu
