// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sampling/taps.hpp"

#include <algorithm>
#include <cmath>

namespace impl::cpu {

using diopi::Interpolation;

namespace {

constexpr int kMostTaps = 4;

// The taps of one output position.
struct Position {
  int64_t index[kMostTaps];
  double weight[kMostTaps];
};

// The input coordinate of an output position.
double source_coordinate(const Axis& axis, int64_t x) {
  if (axis.align_corners) {
    return axis.out > 1 ? static_cast<double>(x) * static_cast<double>(axis.in - 1) / static_cast<double>(axis.out - 1)
                        : 0.0;
  }
  return (static_cast<double>(x) + 0.5) * static_cast<double>(axis.in) / static_cast<double>(axis.out) - 0.5;
}

Position linear_taps(const Axis& axis, int64_t x) {
  if (axis.in == axis.out) return {{x, x}, {1.0, 0.0}};
  const double at = std::max(0.0, source_coordinate(axis, x));
  const int64_t low = std::min(static_cast<int64_t>(at), axis.in - 1);
  const double part = std::min(at - static_cast<double>(low), 1.0);
  return {{low, std::min(low + 1, axis.in - 1)}, {1.0 - part, part}};
}

// The weights of cubic convolution with the parameter -0.75 at a distance `t` behind the second of four positions.
void cubic_weights(double t, double* weight) {
  constexpr double kA = -0.75;
  const auto near = [](double d) { return ((kA + 2.0) * d - (kA + 3.0)) * d * d + 1.0; };
  const auto far = [](double d) { return ((kA * d - 5.0 * kA) * d + 8.0 * kA) * d - 4.0 * kA; };
  weight[0] = far(t + 1.0);
  weight[1] = near(t);
  weight[2] = near(1.0 - t);
  weight[3] = far(2.0 - t);
}

Position cubic_taps(const Axis& axis, int64_t x) {
  const double at = source_coordinate(axis, x), floor = std::floor(at);
  Position result;
  cubic_weights(at - floor, result.weight);
  for (int k = 0; k < kMostTaps; ++k) {
    result.index[k] = std::clamp<int64_t>(static_cast<int64_t>(floor) - 1 + k, 0, axis.in - 1);
  }
  return result;
}

Position taps_of(const Axis& axis, int64_t x) {
  if (!axis.apply) return {{x}, {1.0}};
  if (axis.kind == Interpolation::kNearest) return {{nearest_position(x, axis.in, axis.out)}, {1.0}};
  return axis.kind == Interpolation::kLinear ? linear_taps(axis, x) : cubic_taps(axis, x);
}

}  // namespace

int64_t nearest_position(int64_t position, int64_t in, int64_t out) {
  if (in == out) return position;
  if (out == 2 * in) return position / 2;
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  return std::min(static_cast<int64_t>(std::floor(static_cast<float>(position) * scale)), in - 1);
}

int tap_count(const Axis& axis) {
  if (!axis.apply || axis.kind == Interpolation::kNearest) return 1;
  return axis.kind == Interpolation::kLinear ? 2 : 4;
}

template <typename T>
void fill_taps(const Axis& axis, int32_t* index, T* weight) {
  const int count = tap_count(axis);
  for (int64_t x = 0; x < axis.out; ++x) {
    const Position position = taps_of(axis, x);
    for (int k = 0; k < count; ++k) {
      index[k * axis.out + x] = static_cast<int32_t>(position.index[k]);
      weight[k * axis.out + x] = static_cast<T>(position.weight[k]);
    }
  }
}

int64_t count_adjoint_taps(const Axis& axis, int64_t* used) {
  const int count = tap_count(axis);
  std::fill_n(used, axis.in, int64_t{0});
  for (int64_t x = 0; x < axis.out; ++x) {
    const Position position = taps_of(axis, x);
    for (int k = 0; k < count; ++k) ++used[position.index[k]];
  }
  return std::max<int64_t>(1, *std::max_element(used, used + axis.in));
}

template <typename T>
void fill_adjoint_taps(const Axis& axis, int64_t count, int64_t* used, int32_t* index, T* weight) {
  const int taps = tap_count(axis);
  std::fill_n(index, count * axis.in, static_cast<int32_t>(axis.out));
  std::fill_n(weight, count * axis.in, T{});
  std::fill_n(used, axis.in, int64_t{0});
  for (int64_t x = 0; x < axis.out; ++x) {
    const Position position = taps_of(axis, x);
    for (int k = 0; k < taps; ++k) {
      const int64_t place = used[position.index[k]]++ * axis.in + position.index[k];
      index[place] = static_cast<int32_t>(x);
      weight[place] = static_cast<T>(position.weight[k]);
    }
  }
}

template void fill_taps(const Axis& axis, int32_t* index, float* weight);
template void fill_taps(const Axis& axis, int32_t* index, double* weight);
template void fill_adjoint_taps(const Axis& axis, int64_t count, int64_t* used, int32_t* index, float* weight);
template void fill_adjoint_taps(const Axis& axis, int64_t count, int64_t* used, int32_t* index, double* weight);

}  // namespace impl::cpu
