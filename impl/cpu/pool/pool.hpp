// SPDX-License-Identifier: BSD-3-Clause
// Pooling over one to three spatial dimensions, with channels first or last, of any strides.
//
// Kernels have three spatial dimensions: the leading ones that a tensor lacks have extent 1. They process lines: along
// the channels if these are packed, otherwise along the last spatial dimension. In the second case, the rows of a
// window are combined column by column, then the columns are combined to outputs.
#ifndef IMPL_CPU_POOL_POOL_HPP_
#define IMPL_CPU_POOL_POOL_HPP_

#include <diopi/diopirt.h>

#include <algorithm>
#include <cstdint>

#include "impl/common/dtype.hpp"
#include "impl/common/plan/windows.hpp"

namespace impl::cpu {

// The input positions of one output position in one dimension: begin, begin + step, ... below end.
struct PoolSpan {
  int64_t begin, end, step;
  int64_t size;  // number of positions, with padding if it counts
};

// One spatial dimension.
struct PoolDim : diopi::Window {
  bool count_padding = true;

  PoolSpan span(int64_t o) const {
    if (kernel == 0) {
      const int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
      return {begin, end, 1, end - begin};
    }
    const int64_t first = o * stride - padding, reach = dilation * (kernel - 1) + 1;
    const int64_t begin = first < 0 ? first + (-first + dilation - 1) / dilation * dilation : first;
    const int64_t end = std::min(first + reach, in);
    const int64_t padded = std::min(first + reach, in + padding) - first;
    return {begin, end, dilation, count_padding ? padded : end - begin};
  }
};

// Strides in elements.
struct PoolStrides {
  int64_t batch = 0, channel = 0, spatial[3] = {};
};

struct PoolArgs {
  void* x = nullptr;          // the larger side: input or its gradient
  void* y = nullptr;          // the smaller side: output or its gradient
  void* index = nullptr;      // flat position in the plane of x for each element of y; may be null
  bool narrow_index = false;  // int32 instead of int64
  int64_t batch = 0, channels = 0;
  PoolDim dim[3];
  PoolStrides xs, ys, is;
  int64_t divisor = 0;         // 0: the size of the window
  bool over_channels = false;  // process lines along the channels, which may have any stride

  int64_t plane() const { return dim[0].in * dim[1].in * dim[2].in; }
  int64_t outputs() const { return dim[0].out * dim[1].out * dim[2].out; }
};

// The functions below give the same result on any number of threads. For other dtypes they return false.
// Any real dtype except float16. Of equal elements the first one is taken, of NaNs the last one.
bool max_pool_forward(diopiDtype_t dtype, const PoolArgs& args);
// float32, float64: sets x = 0, then x[index] += y. The spatial strides of x must be those of one packed plane,
// multiplied by the last one; every index must be in range.
bool max_pool_backward(diopiDtype_t dtype, const PoolArgs& args);
// The same for float16, bfloat16, float32 and float64. All three tensors must consist of planes without gaps, and
// planes of a half type must be small; otherwise returns false.
bool max_pool_backward_planes(diopiDtype_t dtype, const PoolArgs& args);
// bfloat16, float32, float64, int64. The dilation must be 1.
bool avg_pool_forward(diopiDtype_t dtype, const PoolArgs& args);
// float32, float64, int64. The dilation must be 1.
bool avg_pool_backward(diopiDtype_t dtype, const PoolArgs& args);
// float32, float64: the mean of each of `planes` planes of n elements, all without gaps. Returns false if n is large.
bool small_plane_means(diopiDtype_t dtype, const void* x, void* y, int64_t planes, int64_t n);

// Returns the first index that is not a position of its plane, as the number of an element of y in row-major order; -1
// if there is none. `value` becomes the index.
int64_t find_bad_index(const PoolArgs& args, int64_t* value);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POOL_POOL_HPP_
