// SPDX-License-Identifier: BSD-3-Clause
// The geometry of windows that slide over the last dimensions of a tensor, for convolutions and pooling.
#ifndef IMPL_COMMON_PLAN_WINDOWS_HPP_
#define IMPL_COMMON_PLAN_WINDOWS_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

inline constexpr int kMaxSpatial = 3;

// One dimension of the windows: output position o reads the input positions o * stride - padding + k * dilation for
// all k below `kernel`. A kernel of 0 makes the windows adaptive: they divide the input into `out` parts.
struct Window {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};

// The windows along the last `spatial` dimensions of a tensor. The dimensions before them, up to kMaxSpatial, have one
// window of one element.
struct Windows {
  int spatial = 0;
  Window dim[kMaxSpatial];
  const Window& at(int i) const { return dim[kMaxSpatial - spatial + i]; }
  Window& at(int i) { return dim[kMaxSpatial - spatial + i]; }
};

struct NamedList {
  const char* name = "";
  diopiSize_t values{};
};

// The parameters of windows as the caller gave them, with lengths and values that have been checked. A list of one
// entry holds for all dimensions; an empty stride is the kernel, an empty dilation is 1.
struct WindowLists {
  int spatial;
  NamedList kernel, stride, padding, dilation;
  bool ceil_mode;  // the last window may lie partly behind the padded input
};

// The last `n` extents of a weight as a list, which is valid as long as the view is.
inline diopiSize_t last_extents(const TensorView& view, int n) { return {view.shape.end() - n, n}; }
// Entry `i` of a list in which one entry holds for all dimensions; `missing` if the list is empty.
inline int64_t spatial_entry(const diopiSize_t& list, int i, int64_t missing) {
  return list.len == 0 ? missing : list.data[list.len == 1 ? 0 : i];
}

// Computes the windows over the last dimensions of `input`. Returns an error if a kernel does not fit.
Status fit_windows(const TensorView& input, const WindowLists& lists, Windows* windows);
// Requires that the padding of each dimension is at most half of the kernel, which dilation enlarges.
Status require_padding_below_half(const Windows& windows, const NamedList& padding, const NamedList& kernel);
// The shape of the result: that of `input` with other channels and spatial extents.
Dims windowed_shape(const TensorView& input, int64_t channels, const Windows& windows);

// The shape of `input` with the last `spatial` extents replaced by those of a list.
Dims resized_shape(const TensorView& input, int spatial, const diopiSize_t& extents);

}  // namespace diopi

#endif  // IMPL_COMMON_PLAN_WINDOWS_HPP_
