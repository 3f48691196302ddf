/* SPDX-License-Identifier: BSD-3-Clause */
// Loops and sums over adjacent columns of any floating point storage type. Included inside each target's namespace.
#if defined(IMPL_CPU_SIMD_COLUMN_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_COLUMN_LOOPS_INL_H_
#undef IMPL_CPU_SIMD_COLUMN_LOOPS_INL_H_
#else
#define IMPL_CPU_SIMD_COLUMN_LOOPS_INL_H_
#endif

#include "impl/cpu/engine/rows/row_engine.hpp"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kPad = HWY_MAX_BYTES / 4;  // lanes that a vector may have behind the last column
// Rows that are summed in the compute type before the sum is added to a double: few, because rounding errors of equal
// rows add up.
constexpr int64_t kRowsPerRun = 8;

// Row i of an operand whose rows are `pitch` bytes apart.
template <typename S>
HWY_INLINE S* row_at(void* p, int64_t i, int64_t pitch) {
  return reinterpret_cast<S*>(static_cast<char*>(p) + i * pitch);
}
template <typename S>
HWY_INLINE const S* row_at(const void* p, int64_t i, int64_t pitch) {
  return reinterpret_cast<const S*>(static_cast<const char*>(p) + i * pitch);
}

// One number for each column, with room for whole vectors.
template <typename T>
struct PerColumn {
  HWY_ALIGN T v[kMaxColumns + kPad];
};

// Adds the lanes of a vector to numbers in double.
template <typename S>
HWY_INLINE void add_to_doubles(VecOf<S> v, double* total) {
  const DoubleTag d;
  DoubleVec parts[kDoubleParts<S>];
  to_doubles<S>(v, parts);
  for (int k = 0; k < kDoubleParts<S>; ++k, total += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::LoadU(d, total), parts[k]), d, total);
  }
}

// total[k].v[j] = the sum over all rows i of terms[k], for k in [0, kSums); term(i, j, load, store, terms) sets the
// vectors terms[k]. The sums of a run stay in registers.
template <typename S, int kSums, class F>
HWY_INLINE void add_columns(int64_t n, int64_t width, PerColumn<double> (&total)[kSums], F term) {
  for (int k = 0; k < kSums; ++k) std::fill_n(total[k].v, width + lanes_of<S>(), 0.0);
  for (int64_t start = 0; start < n; start += kRowsPerRun) {
    const int64_t end = std::min(n, start + kRowsPerRun);
    for_vectors<S>(width, [&](int64_t j, auto load, auto store, auto) {
      VecOf<S> run[kSums], terms[kSums];
      term(start, j, load, store, run);
      for (int64_t i = start + 1; i < end; ++i) {
        term(i, j, load, store, terms);
        for (int k = 0; k < kSums; ++k) run[k] = hn::Add(run[k], terms[k]);
      }
      for (int k = 0; k < kSums; ++k) add_to_doubles<S>(run[k], total[k].v + j);
    });
  }
}

// The loop add_columns for one sum. term(i, j, load, store) returns the vector to add.
template <typename S, class F>
HWY_INLINE void sum_columns(int64_t n, int64_t width, PerColumn<double>* total, F term) {
  PerColumn<double> sums[1];
  add_columns<S, 1>(n, width, sums, [&](int64_t i, int64_t j, auto load, auto store, VecOf<S>(&terms)[1]) {
    terms[0] = term(i, j, load, store);
  });
  std::copy_n(sums[0].v, width, total->v);
}

// Sets each element of the output to the vector f(i, j, load).
template <typename S, class F>
HWY_INLINE void write_rows(void* y, int64_t pitch, int64_t n, int64_t width, F f) {
  for (int64_t i = 0; i < n; ++i) {
    S* row = row_at<S>(y, i, pitch);
    for_vectors<S>(width, [&](int64_t j, auto load, auto store, auto) { store(f(i, j, load), row + j); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
