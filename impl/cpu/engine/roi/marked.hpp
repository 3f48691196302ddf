// SPDX-License-Identifier: BSD-3-Clause
// What the maxima of region operators share.
#ifndef IMPL_CPU_ENGINE_ROI_MARKED_HPP_
#define IMPL_CPU_ENGINE_ROI_MARKED_HPP_

#include <limits>

#include "impl/cpu/engine/roi/walk.hpp"
#include "impl/cpu/roi/larger.hpp"

namespace impl::cpu {

// The maximum of nothing: the lowest float32, or -inf if the dtype has no such number.
inline double lowest_of(diopiDtype_t dtype) {
  const bool narrow = diopi::is_reduced_float(dtype);
  return narrow ? -std::numeric_limits<double>::infinity() : static_cast<double>(std::numeric_limits<float>::lowest());
}

// A sample of an image as taps; false if it lies outside, then it is 0.
inline bool sample_taps(const Coordinate& y, const Coordinate& x, int64_t height, int64_t width, Tap* taps) {
  if (!is_inside(y, height) || !is_inside(x, width)) return false;
  const Sample s = make_sample(neighbours(y.exact, height), neighbours(x.exact, width), width);
  for (int k = 0; k < 4; ++k) taps[k] = {s.cell[k], s.weight[k]};
  return true;
}

// Adds `grad` times the weights of a sample to a channel; `channel` is its element in the first row.
template <typename T>
void scatter_sample(const Coordinate& y, const Coordinate& x, int64_t height, int64_t width, int64_t pitch, T grad,
                    T* channel) {
  Tap taps[4];
  if (!sample_taps(y, x, height, width, taps)) return;
  for (const Tap& tap : taps) channel[tap.row * pitch] += static_cast<T>(tap.weight) * grad;
}

// Calls f(TypeTag<T>) for the type of rows.
template <typename F>
void with_row_type(diopiDtype_t dtype, const F& f) {
  dtype == diopi_dtype_float64 ? f(diopi::TypeTag<double>{}) : f(diopi::TypeTag<float>{});
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROI_MARKED_HPP_
