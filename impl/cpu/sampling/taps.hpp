// SPDX-License-Identifier: BSD-3-Clause
// Tables of interpolation along one dimension: which input positions an output position reads, and their weights.
#ifndef IMPL_CPU_SAMPLING_TAPS_HPP_
#define IMPL_CPU_SAMPLING_TAPS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/engine/resample.hpp"

namespace impl::cpu {

// Output position x is the sum over k < count of weight[k * out + x] times the input at index[k * out + x]. T is float
// or double. The index `in` stands for no position: there the input counts as 0.
template <typename T>
struct Taps {
  int64_t in = 1, out = 1;
  int64_t count = 1;      // of each output position
  bool has_gaps = false;  // whether any index is `in`
  const int32_t* index = nullptr;
  const T* weight = nullptr;
};

// One dimension of an interpolation from `in` to `out` positions; `apply` is false for dimensions that stay as they
// are.
struct Axis {
  int64_t in = 1, out = 1;
  diopi::Interpolation kind = diopi::Interpolation::kNearest;
  bool align_corners = false;
  bool apply = true;
};

// The number of taps of each output position.
int tap_count(const Axis& axis);
// Writes the table: `index` and `weight` have tap_count() * out elements.
template <typename T>
void fill_taps(const Axis& axis, int32_t* index, T* weight);

// The table of the adjoint: its input positions are the output positions of the interpolation. `used` has `in` elements
// and becomes the number of taps of each position; the result is the largest of these numbers, at least 1.
int64_t count_adjoint_taps(const Axis& axis, int64_t* used);
// Writes the table with `count` taps for each position. `used` is overwritten.
template <typename T>
void fill_adjoint_taps(const Axis& axis, int64_t count, int64_t* used, int32_t* index, T* weight);

// The input position of nearest neighbour interpolation, computed in float32.
int64_t nearest_position(int64_t position, int64_t in, int64_t out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_TAPS_HPP_
