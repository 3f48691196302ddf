// SPDX-License-Identifier: BSD-3-Clause
// The element-wise engine: runs one block kernel on operands of any dtype, shape and strides.
//
// A block kernel reads and writes only packed arrays in its own compute dtypes. The engine merges dimensions,
// broadcasts, converts dtypes, gathers strided operands block by block through the first-level cache, and divides the
// work among threads. It makes a copy of an input that partly overlaps an output. If an operand is already packed and
// has the right dtype, it is not copied: the kernel then reads and writes the tensor itself.
#ifndef IMPL_CPU_ENGINE_ELEMENTWISE_ELEMENTWISE_HPP_
#define IMPL_CPU_ENGINE_ELEMENTWISE_ELEMENTWISE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

inline constexpr int kMaxInputs = 6;
inline constexpr int kMaxOutputs = 4;

// out[j][i] = f_j(in[0][i], in[1][i], ...) for i in [0, n). Element i may depend on element i of the inputs only. An
// output may be the same array as an input, so element i must be read before it is written. `params` comes from the
// caller.
using BlockFn = void (*)(void* const* out, const void* const* in, int64_t n, const void* params);

// The same for `rows` rows of n elements of an output and two inputs, operand k at operand[k] + r * step[k] bytes.
// Input `one` has one element in each row, which is combined with all n of the other input; there is none if `one` is
// -1.
using BlockRowsFn = void (*)(void* const* operand, const int64_t* step, int one, int64_t n, int64_t rows);

struct ElementwiseKernel {
  BlockFn fn = nullptr;
  // Kernels for calls whose input k is one element, which is combined with all n elements of the other inputs.
  static constexpr int kMaxWithOne = 3;
  BlockFn with_one[kMaxWithOne] = {};
  BlockRowsFn rows = nullptr;  // if there is one, with_one has the kernels of both inputs
  const void* params = nullptr;
  int num_inputs = 0;
  int num_outputs = 1;
  diopiDtype_t in[kMaxInputs] = {};    // dtype in which the kernel reads each input
  diopiDtype_t out[kMaxOutputs] = {};  // dtype in which the kernel writes each output
  int64_t grain = 32768;               // below this number of elements one thread is enough
  // Whether computing an element takes about as long as reading and writing it in memory. Large results are written
  // with non-temporal stores only if not: these come block by block, and memory would wait while a block is computed.
  bool costly = false;
};

// Returns a kernel whose operands all have one dtype.
ElementwiseKernel uniform_kernel(BlockFn fn, diopiDtype_t dtype, int num_inputs, const void* params = nullptr,
                                 int num_outputs = 1);
// Returns a kernel that reads the dtype `in` and writes the dtype `out`.
ElementwiseKernel mixed_kernel(BlockFn fn, diopiDtype_t in, int num_inputs, diopiDtype_t out,
                               const void* params = nullptr);

// Runs `kernel`. Every output has the same shape, and every input broadcasts to it: the caller has checked this, and
// that the results may be converted to the outputs' dtypes. An output that is also read is passed as an input too.
// `ctx` allocates temporaries for overlapping inputs.
Status run_elementwise(diopiContextHandle_t ctx, const ElementwiseKernel& kernel, const TensorView* outputs,
                       const TensorView* inputs);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ELEMENTWISE_ELEMENTWISE_HPP_
