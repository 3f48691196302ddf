// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/plan/windows.hpp"

#include "impl/common/checked.hpp"

namespace diopi {

namespace {

long long wide(int64_t n) { return static_cast<long long>(n); }

int64_t rounded_up_quotient(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// PyTorch's rule: with ceil_mode, a last window that covers fewer elements counts, unless it begins behind the input.
// 0 if there is no window, or if an extent does not fit 64 bits.
int64_t count_windows(const Window& w, bool ceil_mode) {
  int64_t reach = 0, room = 0;
  if (!window_reach(w.kernel, w.dilation, &reach) || !padded_extent(w.in, w.padding, &room)) return 0;
  room -= reach;
  if (room < 0) return ceil_mode && -room < w.stride ? 1 : 0;
  if (!ceil_mode) return room / w.stride + 1;
  const int64_t last = rounded_up_quotient(room, w.stride);  // the position of the last window
  return last >= rounded_up_quotient(w.in + w.padding, w.stride) ? last : last + 1;
}

}  // namespace

namespace {

// The error for windows of which `out` is 0.
Status refuse_kernel(const TensorView& input, const WindowLists& lists, const Window& w, int dim) {
  int64_t reach = 0, room = 0;
  DIOPI_REQUIRE(padded_extent(w.in, w.padding, &room), diopiErrorOccurred,
                "%s = %s is too large for dimension %d of %s of shape %s", lists.padding.name,
                Text(lists.padding.values).c_str(), dim, input.name, Text(input.shape).c_str());
  DIOPI_REQUIRE(window_reach(w.kernel, w.dilation, &reach), diopiErrorOccurred,
                "%s = %s is too large for the kernel, %s = %s", lists.dilation.name,
                Text(lists.dilation.values).c_str(), lists.kernel.name, Text(lists.kernel.values).c_str());
  return fail(diopiErrorOccurred,
              "the kernel, %s = %s, reaches over %lld elements, expected 1 to %lld, the padded extent of dimension %d "
              "of %s of shape %s",
              lists.kernel.name, Text(lists.kernel.values).c_str(), wide(w.kernel > 0 ? reach : 0), wide(room), dim,
              input.name, Text(input.shape).c_str());
}

}  // namespace

Status fit_windows(const TensorView& input, const WindowLists& lists, Windows* windows) {
  windows->spatial = lists.spatial;
  for (int i = 0; i < lists.spatial; ++i) {
    const int dim = input.ndim() - lists.spatial + i;
    Window& w = windows->at(i);
    w.in = input.shape[dim];
    w.kernel = spatial_entry(lists.kernel.values, i, 1);
    w.stride = spatial_entry(lists.stride.values, i, w.kernel);
    w.padding = spatial_entry(lists.padding.values, i, 0);
    w.dilation = spatial_entry(lists.dilation.values, i, 1);
    w.out = w.kernel > 0 ? count_windows(w, lists.ceil_mode) : 0;
    if (w.out == 0) return refuse_kernel(input, lists, w, dim);
  }
  return diopiSuccess;
}

Status require_padding_below_half(const Windows& windows, const NamedList& padding, const NamedList& kernel) {
  for (const Window& w : windows.dim) {
    DIOPI_REQUIRE(w.padding <= (w.dilation * (w.kernel - 1) + 1) / 2, diopiErrorOccurred,
                  "%s = %s, expected at most half of the dilated kernel, %s = %s", padding.name,
                  Text(padding.values).c_str(), kernel.name, Text(kernel.values).c_str());
  }
  return diopiSuccess;
}

Dims windowed_shape(const TensorView& input, int64_t channels, const Windows& windows) {
  Dims shape = input.shape;
  const int first = shape.n - windows.spatial;
  shape[first - 1] = channels;
  for (int i = 0; i < windows.spatial; ++i) shape[first + i] = windows.at(i).out;
  return shape;
}

Dims resized_shape(const TensorView& input, int spatial, const diopiSize_t& extents) {
  Dims shape = input.shape;
  for (int i = 0; i < spatial; ++i) shape[shape.n - spatial + i] = spatial_entry(extents, i, 0);
  return shape;
}

}  // namespace diopi
