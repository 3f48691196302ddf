// SPDX-License-Identifier: BSD-3-Clause
// Pooling over one to three spatial dimensions, channels first or last, of any strides.
//
// Kernels see three spatial dimensions: leading ones that a tensor lacks have extent 1. They work on lines: along the
// channels where these are packed, else along the last spatial dimension, where a window's rows are folded column by
// column before the columns are folded into outputs.
#pragma once

#include <diopi/diopirt.h>

#include <algorithm>
#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// What one output position of one dimension covers: input positions begin, begin + step, ... below end.
struct PoolSpan {
  int64_t begin, end, step;
  int64_t size;  // positions, with padding where it counts
};

// One spatial dimension. A kernel of 0 makes it adaptive: the windows divide the input into `out` parts.
struct PoolDim {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
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
  void* x = nullptr;          // the larger side: input, or its gradient
  void* y = nullptr;          // the smaller side: output, or its gradient
  void* index = nullptr;      // for each element of y the flat position in its plane of x; may be null
  bool narrow_index = false;  // int32, not int64
  int64_t batch = 0, channels = 0;
  PoolDim dim[3];
  PoolStrides xs, ys, is;
  int64_t divisor = 0;  // 0: the size of the window
  bool over_channels = false;

  int64_t plane() const { return dim[0].in * dim[1].in * dim[2].in; }
  int64_t outputs() const { return dim[0].out * dim[1].out * dim[2].out; }
};

// All of these spread over the threads and know a dtype or return false.
// Real dtypes but float16.
bool max_pool_forward(diopiDtype_t dtype, const PoolArgs& args);
// float32, float64: x = 0, then x[index] += y. The spatial strides of x must be those of one packed plane, times that
// of the last one; every index must be in range.
bool max_pool_backward(diopiDtype_t dtype, const PoolArgs& args);
// bfloat16, float32, float64, int64.
bool avg_pool_forward(diopiDtype_t dtype, const PoolArgs& args);
// float32, float64, int64.
bool avg_pool_backward(diopiDtype_t dtype, const PoolArgs& args);
// float32, float64: the mean of each of `planes` planes of n elements, all without gaps; false where n is large, too.
bool small_plane_means(diopiDtype_t dtype, const void* x, void* y, int64_t planes, int64_t n);

// The first index that is not a position of its plane, as an element of y in row-major order; -1 where all are.
int64_t find_bad_index(const PoolArgs& args, int64_t* value);

}  // namespace impl::cpu
