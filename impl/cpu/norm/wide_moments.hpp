// SPDX-License-Identifier: BSD-3-Clause
// Moments of finite elements whose distances, sums or squares leave the range of float32.
#ifndef IMPL_CPU_NORM_WIDE_MOMENTS_HPP_
#define IMPL_CPU_NORM_WIDE_MOMENTS_HPP_

#include <cstdint>

#include "impl/cpu/norm/batch_group.hpp"

namespace impl::cpu {

// Whether a sum of squares, or a sum that was needed for it, has left the range. An element may also be no finite
// number.
inline bool overflowed(double m2) { return !(m2 - m2 == 0); }

// The moments of a few thousand elements of a dtype that is computed in T, in double. This is slow; it is for the rare
// elements whose moments overflowed in T.
template <typename T, typename S>
[[gnu::noinline]] Moments moments_in_double(const S* x, const StridedSegments& segments) {
  const auto sum_of = [&](auto term) {
    double sum = 0;
    for (int64_t s = 0; s < segments.count; ++s) {
      const S* const at = x + s * segments.step;
      for (int64_t i = 0; i < segments.length; ++i) sum += term(static_cast<double>(static_cast<T>(at[i])));
    }
    return sum;
  };
  const double count = static_cast<double>(segments.count * segments.length);
  const double mean = sum_of([](double v) { return v; }) / count;
  return {count, mean, sum_of([mean](double v) { return (v - mean) * (v - mean); })};
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_WIDE_MOMENTS_HPP_
