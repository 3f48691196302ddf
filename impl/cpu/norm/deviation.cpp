// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/deviation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/norm/batch_group.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kRows = 128;  // rows whose moments are computed together
constexpr int64_t kRun = 32768;

// Whether a sum of squares in float32 may have left its range: it is infinite or NaN, or so small that terms are
// missing.
bool left_range(double m2) { return !(m2 - m2 == 0 && m2 > 1e-25); }

// The moments of n packed elements in double, piece by piece.
template <diopiDtype_t kDtype>
Moments moments_in_double(const char* in, int64_t n) {
  constexpr int64_t kPiece = 512;
  double piece[kPiece];
  Moments all;
  for (int64_t first = 0; first < n; first += kPiece) {
    const int64_t some = std::min(kPiece, n - first);
    cast_function(kDtype, diopi_dtype_float64)(piece, in + first * diopi::dtype_size(kDtype), some);
    const Moments m = nchw_kernels(diopi_dtype_float64)->moments(piece, nullptr, {1, some, some});
    all.add(m.count, m.mean, m.m2);
  }
  return all;
}

template <diopiDtype_t kDtype>
struct DeviationFold {
  static constexpr bool kIsDouble = kDtype == diopi_dtype_float64;

  static void init(void* accumulators, int64_t n) { std::fill_n(static_cast<Moments*>(accumulators), n, Moments()); }
  static void fold_row(void* accumulator, const void* in, int64_t n, int64_t, const void*) {
    Moments m = nchw_kernels(kDtype)->moments(in, nullptr, {1, n, n});
    if (!kIsDouble && left_range(m.m2)) m = moments_in_double<kDtype>(static_cast<const char*>(in), n);
    static_cast<Moments*>(accumulator)->add(m.count, m.mean, m.m2);
  }
  static void fold_column(void* accumulators, const void* in, int64_t n, int64_t base, const void* params) {
    fold_rows(accumulators, in, 0, 1, n, base, params);
  }
  static void fold_rows(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t,
                        const void*) {
    auto* a = static_cast<Moments*>(accumulators);
    double mean[kMaxTileWidth], m2[kMaxTileWidth];
    for (int64_t start = 0; start < rows; start += kRows) {
      const int64_t some = std::min(kRows, rows - start);
      const char* first = static_cast<const char*>(in) + start * pitch;
      nhwc_kernels(kDtype)->moments(first, some, pitch / diopi::dtype_size(kDtype), n, mean, m2);
      for (int64_t i = 0; i < n; ++i) {
        if (!kIsDouble && left_range(m2[i])) {
          add_column(a + i, first + i * diopi::dtype_size(kDtype), pitch, some);
        } else {
          a[i].add(static_cast<double>(some), mean[i], m2[i]);
        }
      }
    }
  }
  // Adds up to kRows elements, `pitch` bytes apart, in double.
  static void add_column(Moments* all, const char* in, int64_t pitch, int64_t rows) {
    constexpr int64_t kSize = diopi::dtype_size(kDtype);
    alignas(8) char column[kRows * kSize];
    for (int64_t i = 0; i < rows; ++i) std::memcpy(column + i * kSize, in + i * pitch, kSize);
    const Moments m = moments_in_double<kDtype>(column, rows);
    all->add(m.count, m.mean, m.m2);
  }
  static void merge(void* accumulators, const void* other, int64_t n) {
    auto* a = static_cast<Moments*>(accumulators);
    const auto* b = static_cast<const Moments*>(other);
    for (int64_t i = 0; i < n; ++i) a[i].add(b[i].count, b[i].mean, b[i].m2);
  }
};

// Rounding may leave a sum just below 0.
double squares(const Moments& m) { return m.m2 < 0 ? 0 : m.m2; }

void finish_squares(void* const* out, const void* accumulators, int64_t n, int64_t, const void*) {
  const auto* a = static_cast<const Moments*>(accumulators);
  for (int64_t i = 0; i < n; ++i) static_cast<double*>(out[0])[i] = squares(a[i]);
}

void finish_deviations(void* const* out, const void* accumulators, int64_t n, int64_t count, const void* params) {
  const auto* a = static_cast<const Moments*>(accumulators);
  const double divisor = deviation_divisor(count, *static_cast<const double*>(params));
  for (int64_t i = 0; i < n; ++i) static_cast<double*>(out[0])[i] = std::sqrt(squares(a[i]) / divisor);
}

void join_deviations(void* const* out, const void* const* in, int64_t n, const void* params) {
  const double *a = static_cast<const double*>(in[0]), *b = static_cast<const double*>(in[1]);
  const double divisor = *static_cast<const double*>(params);
  for (int64_t i = 0; i < n; ++i) static_cast<double*>(out[0])[i] = std::sqrt((a[i] + b[i]) / divisor);
}

template <diopiDtype_t kDtype, bool kRoot>
const ReduceKernel* deviation_kernel() {
  using F = DeviationFold<kDtype>;
  static const ReduceKernel kKernel = [] {
    ReduceKernel k;
    k.in = kDtype;
    k.out[0] = diopi_dtype_float64;
    k.accumulator_size = sizeof(Moments);
    k.exact = false;
    k.run = kRun;
    k.init = F::init;
    k.fold_row = F::fold_row;
    k.fold_column = F::fold_column;
    k.fold_rows = F::fold_rows;
    k.merge = F::merge;
    k.finish = kRoot ? finish_deviations : finish_squares;
    return k;
  }();
  return &kKernel;
}

template <bool kRoot>
const ReduceKernel* deviation_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return deviation_kernel<diopi::dtype_of<diopi::tagged<decltype(tag)>>, kRoot>(); });
}

}  // namespace

double deviation_divisor(int64_t count, double correction) {
  if (count == 0) return 0;  // 0 / 0: nothing has no standard deviation
  return std::max(0.0, static_cast<double>(count) - correction);
}

const ReduceKernel* squared_deviation_kernel(diopiDtype_t dtype) { return deviation_kernel<false>(dtype); }
const ReduceKernel* standard_deviation_kernel(diopiDtype_t dtype) { return deviation_kernel<true>(dtype); }
BlockFn joint_deviation_kernel() { return join_deviations; }

}  // namespace impl::cpu
