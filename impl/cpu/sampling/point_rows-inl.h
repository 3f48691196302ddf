/* SPDX-License-Identifier: BSD-3-Clause */
// Loops over the channels of the four neighbours of a sampling point. Included inside each target's namespace.
#if defined(IMPL_CPU_SAMPLING_POINT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SAMPLING_POINT_ROWS_INL_H_
#undef IMPL_CPU_SAMPLING_POINT_ROWS_INL_H_
#else
#define IMPL_CPU_SAMPLING_POINT_ROWS_INL_H_
#endif

#include <cstdint>

#include "impl/cpu/sampling/zero_padded.hpp"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The channels of the four neighbours in memory: `pitch` elements from cell to cell. `zeros` stands for a neighbour
// outside of the plane.
template <typename T>
struct NeighbourRows {
  NeighbourRows(const ZeroPaddedPoint& point, const T* plane, int64_t pitch, const T* zeros) {
    for (int i = 0; i < 4; ++i) row[i] = point.cell[i] < 0 ? zeros : plane + point.cell[i] * pitch;
    point.weights(weight);
  }
  // The sum of the neighbours of the channels from `c` on, times their weights.
  template <class Load>
  HWY_INLINE VecOf<T> sample(int64_t c, Load load) const {
    const TagOf<T> d;
    auto sum = hn::Mul(hn::Set(d, weight[0]), load(row[0] + c));
    sum = hn::MulAdd(hn::Set(d, weight[1]), load(row[1] + c), sum);
    sum = hn::MulAdd(hn::Set(d, weight[2]), load(row[2] + c), sum);
    return hn::MulAdd(hn::Set(d, weight[3]), load(row[3] + c), sum);
  }

  const T* row[4];
  T weight[4];
};

// Sums over channels of a gradient times the sample, and times the derivatives of the sample.
struct PointGradient {
  double sample = 0, y = 0, x = 0;
};

// Adds the sums over n channels to `sums`.
template <typename T>
HWY_INLINE void add_point_gradient(const ZeroPaddedPoint& point, const T* grad, const NeighbourRows<T>& rows, int64_t n,
                                   PointGradient* sums) {
  const TagOf<T> d;
  const auto down = hn::Set(d, static_cast<T>(point.down)), right = hn::Set(d, static_cast<T>(point.right));
  const auto up = hn::Set(d, static_cast<T>(1 - point.down)), left = hn::Set(d, static_cast<T>(1 - point.right));
  const int64_t run = vector_run<T>();
  for (int64_t start = 0; start < n; start += run) {
    VecOf<T> sum[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    add_terms<T, 3>(std::min(run, n - start), sum, [&](int64_t i, auto load, auto, VecOf<T>(&terms)[3]) {
      const int64_t c = start + i;
      const auto g = load(grad + c);
      const auto a = load(rows.row[0] + c), b = load(rows.row[1] + c);
      const auto e = load(rows.row[2] + c), f = load(rows.row[3] + c);
      terms[0] = hn::Mul(g, rows.sample(c, load));
      terms[1] = hn::Mul(g, hn::MulAdd(left, hn::Sub(e, a), hn::Mul(right, hn::Sub(f, b))));
      terms[2] = hn::Mul(g, hn::MulAdd(up, hn::Sub(b, a), hn::Mul(down, hn::Sub(f, e))));
    });
    sums->sample += sum_of_lanes<T>(sum[0]);
    sums->y += sum_of_lanes<T>(sum[1]);
    sums->x += sum_of_lanes<T>(sum[2]);
  }
}

// Cells of a plane from `begin` to below `end`.
struct CellRange {
  int64_t begin = 0, end = INT64_MAX;
  bool has(int64_t cell) const { return cell >= begin && cell < end; }
};

// Adds factor * grad[c] times the weights to the neighbours inside of the plane and the range.
template <typename T>
HWY_INLINE void add_to_neighbours(const ZeroPaddedPoint& point, const T* grad, T factor, T* plane, int64_t pitch,
                                  int64_t n, const CellRange& cells = {}) {
  const TagOf<T> d;
  T weight[4];
  point.weights(weight);
  for (int j = 0; j < 4; ++j) {
    if (!cells.has(point.cell[j])) continue;
    T* to = plane + point.cell[j] * pitch;
    const auto w = hn::Set(d, weight[j]), f = hn::Set(d, factor);
    for_vectors<T>(n, [&](int64_t c, auto load, auto store, auto) {
      store(hn::MulAdd(w, hn::Mul(f, load(grad + c)), load(to + c)), to + c);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
