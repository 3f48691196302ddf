/* SPDX-License-Identifier: BSD-3-Clause */
// Sums and extremes of powers of magnitudes, in double, for vector norms. Included inside each target's namespace.
#if defined(IMPL_CPU_NORM_POWERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_NORM_POWERS_INL_H_
#undef IMPL_CPU_NORM_POWERS_INL_H_
#else
#define IMPL_CPU_NORM_POWERS_INL_H_
#endif

#include <hwy/cache_control.h>

#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/prefetch.hpp"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// What is added for an element x, or compared.
struct Nonzero {
  explicit Nonzero(double) {}
  HWY_INLINE DoubleVec operator()(DoubleVec x) const {
    const DoubleTag d;
    return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, 1.0));
  }
};
struct Magnitude {
  explicit Magnitude(double) {}
  HWY_INLINE DoubleVec operator()(DoubleVec x) const { return hn::Abs(x); }
};
struct Square {
  explicit Square(double) {}
  HWY_INLINE DoubleVec operator()(DoubleVec x) const { return hn::Mul(x, x); }
};
struct Power {
  double p;
  explicit Power(double order) : p(order) {}
  HWY_INLINE DoubleVec operator()(DoubleVec x) const {
    const DoubleTag d;
    if (p == 3) return hn::Mul(hn::Mul(x, x), hn::Abs(x));
    if (p == 4) return hn::Mul(hn::Mul(x, x), hn::Mul(x, x));
    return Pow(d, hn::Abs(x), hn::Set(d, p));
  }
};

// How two terms are combined. A NaN wins over every number.
struct AddTerms {
  static constexpr double kIdentity = 0;
  static HWY_INLINE DoubleVec apply(DoubleVec a, DoubleVec b) { return hn::Add(a, b); }
  static double apply(double a, double b) { return a + b; }
};
struct LargestTerm {
  static constexpr double kIdentity = 0;
  static HWY_INLINE DoubleVec apply(DoubleVec a, DoubleVec b) {
    return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a);
  }
  static double apply(double a, double b) { return b > a || b != b ? b : a; }
};
struct SmallestTerm {
  static constexpr double kIdentity = std::numeric_limits<double>::infinity();
  static HWY_INLINE DoubleVec apply(DoubleVec a, DoubleVec b) {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  }
  static double apply(double a, double b) { return b < a || b != b ? b : a; }
};

// The sum of the terms of a few thousand 16-bit floats, in float32. Squares may leave its range; see is_complete.
template <class Term, typename S>
HWY_INLINE double sum_in_single(const S* x, int64_t n) {
  const TagOf<S> d;
  VecOf<S> sum[1] = {hn::Zero(d)};
  add_terms<S, 1>(n, sum, [&](int64_t i, auto load, auto, VecOf<S>(&terms)[1]) HWY_ATTR {
    const auto v = load(x + i);
    terms[0] = std::is_same_v<Term, Square> ? hn::Mul(v, v) : hn::Abs(v);
  });
  return sum_of_lanes<S>(sum[0]);
}

// Whether the sum of sum_in_single has the terms of all elements: it is finite, and squares below the range of float32
// would not change it.
inline bool is_complete(double sum) { return sum - sum == 0 && sum > 1e-25; }

template <class Fold, class Term, typename S>
inline constexpr bool kSumsInSingle = sizeof(S) == 2 && std::is_same_v<Fold, AddTerms> &&
                                      (std::is_same_v<Term, Square> || std::is_same_v<Term, Magnitude>);

// Combines the terms of n packed elements; with kPrecise all sums are in double.
template <class Fold, class Term, bool kPrecise = false, typename S>
HWY_INLINE double fold_terms(const S* x, int64_t n, const Term& term) {
  if constexpr (!kPrecise && kSumsInSingle<Fold, Term, S>) {
    const double sum = sum_in_single<Term>(x, n);
    if (HWY_LIKELY(is_complete(sum))) return sum;
  }
  constexpr int kParts = kDoubleParts<S>;
  const DoubleTag d;
  const int64_t lanes = lanes_of<S>();
  constexpr int64_t kPage = 4096 / sizeof(S), kLine = 64 / sizeof(S);
  constexpr int kWays = 4;  // sums in different registers hide the latency of additions
  DoubleVec sum[kWays][kParts], parts[kParts];
  for (auto& way : sum) {
    for (int k = 0; k < kParts; ++k) way[k] = hn::Set(d, Fold::kIdentity);
  }
  const bool ahead = fetches_ahead();
  int64_t i = 0;
  for (; i + kWays * lanes <= n; i += kWays * lanes) {
    if (ahead) {  // the processor fetches the rest of the 256 bytes after these two lines
      hwy::Prefetch(x + i + kPage);
      hwy::Prefetch(x + i + kPage + kLine);
    }
    for (int way = 0; way < kWays; ++way) {
      to_doubles<S>(load_vector(x + i + way * lanes), parts);
      for (int k = 0; k < kParts; ++k) sum[way][k] = Fold::apply(sum[way][k], term(parts[k]));
    }
  }
  for (; i + lanes <= n; i += lanes) {
    to_doubles<S>(load_vector(x + i), parts);
    for (int k = 0; k < kParts; ++k) sum[0][k] = Fold::apply(sum[0][k], term(parts[k]));
  }
  HWY_ALIGN double lane[2 * HWY_MAX_BYTES / sizeof(float)] = {};
  const int64_t each = static_cast<int64_t>(hn::Lanes(d));
  double result = Fold::kIdentity;
  if (i < n) {
    to_doubles<S>(load_some(x + i, n - i), parts);
    for (int k = 0; k < kParts; ++k) hn::StoreU(term(parts[k]), d, lane + k * each);
    for (int64_t k = 0; k < n - i; ++k) result = Fold::apply(result, lane[k]);
  }
  for (int k = 0; k < kParts; ++k) {
    sum[0][k] = Fold::apply(Fold::apply(sum[0][k], sum[1][k]), Fold::apply(sum[2][k], sum[3][k]));
  }
  if constexpr (std::is_same_v<Fold, AddTerms>) {
    for (int k = 1; k < kParts; ++k) sum[0][0] = hn::Add(sum[0][0], sum[0][k]);
    return result + hn::GetLane(hn::SumOfLanes(d, sum[0][0]));
  }
  for (int k = 0; k < kParts; ++k) hn::StoreU(sum[0][k], d, lane + k * each);
  for (int64_t width = kParts * each / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) lane[k] = Fold::apply(lane[k], lane[k + width]);
  }
  return Fold::apply(result, lane[0]);
}

// total[i] = the combination of total[i] and the term of x[i].
template <class Fold, class Term, typename S>
HWY_INLINE void fold_each_term(double* total, const S* x, int64_t n, const Term& term) {
  constexpr int kParts = kDoubleParts<S>;
  const DoubleTag d;
  const int64_t lanes = lanes_of<S>(), each = static_cast<int64_t>(hn::Lanes(d));
  DoubleVec parts[kParts];
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    to_doubles<S>(load_vector(x + i), parts);
    for (int k = 0; k < kParts; ++k) {
      double* at = total + i + k * each;
      hn::StoreU(Fold::apply(hn::LoadU(d, at), term(parts[k])), d, at);
    }
  }
  if (i == n) return;
  HWY_ALIGN double lane[2 * HWY_MAX_BYTES / sizeof(float)] = {};
  to_doubles<S>(load_some(x + i, n - i), parts);
  for (int k = 0; k < kParts; ++k) hn::StoreU(term(parts[k]), d, lane + k * each);
  for (int64_t k = 0; i + k < n; ++k) total[i + k] = Fold::apply(total[i + k], lane[k]);
}

// Calls f(Fold(), Term type as a pointer) for the order p.
template <class F>
HWY_INLINE auto with_order(double p, F f) {
  if (p == 2) return f(AddTerms(), static_cast<const Square*>(nullptr));
  if (p == 1) return f(AddTerms(), static_cast<const Magnitude*>(nullptr));
  if (p == 0) return f(AddTerms(), static_cast<const Nonzero*>(nullptr));
  if (p > 0 && p - p != 0) return f(LargestTerm(), static_cast<const Magnitude*>(nullptr));
  if (p < 0 && p - p != 0) return f(SmallestTerm(), static_cast<const Magnitude*>(nullptr));
  return f(AddTerms(), static_cast<const Power*>(nullptr));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
